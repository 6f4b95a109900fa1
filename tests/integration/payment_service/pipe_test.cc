// The links of the outbound pipe against a service that fails in earnest.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "services/domain/errors.h"
#include "tests/integration/payment_service/pipe.h"

namespace tollbridge::test {
namespace {

using Fate = ports::Answer::Fate;
using std::chrono::seconds;

TEST_F(PipeTest, AnEffectWhoseAnswerIsLostIsUnknownAndNotSentAgain) {
  for (const std::string kind : {"drop_after", "garble"}) {
    Faults(R"({"rules": [{"on": {"operation": "create_order", "nth": 1},
                          "fault": {"kind": ")" +
           kind + R"("}}]})");
    EXPECT_EQ(Create("lost-" + kind).fate, Fate::kUnknown) << kind;
    common::v1::OrderSearch search;
    search.set_query("merchant_order_id:\"lost-" + kind + "\"");
    const ports::Context context = Context();
    const auto found = Await(client_->SearchOrders(project_, search, context));
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->hits(), 1) << kind;
  }
}

TEST_F(PipeTest, AReadEndsAtItsCallersDeadlineAlsoWhereAnAttemptMayTakeLonger) {
  const std::string id = MakeOrder("A-1").id();
  Faults(R"({"rules": [{"on": {"operation": "get_order"},
                        "fault": {"kind": "latency", "milliseconds": 600000}}]})");
  const ports::Context context{.deadline = BootClock::now() + std::chrono::milliseconds(200),
                               .trace = {}};
  // Await fails the test when it does not end long before the service answers.
  const auto read = Await(client_->GetOrder(project_, id, context));
  EXPECT_FALSE(read.ok());
  EXPECT_GE(BootClock::now(), context.deadline);
}

TEST_F(PipeTest, ADeadServiceIsNotSentTo) {
  sandbox_.process().Kill();
  sandbox_.process().WaitForExit();
  const ports::Answer answer = Create("A-1");
  EXPECT_EQ(answer.fate, Fate::kNotSent);
  EXPECT_EQ(opened_, 1) << "three refused connections in a row";
  const ports::Answer next = Create("A-1");
  EXPECT_EQ(next.cause, "breaker open");
  EXPECT_EQ(next.retry_after, kBreakerOpen);
}

TEST_F(PipeTest, TheBreakerSparesAFailingServiceUntilAProbeIsAnswered) {
  const std::string id = MakeOrder("A-1").id();
  Faults(R"({"rules": [{"on": {"operation": "get_order"},
                        "fault": {"kind": "status", "status": 503}}]})");
  for (int i = 0; i < kBreakerFailures; ++i) EXPECT_FALSE(Read(id).ok());
  EXPECT_EQ(opened_, 1);
  Faults("{}");
  EXPECT_EQ(domain::ReasonOf(Read(id).status()), domain::reason::kUpstreamUnavailable);
  EXPECT_EQ(Create("A-2").fate, Fate::kNotSent);
  slow_clock_.Advance(kBreakerOpen);
  EXPECT_TRUE(Read(id).ok());
  EXPECT_EQ(closed_, 1);
  EXPECT_EQ(Create("A-2").fate, Fate::kAnswered);
}

TEST_F(PipeTest, ARateLimitHoldsTheProjectBackForAsLongAsTheServiceAsked) {
  Faults(R"({"rules": [{"on": {"operation": "create_order", "nth": 1},
                        "fault": {"kind": "too_many_requests", "retry_after_seconds": 7}}]})");
  const ports::Answer limited = Create("A-1");
  EXPECT_EQ(limited.fate, Fate::kRefused);
  EXPECT_EQ(limited.refusal.retry_after, seconds(7));
  const ports::Answer held = Create("A-1");
  EXPECT_EQ(held.fate, Fate::kNotSent);
  EXPECT_EQ(held.retry_after, seconds(7));
  project_.name = "shop";
  EXPECT_EQ(Create("A-1").fate, Fate::kAnswered) << "another project is not limited";
  project_.name = "demo";
  slow_clock_.Advance(seconds(7));
  EXPECT_EQ(Create("A-1").fate, Fate::kAnswered);
}

}  // namespace
}  // namespace tollbridge::test
