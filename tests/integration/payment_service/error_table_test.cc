// What a caller is told, of every answer of the payment service and of every way not to get one:
// from (error type, HTTP status, transport outcome, effect) to (gRPC code, reason, retry), written
// out by hand from docs/architecture.md#errors, docs/design/operations.md#rule-3 and
// docs/interface.md#open-points, and compared with the code, row by row. A row that the code has
// and this file has not is a failure, and the other way round.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/payment_service/answers.h"
#include "google/rpc/error_details.pb.h"
#include "services/domain/errors.h"
#include "services/domain/refusal.h"
#include "services/operations/verdict.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::test {
namespace {

namespace ps = payment_service;
using absl::StatusCode;

/// What the caller of a read or a mutation gets.
struct Told {
  std::string code;  // "PENDING" when it is not known what became of a mutation.
  std::string reason;
  std::string retry;

  bool operator==(const Told&) const = default;
};

void PrintTo(const Told& told, std::ostream* out) {
  *out << told.code << " " << told.reason << " " << told.retry;
}

// The letters of the tables below.
const std::map<char, Told> kLetters = {
    {'I', {"INVALID_ARGUMENT", "UPSTREAM_REFUSED", "AFTER_CHANGE"}},
    {'S', {"FAILED_PRECONDITION", "UPSTREAM_REFUSED", "AFTER_CHANGE"}},
    {'T', {"FAILED_PRECONDITION", "UPSTREAM_REFUSED", "NEVER"}},
    {'N', {"NOT_FOUND", "ORDER_NOT_FOUND", "AFTER_CHANGE"}},
    {'C', {"INTERNAL", "UPSTREAM_CREDENTIALS", "SAFE_SAME_KEY"}},
    {'L', {"RESOURCE_EXHAUSTED", "UPSTREAM_RATE_LIMITED", "SAFE_SAME_KEY"}},
    {'U', {"UNAVAILABLE", "UPSTREAM_UNAVAILABLE", "SAFE_SAME_KEY"}},
    {'E', {"UNAVAILABLE", "UPSTREAM_UNREADABLE", "SAFE_SAME_KEY"}},
    {'P', {"PENDING", "", ""}},
};

// The columns: the error types of docs/interface.md#errors, one that it does not have, and no error
// object at all.
const std::vector<std::string> kTypes = {"ValidationError",
                                         "MissingInformationToCreateTransaction",
                                         "TransactionAlreadyStarted",
                                         "CanNotCancelTransaction",
                                         "RefundError",
                                         "FailedToFetchTransactionInformation",
                                         "ServerError",
                                         "SomethingNew",
                                         ""};

struct Line {
  int status;
  std::string_view read;
  std::string_view mutation;
};

constexpr Line kLines[] = {
    {400, "IITSSUUII", "IITSSPPIP"}, {401, "CCCCCCCCC", "CCCCCCCCC"},
    {403, "CCCCCCCCC", "CCCCCCCCC"}, {404, "IITSSUUNE", "IITSSPPNP"},
    {408, "UUUUUUUUU", "PPPPPPPPP"}, {409, "IITSSUUSS", "IITSSPPSP"},
    {422, "IITSSUUII", "IITSSPPIP"}, {429, "LLLLLLLLL", "LLLLLLLLL"},
    {500, "IITSSUUUU", "PPPPPPPPP"}, {502, "IITSSUUUU", "PPPPPPPPP"},
    {503, "IITSSUUUU", "PPPPPPPPP"}, {504, "IITSSUUUU", "PPPPPPPPP"},
};

Told ToldBy(const absl::Status& error) {
  Told told;
  told.code = absl::StatusCodeToString(error.code());
  told.reason = domain::ReasonOf(error);
  google::rpc::ErrorInfo info;
  const auto payload = error.GetPayload(std::string(domain::kErrorInfoUrl));
  if (payload.has_value() && info.ParseFromString(std::string(*payload))) {
    told.retry = info.metadata().at("retry");
  }
  return told;
}

Told ToldReader(const ps::ExchangeResult& result) {
  common::v1::Order order;
  return ToldBy(ps::ReadAnswer(result, &order));
}

Told ToldWriter(const ps::ExchangeResult& result,
                const operations::Circumstances& circumstances = {}) {
  const ports::Answer answer = ps::ReadMutation(result, std::make_shared<common::v1::Order>());
  const operations::Verdict verdict = operations::JudgeAnswer(answer, circumstances);
  if (verdict.state == operations::v1::OPERATION_STATE_UNKNOWN) return {.code = "PENDING"};
  // Nothing was done, or the service refused it for good: an error either way.
  const bool error = !verdict.error.ok();
  EXPECT_TRUE(error || verdict.state == operations::v1::OPERATION_STATE_DONE);
  return ToldBy(verdict.error);
}

ps::ExchangeResult Answered(int status, const std::string& body) {
  ps::ExchangeResult result;
  result.fate = http::Fate::kAnswered;
  result.response.status = status;
  result.response.body = body;
  return result;
}

ps::ExchangeResult Refused(int status, const std::string& type) {
  return Answered(status, type.empty() ? "<html>no error object</html>"
                                       : R"({"error":{"type":")" + type + "\"}}");
}

class RefusalTableTest : public testing::TestWithParam<Line> {};

TEST_P(RefusalTableTest, SaysWhatTheCallerIsTold) {
  const Line& line = GetParam();
  ASSERT_EQ(line.read.size(), kTypes.size());
  ASSERT_EQ(line.mutation.size(), kTypes.size());
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    SCOPED_TRACE(std::to_string(line.status) + " '" + kTypes[i] + "'");
    const ps::ExchangeResult result = Refused(line.status, kTypes[i]);
    EXPECT_EQ(ToldReader(result), kLetters.at(line.read[i]));
    EXPECT_EQ(ToldWriter(result), kLetters.at(line.mutation[i]));
  }
}

INSTANTIATE_TEST_SUITE_P(Statuses, RefusalTableTest, testing::ValuesIn(kLines),
                         [](const auto& info) { return std::to_string(info.param.status); });

TEST(RefusalTable, HasTheRowsOfTheCode) {
  std::set<std::pair<int, std::string>> here;
  for (const Line& line : kLines) {
    for (const std::string& type : kTypes) here.emplace(line.status, type);
  }
  std::set<std::pair<int, std::string>> code;
  for (const domain::Refusal& refusal : domain::KnownRefusals()) {
    code.emplace(refusal.http_status, refusal.type);
  }
  EXPECT_EQ(code, here);
}

TEST(RefusalTable, AnErrorObjectIsARefusalWithoutATypeToo) {
  for (const Line& line : kLines) {
    // As a type that the interface does not have.
    const char as_unknown_type = line.mutation[kTypes.size() - 2];
    const auto result = Answered(line.status, R"({"error":{"value":"Invalid amount"}})");
    EXPECT_EQ(ToldWriter(result), kLetters.at(as_unknown_type)) << line.status;
  }
  for (const char* body : {R"({"detail":"Not found"})", R"({"error":"text"})", "", "Not found"}) {
    for (const int status : {400, 404, 409, 422}) {
      EXPECT_EQ(ToldWriter(Answered(status, body)), kLetters.at('P')) << status << " " << body;
    }
    EXPECT_EQ(ToldWriter(Answered(403, body)), kLetters.at('C')) << body;
    EXPECT_EQ(ToldWriter(Answered(429, body)), kLetters.at('L')) << body;
  }
}

TEST(RefusalTable, KnowsNothingOfAnOrderThatWasMadeAMomentAgo) {
  const Told expected{"UNAVAILABLE", "UPSTREAM_UNAVAILABLE", "SAFE_SAME_KEY"};
  EXPECT_EQ(ToldWriter(Refused(404, "SomethingNew"), {.fresh_order = true}), expected);
  EXPECT_EQ(ToldWriter(Refused(404, ""), {.fresh_order = true}), kLetters.at('P'));
}

/// A way not to get a refusal, nor what was asked for.
struct Outcome {
  std::string name;
  ps::ExchangeResult result;
  Told read;
  Told mutation;
};

ps::ExchangeResult Ended(http::Fate fate, absl::Status why) {
  ps::ExchangeResult result;
  result.fate = fate;
  result.error = std::move(why);
  return result;
}

std::vector<Outcome> Outcomes() {
  const Told unavailable = kLetters.at('U');
  const Told late{"DEADLINE_EXCEEDED", "UPSTREAM_UNAVAILABLE", "SAFE_SAME_KEY"};
  const Told unreadable{"INTERNAL", "UPSTREAM_UNREADABLE", "SAFE_SAME_KEY"};
  const Told too_large{"INTERNAL", "UPSTREAM_UNREADABLE", "AFTER_CHANGE"};
  const Told not_sent{"UNAVAILABLE", "NOT_SENT", "SAFE_SAME_KEY"};
  const Told pending = kLetters.at('P');
  const Told limited = kLetters.at('L');
  const Told overloaded{"RESOURCE_EXHAUSTED", "OVERLOADED", "SAFE_SAME_KEY"};
  const Told elsewhere{"UNAVAILABLE", "UPSTREAM_UNREADABLE", "SAFE_SAME_KEY"};
  const auto wait = std::chrono::seconds(1);
  return {
      {"BreakerOpen", ps::HoldBack(ps::HeldBackBy::kBreaker, wait), unavailable, not_sent},
      {"RateLimited", ps::HoldBack(ps::HeldBackBy::kRateLimit, wait), limited, not_sent},
      {"TooManyUnderWay", ps::HoldBack(ps::HeldBackBy::kInFlight, wait), overloaded, not_sent},
      {"Unreachable", Ended(http::Fate::kNotSent, absl::UnavailableError("refused")), unavailable,
       not_sent},
      {"PoolWaitOver", Ended(http::Fate::kNotSent, absl::ResourceExhaustedError("pool")),
       unavailable, not_sent},
      {"SendWindowOver", Ended(http::Fate::kNotSent, absl::FailedPreconditionError("window")),
       unavailable, not_sent},
      {"LateBeforeAByteLeft", Ended(http::Fate::kNotSent, absl::DeadlineExceededError("late")),
       late, not_sent},
      {"Reset", Ended(http::Fate::kUnknown, absl::UnavailableError("reset")), unavailable, pending},
      {"Late", Ended(http::Fate::kUnknown, absl::DeadlineExceededError("late")), late, pending},
      {"CutOff", Ended(http::Fate::kUnknown, absl::DataLossError("cut off")), unavailable, pending},
      {"TooLong", Ended(http::Fate::kUnknown, absl::ResourceExhaustedError("too large")), too_large,
       pending},
      {"SuccessThatIsNoJson", Answered(200, "<html>"), unreadable, pending},
      {"SuccessWithAnErrorObject", Answered(200, R"({"error":{"type":"ValidationError"}})"),
       unreadable, pending},
      {"Redirect", Refused(302, ""), elsewhere, pending},
      {"RedirectWithAnErrorObject", Refused(302, "SomethingNew"), elsewhere, pending},
  };
}

class OutcomeTableTest : public testing::TestWithParam<Outcome> {};

TEST_P(OutcomeTableTest, SaysWhatTheCallerIsTold) {
  EXPECT_EQ(ToldReader(GetParam().result), GetParam().read);
  EXPECT_EQ(ToldWriter(GetParam().result), GetParam().mutation);
}

INSTANTIATE_TEST_SUITE_P(Rows, OutcomeTableTest, testing::ValuesIn(Outcomes()),
                         [](const auto& info) { return info.param.name; });

/// Without a default: a new enumerator does not compile before it has its rows above.
std::string NameOf(const ps::ExchangeResult& result) {
  if (result.held_back) {
    switch (result.held_back->by) {
      case ps::HeldBackBy::kBreaker:
        return "breaker";
      case ps::HeldBackBy::kRateLimit:
        return "rate limit";
      case ps::HeldBackBy::kInFlight:
        return "in flight";
    }
  }
  switch (result.fate) {
    case http::Fate::kNotSent:
      return "not sent";
    case http::Fate::kUnknown:
      return "unknown";
    case http::Fate::kAnswered:
      return "answered";
  }
  return "";
}

TEST(OutcomeTable, HasARowForEachWayThatAnExchangeCanEnd) {
  std::set<std::string> names;
  for (const Outcome& outcome : Outcomes()) names.insert(NameOf(outcome.result));
  EXPECT_THAT(names, testing::ElementsAre("answered", "breaker", "in flight", "not sent",
                                          "rate limit", "unknown"));
}

TEST(OutcomeTable, SuccessIsNoError) {
  const ps::ExchangeResult result = Answered(201, R"({"id":"o-1"})");
  EXPECT_EQ(ToldReader(result).code, "OK");
  EXPECT_EQ(ToldWriter(result).code, "OK");
}

}  // namespace
}  // namespace tollbridge::test
