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

TEST(Status, KeepsTheCodeOfAStatusWithoutDetailsAndNotItsText) {
  const wire::CallStatus status =
      ToCallStatus(absl::UnavailableError("connect to 127.0.0.1 port 1: Connection refused"));
  EXPECT_EQ(status.code, absl::StatusCode::kUnavailable);
  EXPECT_EQ(status.message, "the call failed within the gateway");
  EXPECT_EQ(Details(status).details_size(), 1);
}

TEST(Status, LeavesOutWhatAServerOrTheSystemSaid) {
  using domain::Retry;
  struct Row {
    std::string_view reason;
    Retry retry;
    std::string told;
  };
  const std::string again =
      "; the same call can be made again, a mutation with the same idempotency_key";
  for (const Row& row :
       {Row{domain::reason::kStoreUnavailable, Retry::kSafeSameKey, "not connected" + again},
        Row{domain::reason::kNotSent, Retry::kSafeSameKey, "not connected" + again},
        Row{domain::reason::kInternal, Retry::kSafeSameKey, "not connected" + again},
        Row{domain::reason::kUpstreamUnavailable, Retry::kSafeSameKey, "not connected" + again},
        Row{domain::reason::kUpstreamUnreadable, Retry::kAfterChange, "not connected"},
        Row{domain::reason::kUpstreamCredentials, Retry::kSafeSameKey, "not connected" + again},
        Row{domain::reason::kUpstreamRateLimited, Retry::kSafeSameKey, "not connected" + again},
        Row{domain::reason::kUpstreamUnreadable, Retry::kSafeSameKey, "not connected" + again},
        Row{domain::reason::kInternal, Retry::kNever, "not connected"}}) {
    const absl::Status error = domain::MakeError(
        absl::StatusCode::kUnavailable, "not connected: 10.0.0.7:6379: NOPERM: tb:key",
        {.reason = row.reason, .retry = row.retry, .metadata = {{"operation_id", "o"}}});
    const wire::CallStatus status = ToCallStatus(error);
    EXPECT_EQ(status.message, row.told);
    EXPECT_EQ(Details(status).message(), row.told);
    EXPECT_EQ(status.details.find("10.0.0.7"), std::string::npos);
    EXPECT_EQ(domain::ReasonOf(Published(error)), row.reason);
    EXPECT_EQ(domain::MetadataOf(Published(error), "operation_id"), "o");
    EXPECT_TRUE(IsForTheLog(error));
  }
}

TEST(Status, KeepsWhatIsWhollyOurOwn) {
  for (const absl::Status& error :
       {domain::MakeError(absl::StatusCode::kUnavailable, "the store cannot be asked",
                          {.reason = domain::reason::kStoreUnavailable}),
        domain::MakeError(absl::StatusCode::kFailedPrecondition, "refused: too old",
                          {.reason = domain::reason::kUpstreamRefused})}) {
    EXPECT_EQ(Published(error), error);
    EXPECT_FALSE(IsForTheLog(error));
  }
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
