#include "services/domain/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "tests/support/fails_with.h"

namespace tollbridge::domain {
namespace {

template <typename Detail>
Detail Payload(const absl::Status& status, std::string_view url) {
  Detail detail;
  const auto bytes = status.GetPayload({url.data(), url.size()});
  EXPECT_TRUE(bytes.has_value() && detail.ParseFromString(std::string(*bytes))) << url;
  return detail;
}

TEST(Errors, CarryCodeMessageReasonAndMetadata) {
  const absl::Status status = MakeError(absl::StatusCode::kAborted, "try later",
                                        {.reason = reason::kOrderBusy,
                                         .retry = Retry::kSafeSameKey,
                                         .metadata = {{"operation_id", "7b1f"}}});

  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(status.message(), "try later");
  EXPECT_EQ(ReasonOf(status), "ORDER_BUSY");
  const auto info = Payload<google::rpc::ErrorInfo>(status, kErrorInfoUrl);
  EXPECT_EQ(info.domain(), "tollbridge");
  EXPECT_EQ(info.metadata().at("operation_id"), "7b1f");
  EXPECT_EQ(info.metadata().at("retry"), "SAFE_SAME_KEY");
}

TEST(Errors, SayHowLongToWaitOnlyWhenThereIsATime) {
  const absl::Status with =
      MakeError(absl::StatusCode::kUnavailable, "",
                {.reason = reason::kOverloaded, .retry_after = std::chrono::milliseconds(2500)});
  const auto retry = Payload<google::rpc::RetryInfo>(with, kRetryInfoUrl);
  EXPECT_EQ(retry.retry_delay().seconds(), 2);
  EXPECT_EQ(retry.retry_delay().nanos(), 500'000'000);

  const absl::Status without =
      MakeError(absl::StatusCode::kUnavailable, "", {.reason = reason::kOverloaded});
  EXPECT_FALSE(without.GetPayload({kRetryInfoUrl.data(), kRetryInfoUrl.size()}).has_value());
}

TEST(Errors, InvalidRequestNamesEveryViolationInOrder) {
  const absl::Status status = InvalidRequest({{"amount", "is required"}, {"currency", "is bad"}});

  EXPECT_THAT(status, FailsWith(StatusCode::kInvalidArgument, "INVALID_REQUEST"));
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("amount: is required"));
  const auto bad = Payload<google::rpc::BadRequest>(status, kBadRequestUrl);
  ASSERT_EQ(bad.field_violations_size(), 2);
  EXPECT_EQ(bad.field_violations(0).field(), "amount");
  EXPECT_EQ(bad.field_violations(1).description(), "is bad");
  EXPECT_EQ(Payload<google::rpc::ErrorInfo>(status, kErrorInfoUrl).metadata().at("retry"),
            "AFTER_CHANGE");
}

TEST(Errors, AStatusOfSomebodyElseHasNoReason) {
  EXPECT_EQ(ReasonOf(absl::InternalError("x")), "");
  EXPECT_EQ(ReasonOf(absl::OkStatus()), "");
}

TEST(FailsWith, LooksAtCodeAndReason) {
  const absl::StatusOr<int> failed = InvalidRequest({{"amount", "is required"}});
  EXPECT_THAT(failed, FailsWith(StatusCode::kInvalidArgument, reason::kInvalidRequest));
  EXPECT_THAT(failed, testing::Not(FailsWith(StatusCode::kNotFound, reason::kInvalidRequest)));
  EXPECT_THAT(failed, testing::Not(FailsWith(StatusCode::kInvalidArgument, reason::kOrderBusy)));
  EXPECT_THAT(absl::StatusOr<int>(7), testing::Not(FailsWith(StatusCode::kOk, "NONE")));
}

}  // namespace
}  // namespace tollbridge::domain
