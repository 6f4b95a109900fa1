// What follows a payment: capture and void of an authorization, refunds, and what the bank does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/e2e/support/flows.h"

namespace tollbridge::test {
namespace {

using common::v1::Order;
using payments::v1::CaptureTransactionRequest;
using payments::v1::CaptureTransactionResponse;
using payments::v1::CreateRefundRequest;
using payments::v1::CreateRefundResponse;
using payments::v1::VoidTransactionRequest;
using payments::v1::VoidTransactionResponse;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kCannotCancel =
    "FAILED_PRECONDITION UPSTREAM_REFUSED CanNotCancelTransaction";
constexpr const char* kCannotRefund = "FAILED_PRECONDITION UPSTREAM_REFUSED RefundError";

/// Pays an order with one card transaction on its page.
class PaidFlowTest : public FlowTest {
 protected:
  static Order Pay(const std::string& capture_mode = "", std::string_view pan = kApprovedPan) {
    auto request = NewOrder("credit-card");
    if (!capture_mode.empty()) request.mutable_transactions(0)->set_capture_mode(capture_mode);
    const Order order = Create(request);
    PayOnCardPage(stack(), order.transactions(0).payment_url(), pan);
    return Read(order.id());
  }

  /// All of it, or a part.
  static CaptureTransactionRequest Capture(const Order& order, std::int64_t amount = 0) {
    auto request = About<CaptureTransactionRequest>(order);
    if (amount > 0) request.set_amount(amount);
    return request;
  }
  static VoidTransactionRequest Void(const Order& order, std::int64_t amount = 0) {
    auto request = About<VoidTransactionRequest>(order);
    if (amount > 0) request.set_amount(amount);
    return request;
  }
  static Order Captured(const Order& order, std::int64_t amount = 0) {
    return Must<CaptureTransactionResponse>(Capture(order, amount)).capture_order();
  }
  static Order Voided(const Order& order, std::int64_t amount = 0) {
    return Must<VoidTransactionResponse>(Void(order, amount)).void_order();
  }
};

using PreAuthorizationFlowTest = PaidFlowTest;

TEST_F(PreAuthorizationFlowTest, IsCapturedOnceAsAWhole) {
  const Order order = Pay("manual");
  EXPECT_EQ(StateOf(order), "COMPLETED COMPLETED 00");
  EXPECT_TRUE(order.transactions(0).is_capturable());
  ExpectEvents(order.id(), "authorization.completed");
  const Order captured = Captured(order);
  EXPECT_EQ(captured.capture_of_order_id(), order.id());
  EXPECT_EQ(captured.transactions(0).capture_of_transaction_id(), order.transactions(0).id());
  EXPECT_EQ(RefusalOf(Send(Capture(order))), kStarted);
  EXPECT_EQ(RefusalOf(Send(Capture(order, 1))), kStarted);
  EXPECT_EQ(RefusalOf(Send(Void(order))), kCannotCancel);
  EXPECT_THAT(Moved(), ElementsAre("authorize 1250 EUR", "capture 1250 EUR"));
  ExpectEvents(captured.id(), "capture.completed");
}

TEST_F(PreAuthorizationFlowTest, IsVoidedAndCannotBeCapturedThen) {
  const Order order = Pay("manual");
  const Order voided = Voided(order);
  EXPECT_EQ(voided.void_of_order_id(), order.id());
  EXPECT_EQ(voided.transactions(0).void_of_transaction_id(), order.transactions(0).id());
  EXPECT_EQ(RefusalOf(Send(Capture(order))), kCannotCancel);
  EXPECT_EQ(RefusalOf(Send(Void(order))), kCannotCancel);
  EXPECT_THAT(Moved(), ElementsAre("authorize 1250 EUR", "void 1250 EUR"));
  ExpectEvents(order.id(), "authorization.completed");
  ExpectEvents(voided.id(), "void.completed");
}

TEST_F(PreAuthorizationFlowTest, IsTakenAndReleasedInPartsUpToWhatIsAuthorized) {
  const Order order = Pay("manual");
  EXPECT_EQ(RefusalOf(Send(Capture(order, 1251))), kInvalid) << "more than is authorized";
  EXPECT_EQ(RefusalOf(Send(Void(order, 1251))), kInvalid);
  EXPECT_EQ(Voided(order, 250).amount(), 250);
  EXPECT_EQ(RefusalOf(Send(Capture(order, 1001))), kInvalid) << "1000 are left";
  EXPECT_EQ(Captured(order, 400).amount(), 400);
  EXPECT_EQ(RefusalOf(Send(Capture(order, 600))), kStarted) << "once, in part too";
  EXPECT_EQ(RefusalOf(Send(Capture(order))), kStarted);
  EXPECT_FALSE(Read(order.id()).transactions(0).is_capturable());
  EXPECT_EQ(Voided(order, 600).amount(), 600) << "what the capture left over";
  EXPECT_EQ(RefusalOf(Send(Void(order))), kCannotCancel);
  EXPECT_THAT(Moved(),
              ElementsAre("authorize 1250 EUR", "void 250 EUR", "capture 400 EUR", "void 600 EUR"));
  ExpectEvents(order.id(), "authorization.completed");
}

TEST_F(PreAuthorizationFlowTest, WhatAPartLeftOverIsReleasedOnceAsAWhole) {
  const Order order = Pay("manual");
  EXPECT_EQ(Voided(order, 250).amount(), 250);
  EXPECT_EQ(Voided(order).amount(), 1000);
  EXPECT_EQ(RefusalOf(Send(Void(order))), kCannotCancel)
      << "the void of a moment ago is smaller than the whole, and is not this one's";
  EXPECT_THAT(Moved(), ElementsAre("authorize 1250 EUR", "void 250 EUR", "void 1000 EUR"));
}

TEST_F(PreAuthorizationFlowTest, IsCapturedByTheServiceAfterAWhileWhereItIsDelayed) {
  const Order order = Pay("delayed");
  EXPECT_THAT(Moved(), ElementsAre("authorize 1250 EUR"));
  ExpectEvents(order.id(), "authorization.completed");
  LetPass("P7D");
  EXPECT_THAT(Moved(), ElementsAre("authorize 1250 EUR", "capture 1250 EUR"));
  const Order later = Read(order.id());
  ASSERT_EQ(later.related_orders_size(), 1);
  ExpectEvents(later.related_orders(0), "capture.completed");
}

TEST_F(PreAuthorizationFlowTest, OneThatWasDeclinedOrIsNoneCannotBeCaptured) {
  for (const BadCard& bad : kBadCards) {
    const Order declined = Pay("manual", bad.pan);
    EXPECT_EQ(StateOf(declined), bad.state);
    EXPECT_EQ(RefusalOf(Send(Capture(declined))), kCannotCancel);
    EXPECT_EQ(RefusalOf(Send(Void(declined))), kCannotCancel);
    ExpectEvents(declined.id(), "authorization.failed");
  }
  EXPECT_THAT(Moved(), IsEmpty());
  const Order paid = Pay();
  EXPECT_EQ(RefusalOf(Send(Capture(paid))), kInvalid);
  EXPECT_EQ(RefusalOf(Send(Void(paid))), kCannotCancel);
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
}

class RefundFlowTest : public PaidFlowTest {
 protected:
  static CreateRefundRequest Refund(const std::string& order_id, std::int64_t amount) {
    CreateRefundRequest request;
    request.set_order_id(order_id);
    request.set_amount(amount);
    return request;
  }
  static Order Refunded(const std::string& order_id, std::int64_t amount) {
    return Must<CreateRefundResponse>(Refund(order_id, amount)).refund_order();
  }
};

TEST_F(RefundFlowTest, APaymentIsGivenBackInPartsAndNeverMoreThanWasPaid) {
  const Order order = Pay();
  EXPECT_EQ(RefusalOf(Send(Refund(order.id(), 1251))), kCannotRefund);
  const Order first = Refunded(order.id(), 450);
  EXPECT_EQ(first.refund_of_order_id(), order.id());
  EXPECT_EQ(RefusalOf(Send(Refund(order.id(), 801))), kCannotRefund);
  const Order second = Refunded(order.id(), 800);
  EXPECT_EQ(RefusalOf(Send(Refund(order.id(), 1))), kCannotRefund) << "all of it is back";
  EXPECT_EQ(Read(order.id()).refunded_amount(), 1250);
  payments::v1::ListRefundsRequest list;
  list.set_order_id(order.id());
  const auto listed = Must<payments::v1::ListRefundsResponse>(list);
  ASSERT_EQ(listed.refund_orders_size(), 2);
  EXPECT_EQ(listed.refund_orders(0).id(), first.id());
  EXPECT_EQ(listed.refund_orders(1).id(), second.id());
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR", "refund 450 EUR", "refund 800 EUR"));
  ExpectEvents(order.id(), "payment.completed");
  ExpectEvents(first.id(), "refund.completed");
  ExpectEvents(second.id(), "refund.completed");
}

TEST_F(RefundFlowTest, AskedForTwiceWithOneKeyItIsGivenOnce) {
  const Order order = Pay();
  CreateRefundRequest request = Refund(order.id(), 300);
  request.set_idempotency_key("one-refund");
  const RpcReply once = Send(request);
  EXPECT_EQ(Send(request).bytes, once.bytes);
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR", "refund 300 EUR"));
}

TEST_F(RefundFlowTest, OfAnAuthorizationTheCaptureIsGivenBack) {
  const Order order = Pay("manual");
  EXPECT_EQ(RefusalOf(Send(Refund(order.id(), 100))), kCannotRefund);
  const Order captured = Captured(order, 900);
  EXPECT_EQ(RefusalOf(Send(Refund(order.id(), 100))), kCannotRefund) << "the capture's order";
  EXPECT_EQ(RefusalOf(Send(Refund(captured.id(), 901))), kCannotRefund);
  const Order refund = Refunded(captured.id(), 900);
  EXPECT_EQ(refund.refund_of_order_id(), captured.id());
  EXPECT_EQ(RefusalOf(Send(Refund(refund.id(), 1))), kCannotRefund) << "of a refund";
  EXPECT_THAT(Moved(), ElementsAre("authorize 1250 EUR", "capture 900 EUR", "refund 900 EUR"));
  ExpectEvents(refund.id(), "refund.completed");
}

TEST_F(RefundFlowTest, WhatWasNotPaidOrIsNotThereIsNotGivenBack) {
  EXPECT_EQ(RefusalOf(Send(Refund(Create(NewOrder("")).id(), 1))), kCannotRefund);
  EXPECT_EQ(RefusalOf(Send(Refund(Pay("", kDeclinedPan).id(), 1))), kCannotRefund);
  EXPECT_EQ(RefusalOf(Send(Refund("0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f", 1))),
            "NOT_FOUND ORDER_NOT_FOUND NotFound");
  EXPECT_EQ(RefusalOf(Send(Refund(Pay().id(), 0))), "INVALID_ARGUMENT INVALID_REQUEST amount");
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
}

TEST_F(RefundFlowTest, WhatTheBankAndThePortalTakeBackIsToldOf) {
  const Order order = Pay();
  for (const char* const what : {"chargeback", "reversal", "refund"}) {
    DoAtTheService(order.id(), what);
    const Order after = Read(order.id());
    ExpectEvents(*after.related_orders().rbegin(), std::string(what) + ".completed");
  }
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR", "chargeback 1250 EUR", "reversal 1250 EUR",
                                   "refund 1250 EUR"));
  ExpectEvents(order.id(), "payment.completed");
}

}  // namespace
}  // namespace tollbridge::test
