#include "sandbox/faults/fault_injector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/client.h"
#include "base/http/server.h"
#include "tests/support/async_test.h"

namespace tollbridge::sandbox {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::array<std::string_view, 2> kOperations = {"create_order", "get_order"};
constexpr std::string_view kBody = R"({"id":"an answer of the service"})";
constexpr std::string_view kOrder = "11111111-1111-4111-8111-111111111111";

http::Response Plain() {
  http::Response response;
  response.headers.Set("Content-Type", "application/json");
  response.body = kBody;
  return response;
}

/// A streamed body in pieces.
class Pieces {
 public:
  explicit Pieces(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  Async<std::string> Next() { co_return next_ < pieces_.size() ? pieces_[next_++] : std::string(); }

 private:
  std::vector<std::string> pieces_;
  std::size_t next_ = 0;
};

asio::awaitable<std::string> Collect(http::BodyProducer producer) {
  std::string body;
  for (;;) {
    absl::StatusOr<std::string> piece = co_await producer();
    if (!piece.ok() || piece->empty()) break;
    body += *piece;
  }
  co_return body;
}

bool IsJson(const std::string& text) {
  boost::system::error_code problem;
  json::parse(text, problem);
  return !problem;
}

class FaultInjectorTest : public testing::Test {
 protected:
  void Plan(std::string_view text) {
    const auto set = faults_.SetPlan(json::parse(text).as_object(), kOperations);
    ASSERT_TRUE(set.ok()) << set.error().value;
  }

  /// A plan with one rule for every call.
  void PlanFault(const std::string& fault) { Plan(R"({"rules": [{"fault": )" + fault + "}]}"); }

  http::Response Ask(std::string_view operation = "get_order", FaultSubject subject = {}) {
    return test::Await(context_,
                       faults_.Around(operation, std::move(subject), [this](Millis read_lag) {
                         ++effects_;
                         read_lag_ = read_lag;
                         http::Response response = Plain();
                         if (!streamed_.empty()) {
                           auto pieces = std::make_shared<Pieces>(streamed_);
                           response.body.clear();
                           response.body_producer = [pieces] { return pieces->Next(); };
                         }
                         return response;
                       }));
  }

  /// Which of `calls` calls were answered with a fault's status 418.
  std::vector<int> Hit(int calls, std::string_view operation = "get_order",
                       const FaultSubject& subject = {}) {
    std::vector<int> hit;
    for (int i = 1; i <= calls; ++i) {
      if (Ask(operation, subject).status == 418) hit.push_back(i);
    }
    return hit;
  }

  void PlanOn(const std::string& on) {
    Plan(R"({"rules": [{"on": )" + on + R"(, "fault": {"kind": "status", "status": 418}}]})");
  }

  void Advance(Millis by) {
    const Time until = simulation_.clock.Now() + by;
    while (simulation_.timeline.StepTowards(until)) {
    }
  }

  asio::io_context context_{1};
  Simulation simulation_{Settings{}, 7, ParseTime("2026-11-21T08:00:00Z")};
  FaultInjector faults_{&simulation_, context_.get_executor()};
  int effects_ = 0;
  Millis read_lag_{-1};
  std::vector<std::string> streamed_;
};

TEST_F(FaultInjectorTest, WithoutAPlanCallsPassUntouched) {
  EXPECT_TRUE(faults_.empty());
  EXPECT_EQ(Ask().body, kBody);
  EXPECT_EQ(effects_, 1);
  EXPECT_EQ(read_lag_, Millis{0});
}

TEST_F(FaultInjectorTest, EmptyPlanEndsFaults) {
  PlanOn("{}");
  EXPECT_FALSE(faults_.empty());
  EXPECT_THAT(Hit(1), ElementsAre(1));
  Plan("{}");
  EXPECT_TRUE(faults_.empty());
  EXPECT_THAT(Hit(1), IsEmpty());
}

TEST_F(FaultInjectorTest, RefusedPlanChangesNothing) {
  PlanOn("{}");
  EXPECT_FALSE(faults_.SetPlan(json::parse(R"({"rules": 1})").as_object(), kOperations).ok());
  EXPECT_THAT(Hit(1), ElementsAre(1));
}

TEST_F(FaultInjectorTest, MatchesOperations) {
  PlanOn(R"({"operation": "create_order"})");
  EXPECT_THAT(Hit(1, "get_order"), IsEmpty());
  EXPECT_THAT(Hit(1, "create_order"), ElementsAre(1));
  PlanOn(R"({"operation": ["create_order", "get_order"]})");
  EXPECT_THAT(Hit(1, "get_order"), ElementsAre(1));
}

TEST_F(FaultInjectorTest, MatchesTheOrderInEitherCase) {
  PlanOn(R"({"order": "AAAAAAAA-1111-4111-8111-111111111111"})");
  EXPECT_THAT(Hit(1, "get_order", {.order = std::string(kOrder)}), IsEmpty());
  EXPECT_THAT(Hit(1, "get_order", {.order = "aaaaaaaa-1111-4111-8111-111111111111"}),
              ElementsAre(1));
  EXPECT_THAT(Hit(1, "get_order", {.order = "AAAAAAAA-1111-4111-8111-111111111111"}),
              ElementsAre(1));
}

TEST_F(FaultInjectorTest, MatchesTheMerchantsReference) {
  PlanOn(R"({"merchant_order_id": "m-1"})");
  EXPECT_THAT(Hit(1), IsEmpty());
  EXPECT_THAT(Hit(1, "create_order", {.merchant_order_id = "m-2"}), IsEmpty());
  EXPECT_THAT(Hit(1, "create_order", {.merchant_order_id = "m-1"}), ElementsAre(1));
}

TEST_F(FaultInjectorTest, NthCountsOnlyCallsThatMatchTheRest) {
  PlanOn(R"({"operation": "get_order", "nth": 2})");
  EXPECT_THAT(Hit(5, "create_order"), IsEmpty());
  EXPECT_THAT(Hit(4, "get_order"), ElementsAre(2));
}

TEST_F(FaultInjectorTest, FromAndToAreBothIncluded) {
  PlanOn(R"({"from": 2, "to": 4})");
  EXPECT_THAT(Hit(6), ElementsAre(2, 3, 4));
  PlanOn(R"({"from": 5})");
  EXPECT_THAT(Hit(7), ElementsAre(5, 6, 7));
}

TEST_F(FaultInjectorTest, TimesBoundsHowOften) {
  PlanOn(R"({"from": 2, "times": 2})");
  EXPECT_THAT(Hit(6), ElementsAre(2, 3));
}

TEST_F(FaultInjectorTest, ProbabilityIsRepeatableByThePlansSeed) {
  const auto run = [this](const std::string& seed) {
    Plan(R"({)" + seed + R"("rules": [{"on": {"probability": 0.3},
                                       "fault": {"kind": "status", "status": 418}}]})");
    return Hit(200);
  };
  const std::vector<int> first = run(R"("seed": 1, )");
  EXPECT_GT(first.size(), 30u);
  EXPECT_LT(first.size(), 90u);
  EXPECT_EQ(run(R"("seed": 1, )"), first);
  EXPECT_NE(run(R"("seed": 2, )"), first);
  EXPECT_EQ(run(""), run(R"("seed": 7, )")) << "else the sandbox's own seed";
}

TEST_F(FaultInjectorTest, ProbabilityDoesNotShiftTheIds) {
  Random untouched(7);
  PlanOn(R"({"probability": 0.5})");
  Hit(10);
  EXPECT_EQ(simulation_.ids.NewUuid(), untouched.NewUuid());
}

TEST_F(FaultInjectorTest, ProbabilityZeroAndOneAreCertain) {
  PlanOn(R"({"probability": 0})");
  EXPECT_THAT(Hit(50), IsEmpty());
  PlanOn(R"({"probability": 1})");
  EXPECT_EQ(Hit(50).size(), 50u);
}

TEST_F(FaultInjectorTest, FirstRuleThatMatchesWinsAndTheOtherKeepsItsTimes) {
  Plan(R"({"rules": [{"on": {"nth": 1}, "fault": {"kind": "status", "status": 418}},
                     {"on": {"times": 1}, "fault": {"kind": "status", "status": 503}}]})");
  EXPECT_EQ(Ask().status, 418);
  EXPECT_EQ(Ask().status, 503);
  EXPECT_EQ(Ask().status, 200);
}

TEST_F(FaultInjectorTest, TellsThePlanAndWhatItHit) {
  Plan(R"({"rules": [{"name": "second", "on": {"nth": 2}, "fault": {"kind": "garble"}},
                     {"on": {"operation": "create_order"}, "fault": {"kind": "garble"}}]})");
  Hit(3);
  const json::object shown = faults_.ToJson();
  EXPECT_EQ(shown.at("plan").at("rules").at(0).at("name"), "second");
  EXPECT_EQ(shown.at("hits"),
            json::parse(R"([{"rule": 0, "name": "second", "matched": 3, "hits": 1},
                                              {"rule": 1, "matched": 0, "hits": 0}])"));
  faults_.Restart();
  EXPECT_EQ(faults_.ToJson().at("hits").at(0).at("matched"), 0);
  EXPECT_EQ(faults_.ToJson().at("plan"), shown.at("plan"));
}

TEST_F(FaultInjectorTest, LatenciesAddUpAndTheEffectComesAtOnce) {
  Plan(R"({"rules": [{"fault": {"kind": "latency", "milliseconds": 20}},
                     {"fault": {"kind": "latency", "milliseconds": 15}}]})");
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(Ask().body, kBody);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(35));
  EXPECT_EQ(effects_, 1);
}

TEST_F(FaultInjectorTest, LatencyComesOnTopOfAnotherFault) {
  Plan(R"({"rules": [{"fault": {"kind": "latency", "milliseconds": 15}},
                     {"fault": {"kind": "drop_before"}}]})");
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(Ask().reset_after_bytes, 0u);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(15));
}

TEST_F(FaultInjectorTest, StatusAnswersWithTheErrorObjectAndNoEffect) {
  PlanFault(R"({"kind": "status", "status": 422})");
  const http::Response response = Ask();
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.headers.Find("Content-Type"), "application/json");
  const json::value error = json::parse(response.body).at("error");
  EXPECT_EQ(error.at("status"), 422);
  EXPECT_EQ(error.at("type"), "ValidationError");
  EXPECT_EQ(effects_, 0);
  PlanFault(R"({"kind": "status", "status": 409, "type": "TransactionAlreadyStarted"})");
  EXPECT_EQ(json::parse(Ask().body).at("error").at("type"), "TransactionAlreadyStarted");
}

TEST_F(FaultInjectorTest, StatusCanCarryAnyBodyOrNone) {
  PlanFault(R"({"kind": "status", "status": 500, "body": {"unexpected": null}})");
  EXPECT_EQ(Ask().body, R"({"unexpected":null})");
  PlanFault(R"({"kind": "status", "status": 302})");
  EXPECT_EQ(Ask().status, 302);
  EXPECT_EQ(Ask().body, "");
}

TEST_F(FaultInjectorTest, DropBeforeHasNoEffectAndDropAfterHasIt) {
  PlanFault(R"({"kind": "drop_before"})");
  EXPECT_EQ(Ask().reset_after_bytes, 0u);
  EXPECT_EQ(effects_, 0);
  PlanFault(R"({"kind": "drop_after"})");
  EXPECT_EQ(Ask().reset_after_bytes, 0u);
  EXPECT_EQ(effects_, 1);
}

TEST_F(FaultInjectorTest, ResetKeepsTheAnswerAndCutsTheConnection) {
  PlanFault(R"({"kind": "reset", "after_bytes": 25})");
  const http::Response response = Ask();
  EXPECT_EQ(response.reset_after_bytes, 25u);
  EXPECT_EQ(response.body, kBody);
  EXPECT_EQ(effects_, 1);
}

TEST_F(FaultInjectorTest, GarbledBodyIsAsLongAndNoJson) {
  PlanFault(R"({"kind": "garble"})");
  const http::Response response = Ask();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body.size(), kBody.size());
  EXPECT_FALSE(IsJson(response.body));
  EXPECT_EQ(effects_, 1);
}

TEST_F(FaultInjectorTest, GarbledStreamIsNoJsonFromItsFirstByte) {
  streamed_ = {"{\"a\"", ":[1,2,3", ",4,5,6]}"};
  PlanFault(R"({"kind": "garble"})");
  const std::string body = test::Await(context_, Collect(Ask().body_producer));
  EXPECT_EQ(body.size(), 19u);
  EXPECT_FALSE(IsJson(body));
  EXPECT_EQ(static_cast<unsigned char>(body[0]), 0xFBu);
  EXPECT_EQ(static_cast<unsigned char>(body[7]), 0x80u | ',') << "counted across pieces";
}

TEST_F(FaultInjectorTest, TruncatedAnswerIsWholeWithAShorterBody) {
  PlanFault(R"({"kind": "truncate", "after_bytes": 10})");
  EXPECT_EQ(Ask().body, kBody.substr(0, 10));
  EXPECT_EQ(effects_, 1);
  PlanFault(R"({"kind": "truncate", "after_bytes": 1000})");
  EXPECT_EQ(Ask().body, kBody);
}

TEST_F(FaultInjectorTest, TruncatedStreamBecomesAPlainAnswer) {
  streamed_ = {"abc", "def", "ghi"};
  PlanFault(R"({"kind": "truncate", "after_bytes": 4})");
  const http::Response response = Ask();
  EXPECT_FALSE(response.body_producer);
  EXPECT_EQ(response.body, "abcd");
}

TEST_F(FaultInjectorTest, SlowBodyTakesItsTimeAndIsWhole) {
  PlanFault(R"({"kind": "slow_body", "bytes_per_second": 1000})");
  const http::Response response = Ask();
  EXPECT_EQ(response.body, "");
  ASSERT_TRUE(response.body_producer);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(test::Await(context_, Collect(response.body_producer)), kBody);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(kBody.size()));
  EXPECT_EQ(effects_, 1);
}

TEST_F(FaultInjectorTest, SlowStreamIsWhole) {
  streamed_ = {std::string(150, 'a'), "b", std::string(120, 'c')};
  PlanFault(R"({"kind": "slow_body", "bytes_per_second": 100000})");
  const http::Response response = Ask();
  EXPECT_EQ(test::Await(context_, Collect(response.body_producer)),
            streamed_[0] + streamed_[1] + streamed_[2]);
}

TEST_F(FaultInjectorTest, TooManyRequestsWithAndWithoutRetryAfter) {
  PlanFault(R"({"kind": "too_many_requests"})");
  const http::Response without = Ask();
  EXPECT_EQ(without.status, 429);
  EXPECT_FALSE(without.headers.Contains("Retry-After"));
  EXPECT_EQ(json::parse(without.body).at("error").at("status"), 429);
  PlanFault(R"({"kind": "too_many_requests", "retry_after_seconds": 3})");
  EXPECT_EQ(Ask().headers.Find("Retry-After"), "3");
  EXPECT_EQ(effects_, 0);
}

TEST_F(FaultInjectorTest, StatusAfterHasTheEffectAndAnswersAnError) {
  PlanFault(R"({"kind": "status_after", "status": 503})");
  const http::Response response = Ask();
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(json::parse(response.body).at("error").at("type"), "ServerError");
  EXPECT_EQ(effects_, 1);
}

TEST_F(FaultInjectorTest, HtmlIsAProxysPageWithoutEffect) {
  PlanFault(R"({"kind": "html"})");
  const http::Response response = Ask();
  EXPECT_EQ(response.status, 502);
  EXPECT_EQ(response.headers.Find("Content-Type"), "text/html; charset=utf-8");
  EXPECT_THAT(response.body, HasSubstr("<h1>502 Bad Gateway</h1>"));
  EXPECT_EQ(effects_, 0);
}

TEST_F(FaultInjectorTest, DelayedExecutionDropsNowAndTakesEffectOnTheClock) {
  PlanFault(R"({"kind": "delayed_execution", "seconds": 30})");
  EXPECT_EQ(Ask().reset_after_bytes, 0u);
  EXPECT_EQ(effects_, 0);
  Advance(Millis{29'999});
  EXPECT_EQ(effects_, 0);
  Advance(Millis{1});
  EXPECT_EQ(effects_, 1);
  Advance(Millis{60'000});
  EXPECT_EQ(effects_, 1);
}

TEST_F(FaultInjectorTest, DelayedExecutionsAreBoundedAndTheBoundFreesItself) {
  PlanFault(R"({"kind": "delayed_execution", "seconds": 1})");
  for (int i = 0; i < 1'010; ++i) Ask();
  Advance(Millis{1'000});
  EXPECT_EQ(effects_, 1'000);
  Ask();
  Advance(Millis{1'000});
  EXPECT_EQ(effects_, 1'001);
}

TEST_F(FaultInjectorTest, ReadLagsAddUpAndTheLongestIsKnown) {
  Plan(R"({"rules": [{"fault": {"kind": "read_lag", "seconds": 2}},
                     {"on": {"nth": 1}, "fault": {"kind": "read_lag", "seconds": 3}}]})");
  EXPECT_EQ(faults_.longest_read_lag(), Millis{5'000});
  Ask();
  EXPECT_EQ(read_lag_, Millis{5'000});
  Ask();
  EXPECT_EQ(read_lag_, Millis{2'000});
  Plan("{}");
  EXPECT_EQ(faults_.longest_read_lag(), Millis{0});
}

TEST_F(FaultInjectorTest, RuleWithoutOperationIsAboutCallsOrWebhooksByItsFault) {
  Order order;
  order.id = *Uuid::Parse(kOrder);
  PlanFault(R"({"kind": "status", "status": 418})");
  EXPECT_FALSE(faults_.OnWebhook(order));
  PlanFault(R"({"kind": "delay", "seconds": 4})");
  EXPECT_THAT(Hit(1), IsEmpty());
  const std::optional<Fault> fault = faults_.OnWebhook(order);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kDelay);
  EXPECT_EQ(fault->time, Millis{4'000});
}

TEST_F(FaultInjectorTest, WebhooksMatchByOrderAndReference) {
  Order order;
  order.id = *Uuid::Parse(kOrder);
  order.merchant_order_id = "m-1";
  Plan(R"({"rules": [{"on": {"operation": "webhook", "merchant_order_id": "m-1", "nth": 2},
                      "fault": {"kind": "lose"}},
                     {"on": {"order": "22222222-2222-4222-8222-222222222222"},
                      "fault": {"kind": "reorder"}}]})");
  EXPECT_FALSE(faults_.OnWebhook(order));
  ASSERT_TRUE(faults_.OnWebhook(order));
  EXPECT_FALSE(faults_.OnWebhook(order));
}

/// The same over a socket: what the peer makes of it.
class FaultOnTheWireTest : public FaultInjectorTest {
 protected:
  FaultOnTheWireTest()
      : server_(*http::Server::Start(
            {context_.get_executor()}, {},
            [this](const http::Request&, const http::ConnectionInfo&) { return Serve(); })) {
    http::ClientOptions options;
    options.base_url = *http::ParseUrl("http://" + server_->address());
    client_ = std::make_unique<http::Client>(context_.get_executor(), options);
  }

  asio::awaitable<http::Response> Serve() {
    return faults_.Around("get_order", {}, [this](Millis) {
      ++effects_;
      return Plain();
    });
  }

  http::SendResult Send() {
    return test::Await(
        context_, client_->Send({}, {.deadline = BootClock::now() + std::chrono::seconds(10)}));
  }

  std::unique_ptr<http::Server> server_;
  std::unique_ptr<http::Client> client_;
};

TEST_F(FaultOnTheWireTest, DropsLeaveThePeerWithoutAnAnswer) {
  PlanFault(R"({"kind": "drop_after"})");
  EXPECT_EQ(Send().fate, http::Fate::kUnknown);
  EXPECT_EQ(effects_, 1);
  PlanFault(R"({"kind": "drop_before"})");
  EXPECT_EQ(Send().fate, http::Fate::kUnknown);
  EXPECT_EQ(effects_, 1);
  Plan("{}");
  EXPECT_EQ(Send().response.body, kBody);
}

TEST_F(FaultOnTheWireTest, ResetInTheMiddleIsNoAnswer) {
  PlanFault(R"({"kind": "reset", "after_bytes": 40})");
  EXPECT_EQ(Send().fate, http::Fate::kUnknown);
  EXPECT_EQ(effects_, 1);
}

TEST_F(FaultOnTheWireTest, TruncatedAndSlowAnswersAreWellFormed) {
  PlanFault(R"({"kind": "truncate", "after_bytes": 10})");
  const http::SendResult cut = Send();
  EXPECT_EQ(cut.fate, http::Fate::kAnswered);
  EXPECT_EQ(cut.response.headers.Find("Content-Length"), "10");
  EXPECT_EQ(cut.response.body, kBody.substr(0, 10));
  PlanFault(R"({"kind": "slow_body", "bytes_per_second": 2000})");
  EXPECT_EQ(Send().response.body, kBody);
}

}  // namespace
}  // namespace tollbridge::sandbox
