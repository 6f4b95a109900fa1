#include "adapters/payment_service/answers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "services/domain/errors.h"
#include "tests/support/fails_with.h"
#include "tests/unit/adapters/payment_service/pipe_support.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::payment_service {
namespace {

using Fate = ports::Answer::Fate;

constexpr std::string_view kErrorObject =
    R"({"error": {"status": 422, "type": "ValidationError", "value": "amount is missing"}})";
constexpr std::string_view kHtml = "<html><body>Bad gateway</body></html>";

/// An order with more fields that nobody knows than the codec's report can name.
std::string OrderWithManyUnknownFields(std::string_view last) {
  std::string body = R"({"id": "o-1")";
  for (int i = 0; i < 40; ++i) body += ", \"unknown_" + std::to_string(i) + "\": 1";
  return body + std::string(last) + "}";
}

struct Row {
  std::string name;
  ExchangeResult result;
  Fate fate;
  /// Of Answer.refusal.
  int http_status = 0;
  /// Code and reason of the caller's error when the same comes for a read.
  absl::StatusCode read_code = absl::StatusCode::kOk;
  std::string_view read_reason = {};
};

std::vector<Row> Rows() {
  using absl::StatusCode;
  namespace reason = domain::reason;
  const std::string error(kErrorObject);
  const std::string html(kHtml);
  return {
      {"order", Answered(200, R"({"id": "o-1", "status": "new"})"), Fate::kAnswered},
      {"order that was created", Answered(201, R"({"id": "o-1"})"), Fate::kAnswered},
      {"order with what nobody knows", Answered(200, R"({"id": "o-1", "new_field": [1]})"),
       Fate::kAnswered},
      {"order with null for no error", Answered(200, R"({"id": "o-1", "error": null})"),
       Fate::kAnswered},
      {"order with much that nobody knows", Answered(200, OrderWithManyUnknownFields("")),
       Fate::kAnswered},
      {"error object under 200", Answered(200, error), Fate::kUnknown, 200, StatusCode::kInternal,
       reason::kUpstreamUnreadable},
      {"error object beside an order",
       Answered(200, R"({"id": "o-1", "error": {"type": "ServerError"}})"), Fate::kUnknown, 200,
       StatusCode::kInternal, reason::kUpstreamUnreadable},
      {"error object after much that nobody knows",
       Answered(200, OrderWithManyUnknownFields(R"(, "error": {"type": "ServerError"})")),
       Fate::kUnknown, 200, StatusCode::kInternal, reason::kUpstreamUnreadable},
      {"truncated order", Answered(200, R"({"id": "o-1", "sta)"), Fate::kUnknown, 200,
       StatusCode::kInternal, reason::kUpstreamUnreadable},
      {"HTML under 200", Answered(200, html), Fate::kUnknown, 200, StatusCode::kInternal,
       reason::kUpstreamUnreadable},
      {"array under 200", Answered(200, "[]"), Fate::kUnknown, 200, StatusCode::kInternal,
       reason::kUpstreamUnreadable},
      {"empty body under 200", Answered(200, ""), Fate::kUnknown, 200, StatusCode::kInternal,
       reason::kUpstreamUnreadable},
      {"empty body under 204", Answered(204, ""), Fate::kUnknown, 204, StatusCode::kInternal,
       reason::kUpstreamUnreadable},
      {"validation error", Answered(422, error), Fate::kRefused, 422, StatusCode::kInvalidArgument,
       reason::kUpstreamRefused},
      {"422 without an error object", Answered(422, "{}"), Fate::kUnknown, 422,
       StatusCode::kInvalidArgument, reason::kUpstreamRefused},
      {"400 in HTML", Answered(400, html), Fate::kUnknown, 400, StatusCode::kInvalidArgument,
       reason::kUpstreamRefused},
      {"409 without a body", Answered(409, ""), Fate::kUnknown, 409,
       StatusCode::kFailedPrecondition, reason::kUpstreamRefused},
      {"401 with an error object",
       Answered(401, R"({"error": {"type": "AuthenticationError", "value": ""}})"), Fate::kRefused,
       401, StatusCode::kInternal, reason::kUpstreamCredentials},
      {"429 without a body", Answered(429, ""), Fate::kRefused, 429, StatusCode::kResourceExhausted,
       reason::kUpstreamRateLimited},
      {"403 of a firewall", Answered(403, html), Fate::kRefused, 403, StatusCode::kInternal,
       reason::kUpstreamCredentials},
      {"error object without a type", Answered(400, R"({"error": {"value": "Invalid amount"}})"),
       Fate::kRefused, 400, StatusCode::kInvalidArgument, reason::kUpstreamRefused},
      {"500 with an error object", Answered(500, R"({"error": {"type": "ServerError"}})"),
       Fate::kRefused, 500, StatusCode::kUnavailable, reason::kUpstreamUnavailable},
      {"502 in HTML", Answered(502, html), Fate::kUnknown, 502, StatusCode::kUnavailable,
       reason::kUpstreamUnavailable},
      {"redirect", Answered(302, ""), Fate::kUnknown, 302, StatusCode::kUnavailable,
       reason::kUpstreamUnreadable},
      {"not sent", NotSent(), Fate::kNotSent, 0, StatusCode::kUnavailable,
       reason::kUpstreamUnavailable},
      {"reset", Unknown(), Fate::kUnknown, 0, StatusCode::kUnavailable,
       reason::kUpstreamUnavailable},
      {"too late", Unknown(absl::DeadlineExceededError("late")), Fate::kUnknown, 0,
       StatusCode::kDeadlineExceeded, reason::kUpstreamUnavailable},
  };
}

TEST(AnswersTest, MutationHasTheFateThatTheAnswerProves) {
  for (const Row& row : Rows()) {
    const ports::Answer answer = ReadMutation(row.result, std::make_shared<common::v1::Order>());
    EXPECT_EQ(answer.fate, row.fate) << row.name << ": " << answer.cause;
    EXPECT_EQ(answer.refusal.http_status, row.http_status) << row.name;
    EXPECT_EQ(answer.result != nullptr, row.fate == Fate::kAnswered) << row.name;
    EXPECT_EQ(answer.cause.empty(), row.fate == Fate::kAnswered) << row.name;
  }
}

TEST(AnswersTest, ReadMakesTheCallersError) {
  for (const Row& row : Rows()) {
    common::v1::Order order;
    const absl::Status status = ReadAnswer(row.result, &order);
    EXPECT_THAT(status, FailsWith(row.read_code, row.read_reason)) << row.name;
    if (status.ok()) EXPECT_EQ(order.id(), "o-1") << row.name;
  }
}

TEST(AnswersTest, MutationGivesTheOrder) {
  const ports::Answer answer =
      ReadMutation(Answered(201, R"({"id": "o-1", "amount": 1250, "currency": "EUR"})"),
                   std::make_shared<common::v1::Order>());
  ASSERT_EQ(answer.fate, Fate::kAnswered);
  const auto& order = dynamic_cast<const common::v1::Order&>(*answer.result);
  EXPECT_EQ(order.id(), "o-1");
  EXPECT_EQ(order.amount(), 1250);
}

TEST(AnswersTest, MutationGivesTheRefusal) {
  const ports::Answer answer =
      ReadMutation(Answered(422, std::string(kErrorObject)), std::make_shared<common::v1::Order>());
  EXPECT_EQ(answer.refusal.type, "ValidationError");
  EXPECT_EQ(answer.refusal.value, "amount is missing");
}

TEST(AnswersTest, CauseRepeatsNoForeignText) {
  for (const int status : {200, 404, 422, 500}) {
    const std::string body =
        R"({"error": {"type": "Type-from-outside", "value": "value-from-outside"}})";
    for (const std::string& sent : {body, std::string("<b>value-from-outside</b>")}) {
      const ports::Answer answer =
          ReadMutation(Answered(status, sent), std::make_shared<common::v1::Order>());
      EXPECT_EQ(answer.cause.find("outside"), std::string::npos) << answer.cause;
    }
  }
}

TEST(AnswersTest, CauseHasNoAddressAndWhatWasHeardIsForTheLog) {
  constexpr const char* kHeard = "connect to 192.0.2.7 port 443: Connection refused";
  for (const absl::Status& error :
       {absl::UnavailableError(kHeard), absl::DeadlineExceededError(kHeard),
        absl::DataLossError(kHeard), absl::InternalError(kHeard), absl::CancelledError(kHeard)}) {
    for (ExchangeResult result : {NotSent(), Unknown(error)}) {
      result.error = error;
      const ports::Answer answer = ReadMutation(result, std::make_shared<common::v1::Order>());
      EXPECT_THAT(answer.cause, testing::Not(testing::HasSubstr("192.0.2.7")));
      EXPECT_THAT(answer.cause, testing::Not(testing::HasSubstr("refused")));
      EXPECT_EQ(answer.heard, kHeard);
    }
  }
}

TEST(AnswersTest, MutationThatWasHeldBackSaysWhenItMayBeTriedAgain) {
  for (const HeldBackBy by :
       {HeldBackBy::kBreaker, HeldBackBy::kRateLimit, HeldBackBy::kInFlight}) {
    const ports::Answer answer = ReadMutation(HoldBack(by, std::chrono::microseconds(1'500)),
                                              std::make_shared<common::v1::Order>());
    EXPECT_EQ(answer.fate, Fate::kNotSent);
    EXPECT_FALSE(answer.cause.empty());
    EXPECT_EQ(answer.retry_after, std::chrono::milliseconds(2)) << "rounded up";
  }
  const ports::Answer tried = ReadMutation(NotSent(), std::make_shared<common::v1::Order>());
  EXPECT_EQ(tried.retry_after, std::nullopt);
}

TEST(AnswersTest, ReadThatWasHeldBackSaysByWhat) {
  const struct {
    HeldBackBy by;
    absl::StatusCode code;
    std::string_view reason;
  } rows[] = {
      {HeldBackBy::kBreaker, absl::StatusCode::kUnavailable, domain::reason::kUpstreamUnavailable},
      {HeldBackBy::kRateLimit, absl::StatusCode::kResourceExhausted,
       domain::reason::kUpstreamRateLimited},
      {HeldBackBy::kInFlight, absl::StatusCode::kResourceExhausted, domain::reason::kOverloaded}};
  for (const auto& row : rows) {
    common::v1::Order order;
    const absl::Status error = ReadAnswer(HoldBack(row.by, std::chrono::seconds(3)), &order);
    EXPECT_THAT(error, FailsWith(row.code, row.reason));
    const std::string url(domain::kRetryInfoUrl);
    EXPECT_TRUE(error.GetPayload(url).has_value()) << "it says when to come again";
  }
}

}  // namespace
}  // namespace tollbridge::payment_service
