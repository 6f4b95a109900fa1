// Steps of which nothing can be read back (docs/design/operations.md#evidence), and checks that
// depend on the date (docs/design/operations.md#rule-7).

#include <chrono>
#include <string>

#include <boost/asio/co_spawn.hpp>

#include "tests/support/fails_with.h"
#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

using test::FakePaymentService;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class UnreadableStepTest : public EngineTest {
 protected:
  UnreadableStepTest() {
    kind_.look = nullptr;
    kind_.by_search = false;
    kind_.late_effect_is_orphan = false;
    kind_.service_guards_repeat = true;
    kind_.spends_setup_token = true;
  }

  Reply CallAnswered(ports::Answer answer) {
    service_.AnswerNext(std::move(answer));
    return Call("key");
  }

  void ExpectMayRunAgain(const Reply& reply) {
    EXPECT_THAT(reply.status,
                FailsWith(StatusCode::kUnavailable, domain::reason::kUpstreamUnavailable));
    EXPECT_EQ(Metadata(reply.status, "retry"), "SAFE_SAME_KEY");
    EXPECT_EQ(Metadata(reply.status, "operation_id"),
              OperationId(TestProject().id, "key").ToString());
    EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
  }

  void ExpectSpent(const Reply& reply) {
    EXPECT_THAT(reply.status,
                FailsWith(StatusCode::kFailedPrecondition, domain::reason::kSetupTokenSpent));
    EXPECT_EQ(Metadata(reply.status, "retry"), "AFTER_CHANGE");
  }
};

TEST_F(UnreadableStepTest, NoDefiniteAnswerIsNotExecutedAtOnce) {
  ExpectMayRunAgain(CallAnswered(FakePaymentService::NoAnswer("connection reset")));
  EXPECT_THAT(store_.calls, ElementsAre("claim", "finish"));
  EXPECT_FALSE(store_.finishes[0].by_absence) << "there is nothing to look at again";
  EXPECT_THAT(looks_, IsEmpty());
}

TEST_F(UnreadableStepTest, SoIsAnAnswerThatLacksWhatItMustHold) {
  ExpectMayRunAgain(CallAnswered(FakePaymentService::Answered(common::v1::Order())));
}

TEST_F(UnreadableStepTest, TheSameKeyRunsAgainAtOnce) {
  CallAnswered(FakePaymentService::NoAnswer("connection reset"));
  const Reply second = Call("key");
  ASSERT_TRUE(second.status.ok()) << second.status;
  EXPECT_TRUE(Response(second).has_order());
  EXPECT_EQ(Record("key").attempt(), 2U);
}

TEST_F(UnreadableStepTest, ARefusalOfTheFirstAttemptIsToldAsItIs) {
  const Reply reply = CallAnswered(FakePaymentService::Refused(422, "ValidationError"));
  EXPECT_EQ(domain::ReasonOf(reply.status), domain::reason::kUpstreamRefused);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
}

TEST_F(UnreadableStepTest, ARefusalOfALaterAttemptMeansThatTheTokenIsSpentForGood) {
  CallAnswered(FakePaymentService::NoAnswer("connection reset"));
  ExpectSpent(CallAnswered(FakePaymentService::Refused(422, "ValidationError")));
  const std::size_t sent = service_.created().size();
  const Reply replay = Call("key");
  ExpectSpent(replay);
  EXPECT_TRUE(replay.replay);
  EXPECT_EQ(service_.created().size(), sent);
}

TEST_F(UnreadableStepTest, WhatIsRefusedBeforeTheRequestIsLookedAtSpendsNoToken) {
  CallAnswered(FakePaymentService::NoAnswer("connection reset"));
  const Reply limited = CallAnswered(FakePaymentService::Refused(429, "TooManyRequests"));
  EXPECT_EQ(domain::ReasonOf(limited.status), domain::reason::kUpstreamRateLimited);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(UnreadableStepTest, WithoutATokenALaterRefusalStands) {
  kind_.spends_setup_token = false;
  CallAnswered(FakePaymentService::NoAnswer("connection reset"));
  const Reply reply = CallAnswered(FakePaymentService::Refused(422, "ValidationError"));
  EXPECT_EQ(domain::ReasonOf(reply.status), domain::reason::kUpstreamRefused);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
}

TEST_F(UnreadableStepTest, WhatADeadOwnerHasSentIsClosedByTheResolver) {
  service_.Hold();
  Engine dying(other_process_.get_executor(),
               Engine::Ports{service_, store_, clock_, rng_, metrics_, memory_}, settings_, plans_,
               Keys());
  boost::asio::co_spawn(other_process_, dying.Run(MakePlan(Request("key", 500)), CallContext()),
                        [](std::exception_ptr, Reply) {});
  ASSERT_TRUE(test::RunUntil(other_process_, [&] { return service_.created().size() == 1; }));
  clock_.Advance(settings_.lease);
  Resolve();
  clock_.Advance(settings_.look_backoff.front());
  Resolve();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_THAT(looks_, IsEmpty());
}

TEST_F(UnreadableStepTest, ADoubtfulStoreLeavesItToTheGuardOfTheService) {
  const Reply first = Call("key");
  ASSERT_TRUE(first.status.ok());
  memory_.LoseMemory();
  service_.AnswerNext(FakePaymentService::Refused(422, "ValidationError"));
  ExpectSpent(Call("key"));
}

TEST_F(UnreadableStepTest, WithoutAGuardItWaitsUntilNobodyDoubtsTheStore) {
  kind_.service_guards_repeat = false;
  kind_.spends_setup_token = false;
  Call("key");
  memory_.LoseMemory();
  const Reply reply = Call("key");
  EXPECT_EQ(domain::ReasonOf(reply.status), domain::reason::kStoreDoubtful);
  EXPECT_TRUE(HasRetryInfo(reply.status));
  EXPECT_EQ(service_.created().size(), 1U);
}

class DateCheckTest : public EngineTest {
 protected:
  Plan Until(const std::string& key, WallTime end) {
    Plan plan = MakePlan(Request(key, 500));
    plan.check_before_sending = [end](WallTime now) {
      return now < end ? absl::OkStatus()
                       : domain::InvalidRequest({{"expiry", "must not be past"}});
    };
    return plan;
  }
  WallTime Tomorrow() const { return clock_.WallNow() + std::chrono::hours(24); }
};

TEST_F(DateCheckTest, CostsNoStoreCall) {
  const Reply reply = Run(Until("key", Tomorrow()));
  ASSERT_TRUE(reply.status.ok()) << reply.status;
  EXPECT_THAT(store_.calls, ElementsAre("claim", "finish"));
}

TEST_F(DateCheckTest, WhatIsPastIsRefusedAndNotSent) {
  const Reply reply = Run(Until("key", clock_.WallNow()));
  EXPECT_THAT(reply.status,
              FailsWith(StatusCode::kInvalidArgument, domain::reason::kInvalidRequest));
  EXPECT_TRUE(reply.status.GetPayload(std::string(domain::kBadRequestUrl)).has_value());
  EXPECT_THAT(service_.created(), IsEmpty());
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(DateCheckTest, TheKeyMayRunOnceTheDateAllowsIt) {
  Run(Until("key", clock_.WallNow()));
  const Reply reply = Run(Until("key", Tomorrow()));
  ASSERT_TRUE(reply.status.ok()) << reply.status;
  EXPECT_TRUE(Response(reply).has_order());
}

TEST_F(DateCheckTest, AStoredOutcomeIsAnsweredAfterTheDate) {
  const WallTime end = Tomorrow();
  const Reply first = Run(Until("key", end));
  clock_.Advance(std::chrono::hours(25));
  const Reply replay = Run(Until("key", end));
  EXPECT_TRUE(replay.replay);
  EXPECT_EQ(replay.response, first.response);
}

TEST_F(DateCheckTest, WhatADoubtfulStoreForgotIsFoundAlthoughTheDateHasPassed) {
  const WallTime end = Tomorrow();
  const Reply first = Run(Until("key", end));
  memory_.LoseMemory();
  Show(Response(first).order());
  clock_.Advance(std::chrono::hours(25));
  const Reply found = Run(Until("key", end));
  ASSERT_TRUE(found.status.ok()) << found.status;
  EXPECT_EQ(Response(found).knowledge(), v1::KNOWLEDGE_RECOVERED);
  EXPECT_EQ(service_.created().size(), 1U);
}

}  // namespace
}  // namespace tollbridge::operations
