#include "services/operations/engine.h"

#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include "services/domain/deterministic.h"
#include "tests/support/fails_with.h"
#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

using test::FakePaymentService;
using ::testing::ElementsAre;

namespace asio = boost::asio;

TEST_F(EngineTest, ClaimsThenSendsThenRecordsInTwoStoreCalls) {
  std::size_t sent_at_claim = 99;
  store_.during_claim = [&] { sent_at_claim = service_.created().size(); };
  const Reply reply = Call("key");
  ASSERT_TRUE(reply.status.ok()) << reply.status;
  EXPECT_EQ(Response(reply).order().amount(), 500);
  EXPECT_FALSE(reply.replay);
  EXPECT_EQ(sent_at_claim, 0U);
  EXPECT_THAT(store_.calls, ElementsAre("claim", "finish"));
  EXPECT_EQ(service_.created().size(), 1U);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
}

TEST_F(EngineTest, LeavesTheOrderWithCaptureModeAndTraceForTheReader) {
  const Reply reply = Call("key");
  ASSERT_EQ(store_.finishes.size(), 1U);
  const std::optional<ports::OrderEntry>& order = store_.finishes[0].order;
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->key.project, "shop");
  EXPECT_EQ(order->key.root.ToString(), Response(reply).order().id());
  EXPECT_EQ(order->capture_mode, "manual");
  EXPECT_EQ(order->traceparent, CallContext().trace.ToTraceparent());
  EXPECT_EQ(store_.finishes[0].step.order_id, Response(reply).order().id());
  EXPECT_TRUE(store_.finishes[0].late_effect_is_orphan);
}

TEST_F(EngineTest, MeasuresTheSendWindowFromBeforeTheClaim) {
  const BootTime start = clock_.BootNow();
  store_.during_claim = [&] { clock_.Advance(ports::Millis(700)); };
  Call("key");
  ASSERT_EQ(service_.created().size(), 1U);
  EXPECT_EQ(service_.created()[0].guard.write_before, start + settings_.send_window);
  EXPECT_EQ(service_.created()[0].context.deadline,
            start + ports::Millis(700) + settings_.attempt_deadline);
}

TEST_F(EngineTest, MeasuresTheSendWindowByCivilTimeToo) {
  const WallTime start = clock_.WallNow();
  store_.during_claim = [&] { clock_.StepWall(std::chrono::minutes(5)); };
  Call("key");
  ASSERT_EQ(service_.created().size(), 1U);
  EXPECT_EQ(service_.created()[0].guard.write_before_civil, start + settings_.send_window);
}

TEST_F(EngineTest, MarksTheCallWithOperationEpochAndAttempt) {
  Call("key");
  ASSERT_EQ(service_.created().size(), 1U);
  EXPECT_THAT(service_.created()[0].request.description(),
              ::testing::MatchesRegex(OperationId(TestProject().id, "key").ToString() +
                                      "\\.[0-9a-f]{8}\\.1"));
}

TEST_F(EngineTest, SendsNothingWhenTheClaimFails) {
  store_.fail_claims = 1;
  const Reply reply = Call("key");
  EXPECT_THAT(reply.status, FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
  EXPECT_EQ(Metadata(reply.status, "retry"), "SAFE_SAME_KEY");
  EXPECT_TRUE(service_.created().empty());
}

TEST_F(EngineTest, ClaimsWithinTheCallersDeadline) {
  ports::Context call = CallContext();
  call.deadline = clock_.BootNow() + ports::Millis(50);
  test::Await(context_, engine_->Run(MakePlan(Request("key", 1)), call));
  ASSERT_EQ(store_.contexts.size(), 2U);
  EXPECT_EQ(store_.contexts[0].deadline, call.deadline);
  // The result is recorded whether or not the caller still waits.
  EXPECT_EQ(store_.contexts[1].deadline, clock_.BootNow() + settings_.store_timeout);
}

TEST_F(EngineTest, ReplaysTheOutcomeByteForByte) {
  common::v1::Order order = service_.MakeOrder(Request("key", 500));
  for (int i = 0; i < 20; ++i) {
    google::protobuf::Value value;
    value.set_number_value(i);
    (*order.mutable_extra()->mutable_fields())["field " + std::to_string(i)] = value;
  }
  service_.AnswerNext(FakePaymentService::Answered(order));
  const Reply first = Call("key");
  const Reply second = Call("key");
  EXPECT_TRUE(second.replay);
  EXPECT_EQ(second.response, first.response);
  EXPECT_EQ(service_.created().size(), 1U);
  // What the inbound pipe sends is the message parsed and serialized again.
  EXPECT_EQ(domain::SerializeDeterministically(Response(second)), first.response);
}

TEST_F(EngineTest, ReplaysARefusalWithItsDetails) {
  service_.AnswerNext(FakePaymentService::Refused(422, "ValidationError"));
  const Reply first = Call("key");
  const Reply second = Call("key");
  EXPECT_TRUE(second.replay);
  EXPECT_EQ(second.status, first.status);
  EXPECT_EQ(Metadata(second.status, "provider_type"), "ValidationError");
  EXPECT_EQ(Metadata(second.status, "operation_id"),
            OperationId(TestProject().id, "key").ToString());
  EXPECT_EQ(service_.created().size(), 1U);
}

TEST_F(EngineTest, RefusesTheKeyOfAnotherRequest) {
  Call("key", 500);
  const Reply reply = Call("key", 501);
  EXPECT_THAT(reply.status,
              FailsWith(StatusCode::kFailedPrecondition, domain::reason::kIdempotencyKeyReused));
  EXPECT_EQ(service_.created().size(), 1U);
}

TEST_F(EngineTest, RunsTheKeyAgainAfterNotExecutedAsTheNextAttempt) {
  service_.AnswerNext(FakePaymentService::NotSent("connection refused"));
  const Reply first = Call("key");
  EXPECT_EQ(domain::ReasonOf(first.status), domain::reason::kNotSent);
  const Reply second = Call("key");
  ASSERT_TRUE(second.status.ok());
  ASSERT_EQ(service_.created().size(), 2U);
  EXPECT_THAT(service_.created()[1].request.description(), ::testing::EndsWith(".2"));
}

TEST_F(EngineTest, SaysInProgressUntilTheLeaseOfADeadOwnerEndsThenPending) {
  service_.Hold();
  // The process dies while the service has the request: its coroutine never goes on.
  Engine dying(other_process_.get_executor(),
               Engine::Ports{service_, store_, clock_, rng_, metrics_, memory_}, settings_, plans_,
               Keys());
  asio::co_spawn(other_process_, dying.Run(MakePlan(Request("key", 500)), CallContext()),
                 [](std::exception_ptr, Reply) {});
  test::RunUntil(other_process_, [&] { return service_.created().size() == 1; });

  const Reply meanwhile = Call("key");
  EXPECT_THAT(meanwhile.status,
              FailsWith(StatusCode::kAborted, domain::reason::kOperationInProgress));
  EXPECT_TRUE(HasRetryInfo(meanwhile.status));

  clock_.Advance(settings_.lease);
  const Reply after = Call("key");
  ASSERT_TRUE(after.status.ok()) << after.status;
  EXPECT_EQ(Response(after).pending().state(), v1::OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(Response(after).pending().operation_id(),
            OperationId(TestProject().id, "key").ToString());
  EXPECT_FALSE(Response(after).pending().what_to_do().empty());
  EXPECT_EQ(service_.created().size(), 1U);
}

TEST_F(EngineTest, SendsOnceFor200CallsAtOnceWithOneKey) {
  service_.Hold();
  std::vector<Reply> replies;
  for (int i = 0; i < 200; ++i) {
    asio::co_spawn(context_, engine_->Run(MakePlan(Request("key", 500)), CallContext()),
                   [&](std::exception_ptr, Reply reply) { replies.push_back(std::move(reply)); });
  }
  ASSERT_TRUE(test::RunUntil(context_, [&] { return replies.size() == 199; }));
  for (const Reply& reply : replies) {
    EXPECT_EQ(domain::ReasonOf(reply.status), domain::reason::kOperationInProgress);
    EXPECT_TRUE(HasRetryInfo(reply.status));
  }
  EXPECT_EQ(engine_->Pending(), 1U);
  service_.Release();
  ASSERT_TRUE(test::RunUntil(context_, [&] { return replies.size() == 200; }));
  EXPECT_TRUE(replies.back().status.ok());
  EXPECT_EQ(service_.created().size(), 1U);
}

TEST_F(EngineTest, GoesOnWhenTheCallerCancelsAfterSent) {
  service_.Hold();
  asio::cancellation_signal caller;
  bool ended = false;
  asio::co_spawn(context_, engine_->Run(MakePlan(Request("key", 500)), CallContext()),
                 asio::bind_cancellation_slot(caller.slot(),
                                              [&](std::exception_ptr, Reply) { ended = true; }));
  ASSERT_TRUE(test::RunUntil(context_, [&] { return service_.created().size() == 1; }));
  caller.emit(asio::cancellation_type::terminal);
  context_.poll();
  EXPECT_FALSE(ended);
  service_.Release();
  ASSERT_TRUE(test::RunUntil(context_, [&] { return ended; }));
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
  EXPECT_TRUE(Call("key").replay);
}

TEST_F(EngineTest, AnswersAsItCameAndGoesOnRecordingWhenTheStoreDoesNotTakeTheResult) {
  store_.fail_finishes = 3;
  const Reply reply = Call("key");
  ASSERT_TRUE(reply.status.ok());
  EXPECT_TRUE(Response(reply).has_order());
  EXPECT_EQ(engine_->Pending(), 1U);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_RUNNING);

  ports::Millis backoff = settings_.record_backoff;
  for (std::size_t writes = 2; writes <= 4; ++writes) {
    ASSERT_TRUE(test::RunUntil(context_, [&] { return clock_.sleepers() == 1; }));
    EXPECT_EQ(store_.finishes.size(), writes - 1);
    clock_.Advance(backoff - ports::Millis(1));
    context_.poll();
    EXPECT_EQ(store_.finishes.size(), writes - 1) << "tried before the backoff was over";
    clock_.Advance(ports::Millis(1));
    ASSERT_TRUE(test::RunUntil(context_, [&] { return store_.finishes.size() == writes; }));
    backoff *= 2;
  }
  ASSERT_TRUE(test::RunUntil(context_, [&] { return engine_->Pending() == 0; }));
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
  EXPECT_EQ(Call("key").response, reply.response);
  EXPECT_EQ(service_.created().size(), 1U);
}

TEST_F(EngineTest, ReleasesAClaimWhoseAnswerWasLost) {
  Call("before");  // learns the epoch
  memory_.LoseNextAnswer();
  EXPECT_EQ(Call("key").status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(Call("key").status,
              FailsWith(StatusCode::kAborted, domain::reason::kOperationInProgress));
  store_.fail_releases = 1;
  ASSERT_TRUE(test::RunUntil(context_, [&] { return clock_.sleepers() == 1; }));
  clock_.Advance(settings_.record_backoff);
  ASSERT_TRUE(test::RunUntil(context_, [&] { return store_.fail_releases == 0; }));
  ASSERT_TRUE(test::RunUntil(context_, [&] { return clock_.sleepers() == 1; }));
  clock_.Advance(settings_.record_backoff * 2);
  ASSERT_TRUE(test::RunUntil(context_, [&] { return engine_->Pending() == 0; }));
  EXPECT_EQ(service_.created().size(), 1U);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_TRUE(Response(Call("key")).has_order());
}

TEST_F(EngineTest, RecordsOnceWhenTheAnswerToTheRecordingWasLost) {
  service_.Hold();
  std::optional<Reply> reply;
  asio::co_spawn(context_, engine_->Run(MakePlan(Request("key", 500)), CallContext()),
                 [&](std::exception_ptr, Reply answered) { reply = std::move(answered); });
  ASSERT_TRUE(test::RunUntil(context_, [&] { return service_.created().size() == 1; }));
  memory_.LoseNextAnswer();
  service_.Release();
  ASSERT_TRUE(
      test::RunUntil(context_, [&] { return reply.has_value() && clock_.sleepers() == 1; }));
  clock_.Advance(settings_.record_backoff);
  ASSERT_TRUE(test::RunUntil(context_, [&] { return engine_->Pending() == 0; }));
  EXPECT_EQ(store_.finishes.size(), 2U);
  EXPECT_EQ(Call("key").response, reply->response);
}

TEST_F(EngineTest, DrainWaitsForResultsThatAreStillToBeRecorded) {
  store_.fail_finishes = 1;
  Call("key");
  bool drained = false;
  asio::co_spawn(context_, engine_->Drain(clock_.BootNow() + std::chrono::seconds(10)),
                 [&](std::exception_ptr, bool all) { drained = all; });
  ASSERT_TRUE(test::RunUntil(context_, [&] { return clock_.sleepers() == 2; }));
  EXPECT_FALSE(drained);
  clock_.Advance(settings_.record_backoff);
  ASSERT_TRUE(test::RunUntil(context_, [&] {
    if (!drained && clock_.sleepers() == 1 && engine_->Pending() == 0) {
      clock_.Advance(ports::Millis(100));
    }
    return drained;
  }));
}

TEST_F(EngineTest, DrainGivesUpAtItsDeadline) {
  store_.fail_finishes = 1000;
  Call("key");
  std::optional<bool> drained;
  asio::co_spawn(context_, engine_->Drain(clock_.BootNow() + ports::Millis(50)),
                 [&](std::exception_ptr, bool all) { drained = all; });
  ASSERT_TRUE(test::RunUntil(context_, [&] { return clock_.sleepers() == 2; }));
  clock_.Advance(ports::Millis(60));
  ASSERT_TRUE(test::RunUntil(context_, [&] { return drained.has_value(); }));
  EXPECT_FALSE(*drained);
}

TEST_F(EngineTest, AnotherAmountInTheAnswerNeedsReview) {
  common::v1::Order order = service_.MakeOrder(Request("key", 500));
  order.set_amount(5000);
  service_.AnswerNext(FakePaymentService::Answered(order));
  const Reply reply = Call("key", 500);
  ASSERT_TRUE(reply.status.ok());
  EXPECT_EQ(Response(reply).pending().state(), v1::OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_EQ(Response(reply).pending().order_id(), order.id());
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NEEDS_REVIEW);
  ASSERT_EQ(store_.finishes.size(), 1U);
  EXPECT_EQ(store_.finishes[0].reason, "AMOUNT_DIFFERS");
  EXPECT_TRUE(store_.finishes[0].order.has_value())
      << "the reader must follow the order all the same";
}

TEST_F(EngineTest, AnotherCurrencyInTheAnswerNeedsReview) {
  common::v1::Order order = service_.MakeOrder(Request("key", 500));
  order.set_currency("USD");
  service_.AnswerNext(FakePaymentService::Answered(order));
  Call("key", 500);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NEEDS_REVIEW);
}

TEST_F(EngineTest, AnAnswerWithoutAmountIsNoDifference) {
  common::v1::Order order = service_.MakeOrder(Request("key", 500));
  order.clear_amount();
  order.clear_currency();
  service_.AnswerNext(FakePaymentService::Answered(order));
  Call("key", 500);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
}

TEST_F(EngineTest, AnAnswerThatLacksTheOrdersIdIsNotKnown) {
  common::v1::Order order = service_.MakeOrder(Request("key", 500));
  order.set_id("not a uuid");
  service_.AnswerNext(FakePaymentService::Answered(order));
  EXPECT_TRUE(Response(Call("key", 500)).has_pending());
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
}

TEST_F(EngineTest, KeepsNoResultThatHoldsCardData) {
  common::v1::Order order = service_.MakeOrder(Request("key", 500));
  order.add_transactions()->mutable_payment_method_details()->set_receiver_account_number(
      "5555555555554444");
  service_.AnswerNext(FakePaymentService::Answered(order));
  EXPECT_TRUE(Response(Call("key")).has_order());
  const Reply replay = Call("key");
  EXPECT_THAT(replay.status,
              FailsWith(StatusCode::kFailedPrecondition, domain::reason::kResultNotKept));
  EXPECT_TRUE(replay.replay);
}

TEST_F(EngineTest, KeepsNoResultThatIsTooLarge) {
  common::v1::Order order = service_.MakeOrder(Request("key", 500));
  order.set_description(std::string(ports::kMaxOutcomeBytes, 'x'));
  service_.AnswerNext(FakePaymentService::Answered(order));
  EXPECT_TRUE(Response(Call("key")).has_order());
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
  EXPECT_EQ(domain::ReasonOf(Call("key").status), domain::reason::kResultNotKept);
}

TEST_F(EngineTest, StoresOutcomesSealed) {
  const Reply reply = Call("key");
  const std::string& sealed = store_.finishes.at(0).outcome;
  EXPECT_EQ(sealed.find(Response(reply).order().order_url()), std::string::npos);
  EXPECT_EQ(sealed.find(Response(reply).order().id()), std::string::npos);
}

TEST_F(EngineTest, ReplaysAcrossKeyRotationWhileTheOldKeysAreKept) {
  const Reply first = Call("key");
  keys_ = TestKeys();
  keys_->fingerprints.keys.insert(keys_->fingerprints.keys.begin(), {"f2", std::string(32, 'g')});
  keys_->outcomes.keys.insert(keys_->outcomes.keys.begin(), {"o2", std::string(32, 'p')});
  Restart();
  EXPECT_EQ(Call("key").response, first.response);
  EXPECT_EQ(domain::ReasonOf(Call("key", 501).status), domain::reason::kIdempotencyKeyReused);
}

TEST_F(EngineTest, AReplicaWithoutTheKeyOfARecordNeverAsksForAnotherIdempotencyKey) {
  const Reply first = Call("key");
  service_.AnswerNext(FakePaymentService::NoAnswer("timeout"));
  Call("unknown");
  const auto asked = [this](const std::string& key) {
    const Reply reply = Call(key);
    EXPECT_THAT(reply.status,
                FailsWith(StatusCode::kUnavailable, domain::reason::kSecretKeyUnknown));
    EXPECT_EQ(Metadata(reply.status, "retry"), "SAFE_SAME_KEY");
    EXPECT_TRUE(HasRetryInfo(reply.status));
  };

  keys_ = TestKeys();
  keys_->fingerprints.keys = {{"f2", std::string(32, 'g')}};
  Restart();
  asked("key");
  asked("unknown");
  keys_ = TestKeys();
  keys_->outcomes.keys = {{"o2", std::string(32, 'p')}};
  Restart();
  asked("key");

  keys_ = TestKeys();
  Restart();
  EXPECT_EQ(Call("key").response, first.response) << "another replica has it";
  EXPECT_EQ(service_.created().size(), 2U);
}

TEST_F(EngineTest, SaysWhoHoldsTheOrder) {
  store_.claim_answer = ports::ClaimResult{.verdict = ports::ClaimVerdict::kOrderBusy,
                                           .holder = "7d444840-9dc0-11d1-b245-5ffdce74fad2"};
  const Reply reply = Call("key");
  EXPECT_THAT(reply.status, FailsWith(StatusCode::kAborted, domain::reason::kOrderBusy));
  EXPECT_EQ(Metadata(reply.status, "operation_id"), "7d444840-9dc0-11d1-b245-5ffdce74fad2");
  EXPECT_TRUE(HasRetryInfo(reply.status));
  EXPECT_TRUE(service_.created().empty());
}

TEST_F(EngineTest, TellsNoSuccessThatCameAfterItsAttemptWasGivenUp) {
  store_.finish_answer = ports::FinishVerdict::kLateEffect;
  EXPECT_TRUE(Response(Call("key")).has_pending());
}

TEST_F(EngineTest, RecordsEachFurtherStepBeforeItIsSent) {
  Plan plan = MakeLongPlan(Request("key", 500));
  EXPECT_TRUE(Run(std::move(plan)).status.ok());
  EXPECT_THAT(store_.calls, ElementsAre("claim", "begin second", "finish"));
  EXPECT_EQ(service_.created().size(), 2U);
  EXPECT_EQ(store_.finishes[0].step.name, "second");
}

TEST_F(EngineTest, SendsNoStepThatCouldNotBeRecorded) {
  Plan plan = MakeLongPlan(Request("key", 500));
  store_.fail_begins = 1;
  const Reply reply = Run(std::move(plan));
  EXPECT_EQ(domain::ReasonOf(reply.status), domain::reason::kNotSent);
  EXPECT_EQ(service_.created().size(), 1U);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(EngineTest, SendsNothingAfterAStepThatFailed) {
  Plan plan = MakeLongPlan(Request("key", 500));
  service_.AnswerNext(FakePaymentService::NoAnswer("reset"));
  EXPECT_TRUE(Response(Run(std::move(plan))).has_pending());
  EXPECT_EQ(service_.created().size(), 1U);
}

TEST_F(EngineTest, A404OnAnOrderThatThisOperationHasJustCreatedMayRunAgain) {
  Plan plan = MakeLongPlan(Request("key", 500));
  service_.AnswerNext(FakePaymentService::Answered(service_.MakeOrder(Request("x", 500))));
  service_.AnswerNext(FakePaymentService::Refused(404, "ValidationError"));
  const Reply reply = Run(std::move(plan));
  EXPECT_EQ(Metadata(reply.status, "retry"), "SAFE_SAME_KEY");
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

}  // namespace
}  // namespace tollbridge::operations
