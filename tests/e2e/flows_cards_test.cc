// Card payments that are more than one purchase: one-click, account funding.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/e2e/support/flows.h"

namespace tollbridge::test {
namespace {

using payments::v1::CreateOrderRequest;
using payments::v1::NewPaymentMethodDetails;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kUnknownId = "0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f";

NewPaymentMethodDetails& DetailsIn(CreateOrderRequest& request) {
  return *request.mutable_transactions(0)->mutable_payment_method_details();
}

class OneClickFlowTest : public FlowTest {
 protected:
  static CreateOrderRequest First(std::int64_t amount) {
    CreateOrderRequest request = NewOrder("credit-card", amount);
    DetailsIn(request).set_one_click_type("first");
    return request;
  }
  static CreateOrderRequest Later() {
    CreateOrderRequest request = NewOrder("credit-card", 700);
    DetailsIn(request).set_one_click_type("one-click");
    DetailsIn(request).set_cvc("123");
    return request;
  }

  /// The customer pays the first order; the order afterwards.
  static common::v1::Order Paid(const CreateOrderRequest& request, std::string_view pan) {
    const auto order = Create(request);
    PayOnCardPage(stack(), order.transactions(0).payment_url(), pan);
    return Read(order.id());
  }
  /// The customer agrees on the page of a later order; the address that they are sent to.
  static std::string Agree(const common::v1::Order& order) {
    return SubmitForm(stack(), order.transactions(0).payment_url(), "action=pay");
  }
};

TEST_F(OneClickFlowTest, AVerifiedCardPaysLaterByItsTokenAndByItsFirstTransaction) {
  const auto first = Paid(First(0), kApprovedPan);
  EXPECT_EQ(StateOf(first), "COMPLETED COMPLETED 00");
  EXPECT_THAT(Moved(), IsEmpty()) << "an amount of 0 verifies";
  const auto& stored = first.transactions(0).payment_method_details();
  EXPECT_EQ(stored.ani_results().status(), "00");
  EXPECT_EQ(stored.ani_results().match(), "01");

  CreateOrderRequest by_token = Later();
  DetailsIn(by_token).set_vault_token(stored.vault_token());
  CreateOrderRequest by_first = Later();
  DetailsIn(by_first).set_first_transaction_id(first.transactions(0).id());
  for (const CreateOrderRequest& request : {by_token, by_first}) {
    const auto order = Create(request);
    Agree(order);
    EXPECT_EQ(StateOf(Read(order.id())), "COMPLETED COMPLETED 00");
    ExpectEvents(order.id(), "payment.completed");
  }
  EXPECT_THAT(Moved(), ElementsAre("charge 700 EUR", "charge 700 EUR"));
  ExpectEvents(first.id(), "payment.completed");
}

TEST_F(OneClickFlowTest, TheAnswersOfANameInquiryComeWithTheFirstPayment) {
  struct {
    std::string_view pan;
    const char* status;
    const char* match;
  } const cases[] = {{"4000000000000713", "00", "50"},
                     {"4000000000000721", "00", "99"},
                     {"4000000000000739", "01", ""},
                     {"4000000000000747", "02", ""}};
  for (const auto& each : cases) {
    const auto first = Paid(First(0), each.pan);
    const auto& results = first.transactions(0).payment_method_details().ani_results();
    EXPECT_EQ(results.status(), each.status);
    EXPECT_EQ(results.match(), each.match);
  }
  EXPECT_THAT(Moved(), IsEmpty());
}

TEST_F(OneClickFlowTest, AFirstPaymentThatIsDeclinedStoresNoCard) {
  for (const BadCard& bad : kBadCards) {
    const auto first = Paid(First(500), bad.pan);
    EXPECT_EQ(StateOf(first), bad.state);
    EXPECT_FALSE(first.transactions(0).payment_method_details().has_vault_token());
    CreateOrderRequest later = Later();
    DetailsIn(later).set_first_transaction_id(first.transactions(0).id());
    EXPECT_EQ(RefusalOf(Send(later)), kInvalid);
  }
  EXPECT_THAT(Moved(), IsEmpty());
}

TEST_F(OneClickFlowTest, TheCustomerIsAuthenticatedOnEachLaterPayment) {
  const auto first = Create(First(500));
  SubmitForm(stack(), PayOnCardPage(stack(), first.transactions(0).payment_url(), kChallengePan),
             "outcome=pass");
  EXPECT_THAT(Moved(), ElementsAre("charge 500 EUR"));
  for (const std::string outcome : {"pass", "fail"}) {
    CreateOrderRequest later = Later();
    DetailsIn(later).set_first_transaction_id(first.transactions(0).id());
    const auto order = Create(later);
    SubmitForm(stack(), Agree(order), "outcome=" + outcome);
    EXPECT_EQ(StateOf(Read(order.id())),
              outcome == "pass" ? "COMPLETED COMPLETED 00" : "ERROR DECLINED 82");
    ExpectEvents(order.id(), outcome == "pass" ? "payment.completed" : "payment.failed");
  }
  EXPECT_THAT(Moved(), ElementsAre("charge 500 EUR", "charge 700 EUR"));
}

TEST_F(OneClickFlowTest, WithoutItsCvcOrItsOneCardItIsRefused) {
  const std::string details = "transactions[0].payment_method_details.";
  const std::string invalid = "INVALID_ARGUMENT INVALID_REQUEST " + details;
  CreateOrderRequest request = Later();
  EXPECT_EQ(RefusalOf(Send(request)), invalid + "vault_token");
  DetailsIn(request).set_vault_token(kUnknownId);
  EXPECT_EQ(RefusalOf(Send(request)), kInvalid);
  DetailsIn(request).set_first_transaction_id(kUnknownId);
  EXPECT_EQ(RefusalOf(Send(request)), invalid + "vault_token") << "both of them";
  DetailsIn(request).clear_vault_token();
  EXPECT_EQ(RefusalOf(Send(request)), kInvalid);
  DetailsIn(request).clear_cvc();
  EXPECT_EQ(RefusalOf(Send(request)), invalid + "cvc");
}

TEST_F(OneClickFlowTest, ItCannotBeChargedWithoutTheCustomer) {
  const auto first = Paid(First(0), kApprovedPan);
  const std::string token = first.transactions(0).payment_method_details().vault_token();
  CreateOrderRequest later = Later();
  DetailsIn(later).set_vault_token(token);
  const auto order = Create(later);
  EXPECT_EQ(RefusalOf(Send(About<payments::v1::InitiateTransactionRequest>(order, token))),
            kInvalid);
  EXPECT_EQ(RefusalOf(Send(About<payments::v1::AuthenticateTransactionRequest>(order, token))),
            kInvalid);
  EXPECT_THAT(Moved(), IsEmpty());
}

class AccountFundingFlowTest : public FlowTest {
 protected:
  static CreateOrderRequest Funding() {
    CreateOrderRequest request = NewOrder("credit-card");
    DetailsIn(request).set_receiver_account_number("DE00123456780000000000");
    DetailsIn(request).set_receiver_account_number_type("card-account");
    *request.mutable_customer() = FundingCustomer();
    return request;
  }

  static common::v1::Order Pay(const CreateOrderRequest& request, std::string_view pan) {
    const auto order = Create(request);
    EXPECT_EQ(order.transactions(0).transaction_type(), "aft");
    PayOnCardPage(stack(), order.transactions(0).payment_url(), pan);
    return Read(order.id());
  }
};

TEST_F(AccountFundingFlowTest, GoesOnLikeACardPayment) {
  const auto paid = Pay(Funding(), kApprovedPan);
  EXPECT_EQ(StateOf(paid), "COMPLETED COMPLETED 00");
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
  ExpectEvents(paid.id(), "account_funding.completed");
}

TEST_F(AccountFundingFlowTest, ACardThatMayNotFundAccountsIsDeclined) {
  const auto declined = Pay(Funding(), "4000000000000614");
  EXPECT_EQ(StateOf(declined), "ERROR DECLINED 57");
  EXPECT_THAT(Moved(), IsEmpty());
  ExpectEvents(declined.id(), "account_funding.failed");
}

TEST_F(AccountFundingFlowTest, CanBeAuthorizedAndCapturedLater) {
  CreateOrderRequest request = Funding();
  request.mutable_transactions(0)->set_capture_mode("manual");
  const auto authorized = Pay(request, kApprovedPan);
  EXPECT_TRUE(authorized.transactions(0).is_capturable());
  const auto captured = Must<payments::v1::CaptureTransactionResponse>(
      About<payments::v1::CaptureTransactionRequest>(authorized));
  EXPECT_EQ(captured.capture_order().capture_of_order_id(), authorized.id());
  EXPECT_THAT(Moved(), ElementsAre("authorize 1250 EUR", "capture 1250 EUR"));
  ExpectEvents(authorized.id(), "authorization.completed");
  ExpectEvents(captured.capture_order().id(), "capture.completed");
}

TEST_F(AccountFundingFlowTest, WithoutReceiverCustomerOrStateItIsRefused) {
  CreateOrderRequest request = Funding();
  request.mutable_customer()->set_state("ZZ");
  EXPECT_EQ(RefusalOf(Send(request)), "INVALID_ARGUMENT INVALID_REQUEST customer.state");
  request.mutable_customer()->clear_state();
  request.mutable_customer()->clear_city();
  DetailsIn(request).clear_receiver_account_number();
  EXPECT_EQ(RefusalOf(Send(request)),
            "INVALID_ARGUMENT INVALID_REQUEST "
            "transactions[0].payment_method_details.receiver_account_number customer.city "
            "customer.state");
}

}  // namespace
}  // namespace tollbridge::test
