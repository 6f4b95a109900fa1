#include "services/rpc/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "services/domain/errors.h"

namespace tollbridge::rpc {
namespace {

google::rpc::Status Details(const wire::CallStatus& status) {
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(status.details));
  return details;
}

TEST(Status, CarriesAllDetailsOfAProductError) {
  const wire::CallStatus status = ToCallStatus(
      domain::MakeError(absl::StatusCode::kInvalidArgument, "two rules",
                        {.reason = domain::reason::kInvalidRequest,
                         .retry_after = std::chrono::milliseconds(1500),
                         .violations = {{"amount", "is required"}, {"currency", "is bad"}}}));

  EXPECT_EQ(status.code, absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message, "two rules");
  const google::rpc::Status details = Details(status);
  EXPECT_EQ(details.code(), 3);
  int seen = 0;
  for (const auto& detail : details.details()) {
    google::rpc::ErrorInfo info;
    google::rpc::BadRequest bad;
    google::rpc::RetryInfo retry;
    if (detail.UnpackTo(&info)) {
      ++seen;
      EXPECT_EQ(info.reason(), "INVALID_REQUEST");
    }
    if (detail.UnpackTo(&bad)) {
      ++seen;
      EXPECT_EQ(bad.field_violations_size(), 2);
    }
    if (detail.UnpackTo(&retry)) {
      ++seen;
      EXPECT_EQ(retry.retry_delay().seconds(), 1);
    }
  }
  EXPECT_EQ(seen, 3);
}

TEST(Status, LeavesOutViolationsThatNoClientWouldTake) {
  std::vector<domain::FieldViolation> violations(100, {std::string(600, 'x'), "must have a value"});
  const wire::CallStatus status = ToCallStatus(domain::InvalidRequest(std::move(violations)));
  EXPECT_LE(status.details.size(), 3u * 1024);
  const google::rpc::Status details = Details(status);
  int left = 0;
  bool reason = false;
  for (const auto& detail : details.details()) {
    google::rpc::BadRequest bad;
    google::rpc::ErrorInfo info;
    if (detail.UnpackTo(&bad)) left = bad.field_violations_size();
    if (detail.UnpackTo(&info)) reason = info.reason() == "INVALID_REQUEST";
  }
  EXPECT_GE(left, 2);
  EXPECT_LT(left, 100);
  EXPECT_TRUE(reason);
}

TEST(Status, CutsAMessageBetweenCharacters) {
  // 1,023 bytes, then two of one character.
  const wire::CallStatus status = ToCallStatus(
      domain::MakeError(absl::StatusCode::kInvalidArgument, std::string(1023, 'x') + "\u00e9",
                        {.reason = domain::reason::kInvalidRequest}));
  EXPECT_EQ(status.message, std::string(1023, 'x'));
}

TEST(Status, KeepsWhatALibrarySaidFromTheCaller) {
  for (const absl::Status& raw :
       {absl::InternalError("password=x"), absl::UnknownError("password=x")}) {
    const wire::CallStatus status = ToCallStatus(raw);
    EXPECT_EQ(status.code, absl::StatusCode::kInternal);
    EXPECT_EQ(status.message, "internal error");
    EXPECT_EQ(status.details.find("password"), std::string::npos);
    EXPECT_EQ(domain::ReasonOf(Published(raw)), "INTERNAL");
  }
}

TEST(Status, KeepsTheCodeOfAStatusWithoutDetails) {
  const wire::CallStatus status = ToCallStatus(absl::UnavailableError("no connection"));
  EXPECT_EQ(status.code, absl::StatusCode::kUnavailable);
  EXPECT_EQ(status.message, "no connection");
  EXPECT_EQ(Details(status).details_size(), 1);
}

TEST(Status, KeepsTheMessageOfAProductErrorThatIsInternal) {
  const wire::CallStatus status =
      ToCallStatus(domain::MakeError(absl::StatusCode::kInternal, "the credentials were refused",
                                     {.reason = domain::reason::kUpstreamCredentials}));
  EXPECT_EQ(status.message, "the credentials were refused");
}

TEST(Status, CutsAMessageThatWouldNotFitAHeader) {
  const wire::CallStatus status = ToCallStatus(domain::MakeError(
      absl::StatusCode::kAborted, std::string(5000, 'x'), {.reason = domain::reason::kOrderBusy}));
  EXPECT_EQ(status.message.size(), 1024u);
}

TEST(Status, OkIsOk) { EXPECT_TRUE(ToCallStatus(absl::OkStatus()).ok()); }

}  // namespace
}  // namespace tollbridge::rpc
