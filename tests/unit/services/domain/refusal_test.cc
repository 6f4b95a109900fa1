#include "services/domain/refusal.h"

#include <chrono>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "services/domain/errors.h"
#include "tests/support/fails_with.h"

namespace tollbridge::domain {
namespace {

Refusal Make(int status, std::string type) {
  Refusal refusal;
  refusal.http_status = status;
  refusal.type = std::move(type);
  return refusal;
}

std::string Metadata(const absl::Status& status, const std::string& name) {
  google::rpc::ErrorInfo info;
  const auto payload = status.GetPayload(std::string(kErrorInfoUrl));
  if (!payload.has_value() || !info.ParseFromString(std::string(*payload))) return "";
  const auto found = info.metadata().find(name);
  return found != info.metadata().end() ? found->second : "";
}

TEST(MeaningOf, A404OnAFreshOrderMayComeFromALaggingReplica) {
  EXPECT_EQ(MeaningOf(Make(404, "NotFound"), false), RefusalMeaning::kRefused);
  EXPECT_EQ(MeaningOf(Make(404, "NotFound"), true), RefusalMeaning::kNotExecuted);
  EXPECT_EQ(MeaningOf(Make(409, "NotFound"), true), RefusalMeaning::kRefused);
}

TEST(MeaningOf, NothingIsDefiniteWithoutAnErrorObjectOrOutside4xx) {
  for (const int status : {0, 200, 302, 400, 404, 409, 422, 500, 503}) {
    EXPECT_EQ(MeaningOf(Make(status, ""), false), RefusalMeaning::kUnknown) << status;
  }
  for (const int status : {0, 200, 302, 500, 502, 599, 600}) {
    EXPECT_EQ(MeaningOf(Make(status, "ValidationError"), false), RefusalMeaning::kUnknown)
        << status;
  }
}

TEST(MeaningOf, AnErrorObjectWithoutATypeIsDefiniteToo) {
  for (const int status : {400, 404, 409, 422}) {
    Refusal refusal = Make(status, "");
    refusal.error_object = true;
    EXPECT_EQ(MeaningOf(refusal, false), RefusalMeaning::kRefused) << status;
    EXPECT_EQ(NamesState(refusal), status == 409) << status;
    EXPECT_EQ(SaysOrderNotFound(ToError(refusal)), status == 404) << status;
  }
  Refusal undocumented = Make(408, "");
  undocumented.error_object = true;
  EXPECT_EQ(MeaningOf(undocumented, false), RefusalMeaning::kUnknown);
}

TEST(MeaningOf, WhatIsGivenBeforeALookNeedsNoErrorObject) {
  for (const int status : {401, 403, 429}) {
    EXPECT_EQ(MeaningOf(Make(status, ""), false), RefusalMeaning::kNotExecuted) << status;
    EXPECT_EQ(MeaningOf(Make(status, ""), true), RefusalMeaning::kNotExecuted) << status;
  }
}

TEST(NamesState, IsOfRefusalsThatACopyOfTheRequestCanBringAbout) {
  for (const auto& [status, type] : {std::pair<int, std::string>{409, "SomethingNew"},
                                     {409, "TransactionAlreadyStarted"},
                                     {409, "CanNotCancelTransaction"},
                                     {422, "RefundError"}}) {
    EXPECT_TRUE(NamesState(Make(status, type))) << status << " " << type;
  }
  for (const auto& [status, type] : {std::pair<int, std::string>{422, "SomethingNew"},
                                     {422, "ValidationError"},
                                     {404, "NotFound"},
                                     {409, ""},
                                     {429, "RefundError"},
                                     {500, "RefundError"}}) {
    EXPECT_FALSE(NamesState(Make(status, type))) << status << " " << type;
  }
}

TEST(MeaningOf, OnlyTheClientErrorsOfTheInterfaceAreDefinite) {
  for (int status = 400; status < 500; ++status) {
    const bool before = status == 401 || status == 403 || status == 429;
    const bool definite = status == 400 || status == 404 || status == 409 || status == 422;
    for (const char* type : {"SomethingNew", "ValidationError", "TransactionAlreadyStarted"}) {
      const RefusalMeaning expected = before     ? RefusalMeaning::kNotExecuted
                                      : definite ? RefusalMeaning::kRefused
                                                 : RefusalMeaning::kUnknown;
      EXPECT_EQ(MeaningOf(Make(status, type), false), expected) << status << " " << type;
    }
  }
}

TEST(MeaningOf, AnErrorOfTheServersOwnIsNotDefiniteUnderAnyStatus) {
  EXPECT_EQ(MeaningOf(Make(400, "ServerError"), false), RefusalMeaning::kUnknown);
  EXPECT_EQ(MeaningOf(Make(422, "FailedToFetchTransactionInformation"), false),
            RefusalMeaning::kUnknown);
}

struct ErrorRow {
  int status;
  std::string type;
  absl::StatusCode code;
  std::string_view reason;
  std::string retry;
};

TEST(ToError, DecidesByTypeFirstAndByStatusSecond) {
  const ErrorRow rows[] = {
      {409, "ValidationError", absl::StatusCode::kInvalidArgument, reason::kUpstreamRefused,
       "AFTER_CHANGE"},
      {422, "MissingInformationToCreateTransaction", absl::StatusCode::kInvalidArgument,
       reason::kUpstreamRefused, "AFTER_CHANGE"},
      {400, "TransactionAlreadyStarted", absl::StatusCode::kFailedPrecondition,
       reason::kUpstreamRefused, "NEVER"},
      {409, "CanNotCancelTransaction", absl::StatusCode::kFailedPrecondition,
       reason::kUpstreamRefused, "AFTER_CHANGE"},
      {422, "RefundError", absl::StatusCode::kFailedPrecondition, reason::kUpstreamRefused,
       "AFTER_CHANGE"},
      {502, "FailedToFetchTransactionInformation", absl::StatusCode::kUnavailable,
       reason::kUpstreamUnavailable, "SAFE_SAME_KEY"},
      {500, "ServerError", absl::StatusCode::kUnavailable, reason::kUpstreamUnavailable,
       "SAFE_SAME_KEY"},
      {400, "New", absl::StatusCode::kInvalidArgument, reason::kUpstreamRefused, "AFTER_CHANGE"},
      {404, "New", absl::StatusCode::kNotFound, reason::kOrderNotFound, "AFTER_CHANGE"},
      {409, "New", absl::StatusCode::kFailedPrecondition, reason::kUpstreamRefused, "AFTER_CHANGE"},
      {401, "New", absl::StatusCode::kInternal, reason::kUpstreamCredentials, "SAFE_SAME_KEY"},
      {403, "", absl::StatusCode::kInternal, reason::kUpstreamCredentials, "SAFE_SAME_KEY"},
      {429, "New", absl::StatusCode::kResourceExhausted, reason::kUpstreamRateLimited,
       "SAFE_SAME_KEY"},
      {503, "", absl::StatusCode::kUnavailable, reason::kUpstreamUnavailable, "SAFE_SAME_KEY"},
      {302, "", absl::StatusCode::kUnavailable, reason::kUpstreamUnreadable, "SAFE_SAME_KEY"},
  };
  for (const ErrorRow& row : rows) {
    const absl::Status error = ToError(Make(row.status, row.type));
    EXPECT_THAT(error, FailsWith(row.code, row.reason)) << row.status << " " << row.type;
    EXPECT_EQ(Metadata(error, "retry"), row.retry) << row.status << " " << row.type;
    EXPECT_EQ(Metadata(error, "provider_type"), row.type);
    EXPECT_EQ(Metadata(error, "provider_status"), std::to_string(row.status));
  }
}

TEST(ToError, EachErrorStatusOfTheDocumentIsToldWithoutATypeToo) {
  const ErrorRow rows[] = {
      {400, "", absl::StatusCode::kInvalidArgument, reason::kUpstreamRefused, ""},
      {401, "", absl::StatusCode::kInternal, reason::kUpstreamCredentials, ""},
      {403, "", absl::StatusCode::kInternal, reason::kUpstreamCredentials, ""},
      {404, "", absl::StatusCode::kNotFound, reason::kOrderNotFound, ""},
      {409, "", absl::StatusCode::kFailedPrecondition, reason::kUpstreamRefused, ""},
      {422, "", absl::StatusCode::kInvalidArgument, reason::kUpstreamRefused, ""},
      {429, "", absl::StatusCode::kResourceExhausted, reason::kUpstreamRateLimited, ""},
      {500, "", absl::StatusCode::kUnavailable, reason::kUpstreamUnavailable, ""},
      {502, "", absl::StatusCode::kUnavailable, reason::kUpstreamUnavailable, ""},
      {503, "", absl::StatusCode::kUnavailable, reason::kUpstreamUnavailable, ""},
      {504, "", absl::StatusCode::kUnavailable, reason::kUpstreamUnavailable, ""},
  };
  for (const ErrorRow& row : rows) {
    const absl::Status error = ToError(Make(row.status, row.type));
    EXPECT_THAT(error, FailsWith(row.code, row.reason)) << row.status;
    EXPECT_EQ(Metadata(error, "provider_status"), std::to_string(row.status));
  }
}

TEST(ToError, ADefiniteRefusalNeverCallsTheSameKeySafe) {
  for (int status = 400; status < 500; ++status) {
    for (const char* type :
         {"ValidationError", "TransactionAlreadyStarted", "RefundError", "New"}) {
      const Refusal refusal = Make(status, type);
      const bool definite = MeaningOf(refusal, false) == RefusalMeaning::kRefused;
      const bool safe = Metadata(ToError(refusal), "retry") == "SAFE_SAME_KEY";
      EXPECT_NE(definite, safe) << status << " " << type;
    }
  }
}

TEST(ToError, CarriesTheTimeToWait) {
  Refusal refusal = Make(429, "RateLimit");
  refusal.retry_after = std::chrono::seconds(7);
  google::rpc::RetryInfo info;
  const auto payload = ToError(refusal).GetPayload(std::string(kRetryInfoUrl));
  ASSERT_TRUE(payload.has_value() && info.ParseFromString(std::string(*payload)));
  EXPECT_EQ(info.retry_delay().seconds(), 7);
}

TEST(ToError, SaysWhatTheServiceSaid) {
  Refusal refusal = Make(422, "ValidationError");
  refusal.value = "currency is not supported";
  EXPECT_THAT(std::string(ToError(refusal).message()),
              ::testing::HasSubstr("currency is not supported"));
}

TEST(ToError, TellsWhyThereIsNoAnswerToARead) {
  constexpr struct {
    NoAnswer why;
    absl::StatusCode code;
    std::string_view reason;
  } kRows[] = {
      {NoAnswer::kLate, absl::StatusCode::kDeadlineExceeded, reason::kUpstreamUnavailable},
      {NoAnswer::kUnreached, absl::StatusCode::kUnavailable, reason::kUpstreamUnavailable},
      {NoAnswer::kUnreadable, absl::StatusCode::kInternal, reason::kUpstreamUnreadable},
      {NoAnswer::kRateLimit, absl::StatusCode::kResourceExhausted, reason::kUpstreamRateLimited},
      {NoAnswer::kInFlight, absl::StatusCode::kResourceExhausted, reason::kOverloaded},
      {NoAnswer::kBreaker, absl::StatusCode::kUnavailable, reason::kUpstreamUnavailable},
  };
  for (const auto& row : kRows) {
    const absl::Status error = ToError(row.why, std::chrono::seconds(3));
    EXPECT_THAT(error, FailsWith(row.code, row.reason));
    EXPECT_EQ(Metadata(error, "retry"), "SAFE_SAME_KEY") << error;
    EXPECT_TRUE(error.GetPayload(std::string(kRetryInfoUrl)).has_value()) << error;
    EXPECT_FALSE(ToError(row.why).GetPayload(std::string(kRetryInfoUrl)).has_value()) << error;
  }
}

}  // namespace
}  // namespace tollbridge::domain
