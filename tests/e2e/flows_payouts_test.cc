// Card payouts: order, card and execution in one call, or with a card that is stored.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/e2e/support/flows.h"
#include "tests/support/process.h"
#include "tollbridge/payouts/v1/payouts.pb.h"

namespace tollbridge::test {
namespace {

using payouts::v1::CreatePayoutRequest;
using payouts::v1::CreatePayoutResponse;
using payouts::v1::GetPayoutRequest;
using payouts::v1::GetPayoutResponse;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kUnknownToken = "0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f";

class PayoutFlowTest : public FlowTest {
 protected:
  static CreatePayoutRequest Payout() {
    CreatePayoutRequest request;
    request.set_amount(900);
    request.set_currency("EUR");
    request.mutable_customer()->set_first_name("Ada");
    request.mutable_customer()->set_last_name("Example");
    request.mutable_customer()->set_country("DE");
    return request;
  }
  static CreatePayoutRequest To(std::string_view pan) {
    CreatePayoutRequest request = Payout();
    request.mutable_card()->set_pan(std::string(pan));
    request.mutable_card()->set_expiry("122030");
    return request;
  }
  static CreatePayoutRequest ToToken(const std::string& vault_token) {
    CreatePayoutRequest request = Payout();
    request.set_vault_token(vault_token);
    return request;
  }

  static GetPayoutRequest Asking(const std::string& order_id) {
    GetPayoutRequest request;
    request.set_order_id(order_id);
    return request;
  }
  /// Pays out and lets the service come to its end; the payout then.
  static common::v1::Order Ended(const CreatePayoutRequest& request) {
    const auto order = Must<CreatePayoutResponse>(request).order();
    EXPECT_EQ(order.transactions(0).credit_debit(), "debit");
    EXPECT_EQ(order.transactions(0).transaction_type(), "oct");
    LetPass("PT1S");
    return Must<GetPayoutResponse>(Asking(order.id())).order();
  }
};

TEST_F(PayoutFlowTest, ByCardAndByVaultTokenMoneyGoesOutOnce) {
  const auto by_card = Ended(To(kApprovedPan));
  CreatePayoutRequest with_cvc = ToToken(Store(Create(NewOrder("credit-card"))));
  with_cvc.set_cvc("123");
  const auto by_token = Ended(with_cvc);
  for (const auto& payout : {by_card, by_token}) {
    EXPECT_EQ(StateOf(payout), "COMPLETED COMPLETED 00");
    EXPECT_EQ(payout.transactions(0).payment_method_details().consumer_country(), "DE");
    ExpectEvents(payout.id(), "payout.completed");
  }
  EXPECT_THAT(Moved(), ElementsAre("payout 900 EUR", "payout 900 EUR"));
}

TEST_F(PayoutFlowTest, ADeclineOfEachKindIsAResultAndNoMoneyGoesOut) {
  std::vector<BadCard> cards{kBadCards.begin(), kBadCards.end()};
  cards.push_back({"4000000000000622", "ERROR DECLINED 57"});  // takes no payouts
  cards.push_back({kChallengePan, "ERROR DECLINED 65"});       // nobody is there to be asked
  for (const BadCard& bad : cards) {
    const auto payout = Ended(To(bad.pan));
    EXPECT_EQ(StateOf(payout), bad.state);
    ExpectEvents(payout.id(), "payout.failed");
  }
  EXPECT_THAT(Moved(), IsEmpty());
}

TEST_F(PayoutFlowTest, ALostAnswerOfTheIssuerEndsInOnePayout) {
  CreatePayoutRequest request = To(kLostAnswerPan);
  request.set_idempotency_key("lost-payout");
  CreatePayoutResponse response;
  ASSERT_TRUE(Eventually([&] {
    const RpcReply reply = Send(request);
    return reply.status.ok() && response.ParseFromString(reply.bytes) && response.has_order();
  }));
  EXPECT_EQ(response.knowledge(), operations::v1::KNOWLEDGE_RECOVERED);
  LetPass("PT30S");
  EXPECT_EQ(StateOf(Read(response.order().id())), "COMPLETED COMPLETED 00");
  EXPECT_THAT(Moved(), ElementsAre("payout 900 EUR"));
  ExpectEvents(response.order().id(), "payout.completed");
}

TEST_F(PayoutFlowTest, AnUnknownCardIsRefusedAndNothingGoesOut) {
  EXPECT_EQ(RefusalOf(Send(ToToken(kUnknownToken))), kInvalid);
  EXPECT_EQ(RefusalOf(Send(To("4000000000000010"))), kInvalid);
  EXPECT_THAT(Moved(), IsEmpty());
}

TEST_F(PayoutFlowTest, WhatCannotBeIsRefusedBeforeAnOrderIsMade) {
  const std::size_t before = stack().SandboxOrders().size();
  struct {
    void (*change)(CreatePayoutRequest& request);
    const char* fields;
  } const cases[] = {
      {[](auto& request) { request.set_amount(0); }, " amount"},
      {[](auto& request) { request.set_currency("euro"); }, " currency"},
      {[](auto& request) { request.clear_destination(); }, " destination"},
      {[](auto& request) { request.mutable_card()->set_pan("4111111111111112"); }, " card.pan"},
      {[](auto& request) { request.mutable_card()->set_expiry("012020"); }, " card.expiry"},
      {[](auto& request) { request.clear_customer(); }, " customer"},
      {[](auto& request) { request.mutable_customer()->set_country("US"); }, " customer.state"},
      {[](auto& request) { request.mutable_customer()->set_country("AU"); }, " customer.state"},
  };
  for (const auto& each : cases) {
    CreatePayoutRequest request = To(kApprovedPan);
    each.change(request);
    EXPECT_EQ(RefusalOf(Send(request)),
              std::string("INVALID_ARGUMENT INVALID_REQUEST") + each.fields);
  }
  EXPECT_EQ(RefusalOf(Send(NewOrder("credit-card-oct"))),
            "INVALID_ARGUMENT INVALID_REQUEST transactions[0].payment_method")
      << "orders are no payouts";
  EXPECT_THAT(stack().SandboxOrders(), SizeIs(before));
}

TEST_F(PayoutFlowTest, APayoutIsNotGivenBackAndAPaymentIsNone) {
  const auto payout = Ended(To(kApprovedPan));
  payments::v1::CreateRefundRequest refund;
  refund.set_order_id(payout.id());
  refund.set_amount(100);
  EXPECT_EQ(RefusalOf(Send(refund)), "FAILED_PRECONDITION UPSTREAM_REFUSED RefundError");
  EXPECT_EQ(RefusalOf(Send(Asking(Create(NewOrder("")).id()))), "NOT_FOUND PAYOUT_NOT_FOUND");
  EXPECT_THAT(Moved(), ElementsAre("payout 900 EUR"));
}

}  // namespace
}  // namespace tollbridge::test
