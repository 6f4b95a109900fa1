#include "sandbox/core/follow_ups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/sandbox/core/world_test.h"

namespace tollbridge::sandbox {
namespace {

using testing::ElementsAre;

class FollowUpsTest : public WorldTest {
 protected:
  FollowUps::Made Capture(const Uuid& order, std::optional<std::int64_t> amount = {}) {
    return world_.follow_ups.Capture(order, Last(order).id, amount, std::nullopt);
  }
  FollowUps::Made Void(const Uuid& order, std::optional<std::int64_t> amount = {}) {
    return world_.follow_ups.Void(order, Last(order).id, amount, std::nullopt);
  }
  FollowUps::Made Refund(const Uuid& order, std::optional<std::int64_t> amount = {}) {
    return world_.follow_ups.Refund(order, amount, std::nullopt);
  }
  static const Order& Made(const FollowUps::Made& made) {
    EXPECT_TRUE(made.ok());
    return **made;
  }
};

TEST_F(FollowUpsTest, AnAuthorizationIsCompletedAndCapturable) {
  const Uuid order = Authorized();
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
  EXPECT_EQ(Last(order).status, TransactionStatus::kCompleted);
  EXPECT_TRUE(Last(order).is_capturable);
  EXPECT_THAT(Effects(), ElementsAre(Effect::kAuthorize));
}

TEST_F(FollowUpsTest, CaptureTakesTheWholeOnceAndIsAnOrderOfItsOwn) {
  const Uuid order = Authorized();
  const Order& capture = Made(Capture(order));
  EXPECT_EQ(capture.amount, 1000);
  EXPECT_EQ(capture.status, OrderStatus::kCompleted);
  EXPECT_EQ(capture.relation, Relation::kCapture);
  EXPECT_EQ(capture.related_order, order);
  EXPECT_EQ(capture.transactions[0].capture_of, Last(order).id);
  EXPECT_FALSE(Last(order).is_capturable);
  ExpectError(ErrorOf(Capture(order)), 409, "TransactionAlreadyStarted");
  ExpectError(ErrorOf(Void(order)), 409, "CanNotCancelTransaction");
  EXPECT_THAT(Effects(), ElementsAre(Effect::kAuthorize, Effect::kCapture));
}

TEST_F(FollowUpsTest, VoidReleasesTheWholeOnce) {
  const Uuid order = Authorized();
  const Order& released = Made(Void(order));
  EXPECT_EQ(released.amount, 1000);
  EXPECT_EQ(released.transactions[0].void_of, Last(order).id);
  ExpectError(ErrorOf(Void(order)), 409, "CanNotCancelTransaction");
  ExpectError(ErrorOf(Capture(order)), 409, "CanNotCancelTransaction");
}

TEST_F(FollowUpsTest, PartsAreTakenAndReleasedUpToWhatIsAuthorized) {
  const Uuid order = Authorized();
  Made(Void(order, 100));
  EXPECT_TRUE(Last(order).is_capturable);
  ExpectError(ErrorOf(Capture(order, 901)), 422, "ValidationError");
  Made(Capture(order, 400));
  ExpectError(ErrorOf(Void(order, 501)), 422, "ValidationError");
  Made(Void(order, 300));
  EXPECT_EQ(Made(Void(order)).amount, 200) << "what was not captured is released";
  ExpectError(ErrorOf(Void(order)), 409, "CanNotCancelTransaction");
  EXPECT_EQ(Last(order).remaining_authorized(), 0);
}

TEST_F(FollowUpsTest, SecondCaptureIsRefusedWholeOrInPart) {
  const Uuid order = Authorized();
  Made(Capture(order, 400));
  EXPECT_FALSE(Last(order).is_capturable);
  for (const std::optional<std::int64_t> amount : {std::optional<std::int64_t>(), {1}, {600}}) {
    ExpectError(ErrorOf(Capture(order, amount)), 409, "TransactionAlreadyStarted");
  }
  Made(Void(order, 100));
  EXPECT_FALSE(Last(order).is_capturable);
  ExpectError(ErrorOf(Capture(order, 1)), 409, "TransactionAlreadyStarted");
  EXPECT_THAT(Effects(), ElementsAre(Effect::kAuthorize, Effect::kCapture, Effect::kVoid));
}

TEST_F(FollowUpsTest, AccountFundingIsCapturedAndVoidedInPartToo) {
  OrderDraft draft = Draft("credit-card");
  draft.order.transactions[0].transaction_type = "aft";
  draft.order.transactions[0].capture_mode = "manual";
  const Uuid order = Create(std::move(draft));
  EXPECT_FALSE(PayOnPage(order, kApprovedPan));
  EXPECT_TRUE(Last(order).is_capturable);
  EXPECT_EQ(Made(Capture(order, 400)).amount, 400);
  EXPECT_EQ(Made(Void(order, 500)).amount, 500);
  EXPECT_EQ(Made(Void(order)).amount, 100);
}

TEST_F(FollowUpsTest, WholeCaptureAfterAPartWasReleasedTakesTheRest) {
  const Uuid order = Authorized();
  Made(Void(order, 100));
  EXPECT_EQ(Made(Capture(order)).amount, 900);
}

TEST_F(FollowUpsTest, OnlyAnAuthorizationIsCapturedOrVoided) {
  const Uuid paid = Paid();
  ExpectError(ErrorOf(Capture(paid)), 422, "ValidationError");
  ExpectError(ErrorOf(Void(paid)), 409, "CanNotCancelTransaction");
  const Uuid fresh = CreateWithMode("manual");
  ExpectError(ErrorOf(Capture(fresh)), 409, "CanNotCancelTransaction");
  ExpectError(ErrorOf(Void(fresh)), 409, "CanNotCancelTransaction");
}

TEST_F(FollowUpsTest, UnknownOrdersAndTransactionsAreNotFound) {
  const Uuid order = Authorized();
  ExpectError(ErrorOf(world_.follow_ups.Capture(Uuid(), Last(order).id, {}, {})), 404, "NotFound");
  ExpectError(ErrorOf(world_.follow_ups.Capture(order, Uuid(), {}, {})), 404, "NotFound");
  ExpectError(ErrorOf(world_.follow_ups.Void(order, Uuid(), {}, {})), 404, "NotFound");
  ExpectError(ErrorOf(Refund(Uuid())), 404, "NotFound");
}

TEST_F(FollowUpsTest, RefundsAddUpToThePaidAmountAndNoFurther) {
  const Uuid order = Paid();
  const Order& refund = Made(world_.follow_ups.Refund(order, 400, "one shirt"));
  EXPECT_EQ(refund.description, "one shirt");
  EXPECT_TRUE(refund.transactions[0].debit);
  EXPECT_EQ(refund.transactions[0].refund_of, Last(order).id);
  EXPECT_EQ(Get(order).refunded_amount, 400);
  ExpectError(ErrorOf(Refund(order, 601)), 422, "RefundError");
  ExpectError(ErrorOf(Refund(order, 0)), 422, "RefundError");
  EXPECT_EQ(Made(Refund(order)).amount, 600);
  ExpectError(ErrorOf(Refund(order)), 422, "RefundError");
  EXPECT_EQ(Status(order), OrderStatus::kCompleted);
}

TEST_F(FollowUpsTest, RefusedRefundLeavesModifiedAsItWas) {
  const Uuid order = Paid();
  const Time modified = Get(order).modified;
  Advance(std::chrono::seconds(1));
  ExpectError(ErrorOf(Refund(order, 5000)), 422, "RefundError");
  EXPECT_EQ(Get(order).modified, modified);
}

TEST_F(FollowUpsTest, AnAuthorizationIsRefundedThroughItsCapture) {
  const Uuid order = Authorized();
  ExpectError(ErrorOf(Refund(order)), 422, "RefundError");
  const Order& capture = Made(Capture(order));
  const Order& refund = Made(Refund(capture.id, 250));
  EXPECT_EQ(refund.related_order, capture.id);
  ExpectError(ErrorOf(Refund(refund.id, 10)), 422, "RefundError");
}

TEST_F(FollowUpsTest, WhatIsNotPaidCannotBeRefunded) {
  ExpectError(ErrorOf(Refund(Create("credit-card"))), 422, "RefundError");
  const Uuid declined = Create("credit-card");
  EXPECT_FALSE(PayOnPage(declined, kDeclinedPan));
  ExpectError(ErrorOf(Refund(declined)), 422, "RefundError");
  OrderDraft payout = Draft("credit-card-oct");
  payout.order.transactions[0].debit = true;
  payout.order.transactions[0].transaction_type = "oct";
  const Uuid paid_out = Create(std::move(payout));
  EXPECT_FALSE(Authenticate(paid_out, Store(paid_out, kApprovedPan)));
  Advance(std::chrono::seconds(1));
  ExpectError(ErrorOf(Refund(paid_out)), 422, "RefundError");
}

TEST_F(FollowUpsTest, ChargebackAndReversalAreOrdersOfTheirOwn) {
  const Uuid order = Paid();
  const Order& chargeback = Made(world_.follow_ups.Chargeback(order, {}));
  EXPECT_EQ(chargeback.relation, Relation::kChargeback);
  EXPECT_EQ(chargeback.amount, 1000);
  ExpectError(ErrorOf(world_.follow_ups.Chargeback(order, 1)), 422, "RefundError");
  const Order& reversal = Made(world_.follow_ups.Reversal(order, 300));
  EXPECT_EQ(reversal.relation, Relation::kReversal);
  EXPECT_THAT(Effects(), ElementsAre(Effect::kCharge, Effect::kChargeback, Effect::kReversal));
  EXPECT_EQ(Get(order).children.size(), 2U);
}

TEST_F(FollowUpsTest, EachMadeOrderTellsItsObserversAsItGoesThroughItsStatuses) {
  const Uuid order = Paid();
  const Uuid refund = Made(Refund(order)).id;
  EXPECT_THAT(ChangesOf(refund), ElementsAre(OrderStatus::kProcessing, OrderStatus::kCompleted));
}

TEST_F(FollowUpsTest, FullSandboxRefusesAndChangesNothing) {
  const Uuid order = Authorized();
  world_.simulation.settings.max_orders = 1;
  ExpectError(ErrorOf(Capture(order)), 503, "ServerError");
  ExpectError(ErrorOf(Void(order)), 503, "ServerError");
  EXPECT_EQ(Last(order).remaining_authorized(), 1000);
  const Uuid made_before = order;
  world_.simulation.settings.max_orders = 3;
  const Uuid paid = Paid();
  world_.simulation.settings.max_orders = 2;
  ExpectError(ErrorOf(Refund(paid)), 503, "ServerError");
  EXPECT_EQ(Get(paid).refunded_amount, 0);
  EXPECT_EQ(Status(made_before), OrderStatus::kCompleted);
}

}  // namespace
}  // namespace tollbridge::sandbox
