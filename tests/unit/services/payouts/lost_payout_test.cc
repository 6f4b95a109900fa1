// What becomes of a payout whose last step's answer, process or record is lost.

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/services/payouts/payouts_fixture.h"

namespace tollbridge::payouts {
namespace {

using operations::v1::OPERATION_STATE_DONE;
using operations::v1::OPERATION_STATE_NOT_EXECUTED;
using operations::v1::OPERATION_STATE_UNKNOWN;

using LostPayoutTest = PayoutTest;

TEST_F(LostPayoutTest, ALostAnswerIsReadFromTheOrder) {
  payout_service_.LoseNextAnswer(Function::kAuthenticate);
  const v1::CreatePayoutResponse result = Result(Pay(Request(true)));
  EXPECT_EQ(result.knowledge(), operations::v1::KNOWLEDGE_RECOVERED);
  EXPECT_EQ(result.order().status(), common::v1::ORDER_STATUS_PROCESSING);
  EXPECT_EQ(State("key"), OPERATION_STATE_DONE);
}

TEST_F(LostPayoutTest, WithoutTimeItIsPendingAndAResolverFindsIt) {
  payout_service_.LoseNextAnswer(Function::kAuthenticate);
  EXPECT_TRUE(Result(PayInHaste(Request(true))).has_pending());
  EXPECT_EQ(State("key"), OPERATION_STATE_UNKNOWN);
  clock_.Advance(settings_.look_backoff.front());
  ResolveOnce();
  EXPECT_EQ(State("key"), OPERATION_STATE_DONE);
  EXPECT_EQ(Result(Pay(Request(true))).knowledge(), operations::v1::KNOWLEDGE_RECOVERED);
  EXPECT_EQ(Payouts(), 1U);
}

TEST_F(LostPayoutTest, AbsentAfterTheQuarantineItRunsAgainOnce) {
  payout_service_.IgnoreNext(Function::kAuthenticate);
  EXPECT_TRUE(Result(Pay(Request(true))).has_pending());
  clock_.Advance(settings_.look_backoff.front());
  ResolveOnce();
  EXPECT_EQ(State("key"), OPERATION_STATE_UNKNOWN);
  ResolveToTheEnd();
  EXPECT_EQ(State("key"), OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(Result(Pay(Request(true))).knowledge(), operations::v1::KNOWLEDGE_ANSWERED);
  EXPECT_EQ(Payouts(), 1U);
  EXPECT_EQ(Orders(), 2U);
}

TEST_F(LostPayoutTest, ARefusedPayoutIsTheOutcome) {
  payout_service_.AnswerNext(Function::kAuthenticate,
                             FakePaymentService::Refused(422, "ValidationError"));
  const operations::Reply reply = Pay(Request(true));
  EXPECT_EQ(domain::ReasonOf(reply.status), "UPSTREAM_REFUSED");
  EXPECT_EQ(State("key"), OPERATION_STATE_DONE);
  EXPECT_EQ(Pay(Request(true)).status, reply.status);
  EXPECT_EQ(Orders(), 1U);
}

TEST_F(LostPayoutTest, RefusedAsStartedAlreadyItIsReadFromItsOrder) {
  payout_service_.copied = true;
  const v1::CreatePayoutResponse result = Result(Pay(Request(true)));
  EXPECT_EQ(result.knowledge(), operations::v1::KNOWLEDGE_RECOVERED);
  EXPECT_EQ(State("key"), OPERATION_STATE_DONE);
  EXPECT_EQ(Payouts(), 1U);
}

TEST_F(LostPayoutTest, NotSentItMayRunAtOnce) {
  payout_service_.AnswerNext(Function::kAuthenticate, FakePaymentService::NotSent("breaker open"));
  EXPECT_EQ(domain::ReasonOf(Pay(Request(true)).status), "NOT_SENT");
  EXPECT_EQ(State("key"), OPERATION_STATE_NOT_EXECUTED);
  EXPECT_TRUE(Result(Pay(Request(true))).has_order());
  EXPECT_EQ(Payouts(), 1U);
}

/// A payout that comes into effect after its absence was established is found by the next run,
/// before that one pays.
TEST_F(LostPayoutTest, ALateEffectOfAnEarlierAttemptIsAdopted) {
  payout_service_.IgnoreNext(Function::kAuthenticate);
  Result(Pay(Request(true)));
  ResolveToTheEnd();
  ASSERT_EQ(State("key"), OPERATION_STATE_NOT_EXECUTED);
  const std::string first = payout_service_.effects().front().order_id;
  payout_service_.FindOrder(first)->mutable_transactions(0)->set_status(
      common::v1::TRANSACTION_STATUS_COMPLETED);

  const v1::CreatePayoutResponse result = Result(Pay(Request(true)));

  EXPECT_EQ(result.order().id(), first);
  EXPECT_EQ(result.knowledge(), operations::v1::KNOWLEDGE_RECOVERED);
  EXPECT_EQ(Payouts(), 0U) << "paid a second time";
  EXPECT_EQ(Record("key").order_id(), first);
}

TEST_F(LostPayoutTest, ARunAgainPaysNothingWhileEarlierAttemptsCannotBeRead) {
  payout_service_.AnswerNext(Function::kStoreCard,
                             FakePaymentService::Refused(422, "ValidationError"));
  Pay(Request(true));
  payout_service_.FailNextReads(Function::kSearchOrders, absl::UnavailableError("no answer"));
  const operations::Reply reply = Pay(Request(true));
  EXPECT_EQ(operations::Metadata(reply.status, "retry"), "SAFE_SAME_KEY");
  EXPECT_EQ(payout_service_.CallsOf(Function::kAuthenticate), 0U);
  EXPECT_TRUE(Result(Pay(Request(true))).has_order());
  EXPECT_EQ(Payouts(), 1U);
}

TEST_F(LostPayoutTest, WhileItIsNotKnownTheOrderIsHeld) {
  payout_service_.IgnoreNext(Function::kAuthenticate);
  Result(Pay(Request(true)));
  const std::string order = payout_service_.effects().front().order_id;
  EXPECT_EQ(Record("key").order_id(), order);
  ports::ClaimRequest claim;
  claim.identity.id = Uuid::V5(Uuid{}, "another");
  claim.identity.rpc = "tollbridge.payments.v1.Payments/InitiateTransaction";
  claim.identity.project = "shop";
  claim.identity.fingerprints = {{.key_id = "f1", .digest = "d"}};
  claim.identity.gate_order = order;
  claim.owner = "other";
  claim.lease = settings_.lease;
  claim.good_for = std::chrono::seconds(5);
  claim.first_step = {.name = "initiate", .order_id = order};
  const auto claimed = test::Await(context_, memory_.Claim(claim, CallContext()));
  ASSERT_TRUE(claimed.ok());
  EXPECT_EQ(claimed->verdict, ports::ClaimVerdict::kOrderBusy);
  EXPECT_EQ(claimed->holder,
            operations::OperationId(operations::TestProject().id, "key").ToString());

  ResolveToTheEnd();
  ASSERT_EQ(State("key"), OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(test::Await(context_, memory_.Claim(claim, CallContext()))->verdict,
            ports::ClaimVerdict::kClaimed);
}

class DeathTest : public PayoutTest, public testing::WithParamInterface<DeadlyService::Death> {};

TEST_P(DeathTest, OfTheOwnerLeavesOnePayoutAtMostAndOneWhenTold) {
  ASSERT_NO_FATAL_FAILURE(PayAndDie(Request(true), GetParam()));
  const bool paid = GetParam().at == Function::kAuthenticate && GetParam().after_effect;
  EXPECT_EQ(Payouts(), paid ? 1U : 0U);
  EXPECT_EQ(domain::ReasonOf(Pay(Request(true)).status), "OPERATION_IN_PROGRESS");
  clock_.Advance(settings_.lease);
  ResolveOnce();
  if (paid) {
    EXPECT_EQ(State("key"), OPERATION_STATE_DONE);
  } else if (GetParam().at != Function::kAuthenticate) {
    EXPECT_EQ(State("key"), OPERATION_STATE_NOT_EXECUTED) << "before the last step, at once";
  } else {
    EXPECT_EQ(State("key"), OPERATION_STATE_UNKNOWN);
    ResolveToTheEnd();
    EXPECT_EQ(State("key"), OPERATION_STATE_NOT_EXECUTED);
  }
  EXPECT_TRUE(Result(Pay(Request(true))).has_order());
  EXPECT_EQ(Payouts(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Steps, DeathTest,
                         testing::Values(DeadlyService::Death{Function::kCreateOrder, false},
                                         DeadlyService::Death{Function::kCreateOrder, true},
                                         DeadlyService::Death{Function::kStoreCard, false},
                                         DeadlyService::Death{Function::kStoreCard, true},
                                         DeadlyService::Death{Function::kAuthenticate, false},
                                         DeadlyService::Death{Function::kAuthenticate, true}),
                         [](const auto& info) {
                           const std::string at = info.param.at == Function::kCreateOrder ? "Order"
                                                  : info.param.at == Function::kStoreCard
                                                      ? "Card"
                                                      : "Authenticate";
                           return at + (info.param.after_effect ? "After" : "Before");
                         });

/// The record lost its last step with the primary: what is left looks as if nothing had been paid.
TEST_F(LostPayoutTest, AStepThatAFailoverLostIsFoundByTheMark) {
  for (const bool after_effect : {true, false}) {
    SCOPED_TRACE(after_effect);
    clock_.Advance(std::chrono::hours(2));  // nobody doubts the store
    v1::CreatePayoutRequest request = Request(true);
    request.set_idempotency_key(after_effect ? "after" : "before");
    auto copy = memory_.server().TakeCopy();
    payout_service_.during_store_card = [&] { copy = memory_.server().TakeCopy(); };
    ASSERT_NO_FATAL_FAILURE(
        PayAndDie(request, {.at = Function::kAuthenticate, .after_effect = after_effect}));
    payout_service_.during_store_card = nullptr;
    memory_.server().FailOver(copy);
    ASSERT_EQ(Record(request.idempotency_key()).steps_size(), 2);
    const std::size_t payouts = Payouts();

    // The next call learns of the failover.
    v1::CreatePayoutRequest other = Request(true);
    other.set_idempotency_key("other");
    Pay(other);
    clock_.Advance(settings_.lease);
    ResolveOnce();

    if (after_effect) {
      EXPECT_EQ(State("after"), OPERATION_STATE_DONE);
      EXPECT_EQ(Result(Pay(request)).knowledge(), operations::v1::KNOWLEDGE_RECOVERED);
      EXPECT_EQ(Payouts(), payouts);
      continue;
    }
    EXPECT_EQ(State("before"), OPERATION_STATE_UNKNOWN) << "it may have been sent";
    clock_.Advance((settings_.send_window + settings_.attempt_deadline) * 3);
    ResolveToTheEnd();
    EXPECT_EQ(State("before"), OPERATION_STATE_NOT_EXECUTED);
  }
}

TEST_F(LostPayoutTest, WhenTheMemoryIsLostAPayoutThatWasMadeIsRecovered) {
  const v1::CreatePayoutResponse first = Result(Pay(Request(true)));
  memory_.LoseMemory();
  const v1::CreatePayoutResponse again = Result(Pay(Request(true)));
  EXPECT_EQ(again.order().id(), first.order().id());
  EXPECT_EQ(again.knowledge(), operations::v1::KNOWLEDGE_RECOVERED);
  EXPECT_EQ(Payouts(), 1U);
}

TEST_F(LostPayoutTest, WhenTheMemoryIsLostOneThatIsStillNewWaitsForTheFirstQuarantine) {
  payout_service_.AnswerNext(Function::kAuthenticate, FakePaymentService::NotSent("breaker open"));
  Pay(Request(true));
  memory_.LoseMemory();
  const operations::Reply early = Pay(Request(true));
  EXPECT_EQ(domain::ReasonOf(early.status), "STORE_DOUBTFUL");
  EXPECT_EQ(Payouts(), 0U);
  clock_.Advance(operations::Quarantine(settings_, true));
  EXPECT_TRUE(Result(Pay(Request(true))).has_order());
  EXPECT_EQ(Payouts(), 1U);
}

/// With several attempts, the one that was paid is found among the orders of all.
TEST_F(LostPayoutTest, WhenTheMemoryIsLostEveryAttemptIsLookedAt) {
  payout_service_.AnswerNext(Function::kStoreCard,
                             FakePaymentService::Refused(422, "ValidationError"));
  Pay(Request(true));
  const v1::CreatePayoutResponse paid = Result(Pay(Request(true)));
  ASSERT_EQ(Orders(), 2U);
  memory_.LoseMemory();
  EXPECT_EQ(Result(Pay(Request(true))).order().id(), paid.order().id());
  EXPECT_EQ(Payouts(), 1U);
}

}  // namespace
}  // namespace tollbridge::payouts
