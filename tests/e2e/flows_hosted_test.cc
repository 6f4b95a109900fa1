// The hosted page, and the page of a payment link: the customer pays at the payment service.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/e2e/support/flows.h"

namespace tollbridge::test {
namespace {

using payments::v1::CreateOrderRequest;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kThanks = "http://shop.test/thanks";
constexpr const char* kSorry = "http://shop.test/sorry";

class HostedPageFlowTest : public FlowTest {
 protected:
  /// An order, by default one whose method the customer picks, that leads back to the shop.
  static common::v1::Order Order(const std::string& method = "") {
    CreateOrderRequest request = NewOrder(method);
    request.set_return_url(kThanks);
    request.set_failure_url(kSorry);
    request.set_expiration_period("PT1H");
    return Create(request);
  }

  static std::string PageOf(const common::v1::Order& order) {
    return order.transactions(0).payment_url();
  }
};

TEST_F(HostedPageFlowTest, TheCustomerPicksTheMethodAndPays) {
  const auto order = Order();
  EXPECT_EQ(StateOf(order), "NEW");
  EXPECT_EQ(PayOnHostedPage(stack(), order), kThanks);
  EXPECT_EQ(StateOf(Read(order.id())), "COMPLETED COMPLETED 00");
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
  ExpectEvents(order.id(), "payment.completed");
}

TEST_F(HostedPageFlowTest, AfterEachKindOfDeclineAnotherCardCanStillPay) {
  const auto order = Order();
  for (const BadCard& bad : kBadCards) {
    PayOnHostedPage(stack(), order, bad.pan);
    EXPECT_EQ(Read(order.id()).status(), common::v1::ORDER_STATUS_PROCESSING) << bad.state;
  }
  EXPECT_THAT(Moved(), IsEmpty());
  EXPECT_EQ(PayOnHostedPage(stack(), order), kThanks);
  EXPECT_EQ(StateOf(Read(order.id())), "COMPLETED COMPLETED 00");
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
  ExpectEvents(order.id(), "payment.completed");
}

TEST_F(HostedPageFlowTest, WhereTheShopPickedTheMethodADeclineIsTheEnd) {
  std::vector<std::string> orders;
  for (const BadCard& bad : kBadCards) {
    const auto order = Order("credit-card");
    EXPECT_EQ(PayOnCardPage(stack(), PageOf(order), bad.pan), kSorry);
    const auto ended = Read(order.id());
    EXPECT_EQ(StateOf(ended), bad.state);
    EXPECT_THAT(ended.reason(), testing::Not(IsEmpty()));
    orders.push_back(order.id());
  }
  EXPECT_THAT(Moved(), IsEmpty());
  for (const std::string& order : orders) ExpectEvents(order, "payment.failed");
}

TEST_F(HostedPageFlowTest, AChallengeIsPassedFailedOrCannotBePassed) {
  struct {
    std::string_view pan;
    const char* outcome;
    const char* leads_to;
    const char* state;
    const char* event;
  } const cases[] = {
      {kChallengePan, "pass", kThanks, "COMPLETED COMPLETED 00", "payment.completed"},
      {kChallengePan, "fail", kSorry, "ERROR DECLINED 82", "payment.failed"},
      {kChallengeFailsPan, "pass", kSorry, "ERROR DECLINED 82", "payment.failed"},
  };
  for (const auto& each : cases) {
    const auto order = Order("credit-card");
    const std::string challenge = PayOnCardPage(stack(), PageOf(order), each.pan);
    EXPECT_THAT(challenge, StartsWith("https://"));
    EXPECT_EQ(StateOf(Read(order.id())), "PROCESSING PENDING");
    EXPECT_EQ(SubmitForm(stack(), challenge, "outcome=" + std::string(each.outcome)),
              each.leads_to);
    EXPECT_EQ(StateOf(Read(order.id())), each.state);
    ExpectEvents(order.id(), each.event);
  }
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
}

TEST_F(HostedPageFlowTest, AChallengeThatIsAbandonedExpiresWithItsOrder) {
  const auto order = Order("credit-card");
  const std::string challenge = PayOnCardPage(stack(), PageOf(order), kChallengePan);
  LetPass("PT1H");
  EXPECT_EQ(StateOf(Read(order.id())), "EXPIRED EXPIRED");
  SubmitForm(stack(), challenge, "outcome=pass");
  EXPECT_EQ(StateOf(Read(order.id())), "EXPIRED EXPIRED") << "too late";
  EXPECT_THAT(Moved(), IsEmpty());
  ExpectEvents(order.id(), "payment.expired");
}

TEST_F(HostedPageFlowTest, AnOrderThatNobodyPaysExpiresAndCannotBePaidAnyMore) {
  const auto order = Order("credit-card");
  const auto picks = Order();
  LetPass("PT1H");
  EXPECT_EQ(PayOnCardPage(stack(), PageOf(order)), kSorry);
  for (const auto& each : {order, picks}) {
    EXPECT_EQ(Read(each.id()).status(), common::v1::ORDER_STATUS_EXPIRED);
    ExpectEvents(each.id(), "payment.expired");
  }
  EXPECT_THAT(Moved(), IsEmpty());
}

TEST_F(HostedPageFlowTest, TheCustomerGivesUp) {
  const auto order = Order();
  EXPECT_EQ(SubmitForm(stack(), order.order_url(), "action=cancel"), kSorry);
  EXPECT_EQ(StateOf(Read(order.id())), "CANCELLED");
  EXPECT_THAT(Moved(), IsEmpty());
  ExpectEvents(order.id(), "payment.cancelled");
}

TEST_F(HostedPageFlowTest, ASlowIssuerLeavesTheOrderInProcessingUntilItAnswers) {
  const auto order = Order("credit-card");
  PayOnCardPage(stack(), PageOf(order), kSlowPan);
  EXPECT_EQ(StateOf(Read(order.id())), "PROCESSING ACCEPTED");
  EXPECT_THAT(Moved(), IsEmpty());
  LetPass("PT30S");
  EXPECT_EQ(StateOf(Read(order.id())), "COMPLETED COMPLETED 00");
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
  ExpectEvents(order.id(), "payment.completed");
}

TEST_F(HostedPageFlowTest, PaidTwiceIsForAPersonToLookAt) {
  const auto order = Order();
  PayOnHostedPage(stack(), order, kSlowPan);
  PayOnHostedPage(stack(), order);
  EXPECT_EQ(Read(order.id()).status(), common::v1::ORDER_STATUS_COMPLETED);
  // The order is read while it is completed: otherwise that is never told.
  ExpectEvents(order.id(), "payment.completed");
  LetPass("PT30S");
  EXPECT_EQ(Read(order.id()).status(), common::v1::ORDER_STATUS_SEE_TRANSACTIONS);
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR", "charge 1250 EUR"));
  ExpectEventsInTurn(order.id(), {"payment.completed", "payment.needs_review"});
}

TEST_F(HostedPageFlowTest, AnErrorThatIsApprovedLateIsToldAsBoth) {
  const auto order = Order("credit-card");
  PayOnCardPage(stack(), PageOf(order), kDeclinedPan);
  ExpectEvents(order.id(), "payment.failed");
  DoAtTheService(order.id(), "approve");
  EXPECT_EQ(StateOf(Read(order.id())), "COMPLETED COMPLETED 00");
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
  ExpectEventsInTurn(order.id(), {"payment.failed", "payment.completed"});
}

TEST_F(HostedPageFlowTest, AWalletsSheetIsApprovedOrDeclined) {
  const auto paid = Order("wallet-a-pay");
  EXPECT_EQ(SubmitForm(stack(), PageOf(paid), "outcome=approve"), kThanks);
  EXPECT_EQ(StateOf(Read(paid.id())), "COMPLETED COMPLETED 00");
  const auto declined = Order("wallet-a-pay");
  EXPECT_EQ(SubmitForm(stack(), PageOf(declined), "outcome=decline"), kSorry);
  EXPECT_EQ(StateOf(Read(declined.id())), "ERROR DECLINED 05");
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
  ExpectEvents(paid.id(), "payment.completed");
  ExpectEvents(declined.id(), "payment.failed");
}

TEST_F(HostedPageFlowTest, AnOrderThatCannotBeIsRefusedAndNotStored) {
  const std::size_t before = stack().SandboxOrders().size();
  struct {
    void (*change)(CreateOrderRequest& request);
    const char* refusal;
  } const cases[] = {
      {[](auto& request) { request.set_amount(-1); }, "INVALID_ARGUMENT INVALID_REQUEST amount"},
      {[](auto& request) { request.clear_amount(); }, "INVALID_ARGUMENT INVALID_REQUEST amount"},
      {[](auto& request) { request.set_currency("eur"); },
       "INVALID_ARGUMENT INVALID_REQUEST currency"},
      {[](auto& request) { request.set_currency("QQQ"); }, kInvalid},
      {[](auto& request) { request.add_payment_methods("barter"); }, kInvalid},
      {[](auto& request) { request.add_transactions()->set_payment_method("barter"); }, kInvalid},
      {[](auto& request) { request.set_expiration_period("an hour"); },
       "INVALID_ARGUMENT INVALID_REQUEST expiration_period"},
      {[](auto& request) { request.set_webhook_url("https://elsewhere.test/hook"); },
       "INVALID_ARGUMENT INVALID_REQUEST webhook_url"},
  };
  for (const auto& each : cases) {
    CreateOrderRequest request = NewOrder("");
    each.change(request);
    EXPECT_EQ(RefusalOf(Send(request)), each.refusal) << request.ShortDebugString();
  }
  EXPECT_THAT(stack().SandboxOrders(), SizeIs(before));
}

class PaymentLinkFlowTest : public FlowTest {
 protected:
  static common::v1::PaymentLink Make() {
    payments::v1::CreatePaymentLinkRequest request;
    request.set_merchant_order_id("invoice 7");
    request.set_amount(800);
    request.set_currency("EUR");
    request.set_expiration_period("P1D");
    return Must<payments::v1::CreatePaymentLinkResponse>(request).payment_link();
  }

  static payments::v1::GetPaymentLinkRequest Asking(const std::string& link_id) {
    payments::v1::GetPaymentLinkRequest request;
    request.set_payment_link_id(link_id);
    return request;
  }
  static common::v1::PaymentLink ReadLink(const std::string& link_id) {
    return Must<payments::v1::GetPaymentLinkResponse>(Asking(link_id)).payment_link();
  }

  /// Opens the link, picks the card; gives the page of the attempt.
  static std::string Attempt(const common::v1::PaymentLink& link) {
    return SubmitForm(stack(), link.payment_url(), "method=credit-card");
  }
};

TEST_F(PaymentLinkFlowTest, AfterADeclineTheCustomerTriesAgainAndTheLinkNamesTheOrder) {
  const auto link = Make();
  EXPECT_EQ(link.status(), common::v1::PAYMENT_LINK_STATUS_NEW);
  const std::string first = Attempt(link);
  EXPECT_EQ(ReadLink(link.id()).status(), common::v1::PAYMENT_LINK_STATUS_PROCESSING);
  PayOnCardPage(stack(), first, kDeclinedPan);
  const auto failed = ReadLink(link.id());
  EXPECT_EQ(failed.status(), common::v1::PAYMENT_LINK_STATUS_ALL_UNSUCCESSFUL);
  EXPECT_THAT(failed.reason(), testing::Not(IsEmpty()));
  ASSERT_THAT(failed.orders().at("error").ids(), SizeIs(1));

  PayOnCardPage(stack(), Attempt(link));
  const auto paid = ReadLink(link.id());
  EXPECT_EQ(paid.status(), common::v1::PAYMENT_LINK_STATUS_COMPLETED);
  EXPECT_THAT(paid.orders().at("completed").ids(), ElementsAre(paid.completed_order_id()));
  EXPECT_EQ(Read(paid.completed_order_id()).related_payment_link_id(), link.id());
  EXPECT_THAT(Moved(), ElementsAre("charge 800 EUR"));
  ExpectEvents(failed.orders().at("error").ids(0), "payment.failed");
  ExpectEvents(paid.completed_order_id(), "payment.completed");
}

TEST_F(PaymentLinkFlowTest, AnExpiredLinkTakesNoPayment) {
  const auto link = Make();
  LetPass("P1D");
  EXPECT_EQ(ReadLink(link.id()).status(), common::v1::PAYMENT_LINK_STATUS_EXPIRED);
  EXPECT_THROW(Attempt(link), std::runtime_error) << "the page sends the customer nowhere";
  EXPECT_THAT(ReadLink(link.id()).orders(), IsEmpty());
  EXPECT_THAT(Moved(), IsEmpty());
}

TEST_F(PaymentLinkFlowTest, ALinkThatCannotBeIsRefusedAndOneThatIsNotThereIsNotFound) {
  payments::v1::CreatePaymentLinkRequest request;
  request.set_merchant_order_id("invoice 8");
  request.set_amount(800);
  request.set_currency("QQQ");
  EXPECT_EQ(RefusalOf(Send(request)), kInvalid);
  request.set_currency("EUR");
  request.clear_merchant_order_id();
  EXPECT_EQ(RefusalOf(Send(request)), "INVALID_ARGUMENT INVALID_REQUEST merchant_order_id");
  EXPECT_EQ(RefusalOf(Send(Asking("0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f"))),
            "NOT_FOUND PAYMENT_LINK_NOT_FOUND");
}

}  // namespace
}  // namespace tollbridge::test
