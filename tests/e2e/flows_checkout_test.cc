// The shop's own checkout: the card goes to the vault, and the shop starts the payment; with the
// service's 3-D Secure, with that of another provider, and without the customer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/e2e/support/flows.h"

namespace tollbridge::test {
namespace {

using payments::v1::AuthenticateTransactionRequest;
using payments::v1::AuthenticateTransactionResponse;
using payments::v1::CreateOrderRequest;
using payments::v1::InitiateTransactionRequest;
using payments::v1::InitiateTransactionResponse;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* kUnknownToken = "0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f";

class OwnCheckoutFlowTest : public FlowTest {
 protected:
  static common::v1::Order Order() {
    CreateOrderRequest request = NewOrder("credit-card");
    request.set_return_url("http://shop.test/thanks");
    return Create(request);
  }
};

TEST_F(OwnCheckoutFlowTest, WithoutAFrictionTheTransactionTellsAtOnceAndTheOrderAnHourLater) {
  const auto order = Order();
  const auto paid = PayWith(order, kApprovedPan);
  EXPECT_EQ(paid.redirect_url(), "http://shop.test/thanks");
  EXPECT_EQ(StateOf(paid.order()), "PROCESSING COMPLETED 00");
  ExpectEvents(order.id(), "payment.completed");
  LetPass("PT60M");
  EXPECT_EQ(StateOf(Read(order.id())), "COMPLETED COMPLETED 00");
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
}

TEST_F(OwnCheckoutFlowTest, ADeclineOfEachKindIsAResult) {
  std::vector<std::string> orders;
  for (const BadCard& bad : kBadCards) {
    const auto declined = PayWith(Order(), bad.pan);
    EXPECT_EQ(StateOf(declined.order()), bad.state);
    EXPECT_THAT(declined.order().reason(), Not(IsEmpty()));
    orders.push_back(declined.order().id());
  }
  EXPECT_THAT(Moved(), IsEmpty());
  for (const std::string& order : orders) ExpectEvents(order, "payment.failed");
}

TEST_F(OwnCheckoutFlowTest, AChallengeIsPassedFailedOrCannotBePassed) {
  struct {
    std::string_view pan;
    const char* outcome;
    const char* state;
    const char* event;
  } const cases[] = {
      {kChallengePan, "pass", "PROCESSING COMPLETED 00", "payment.completed"},
      {kChallengePan, "fail", "ERROR DECLINED 82", "payment.failed"},
      {kChallengeFailsPan, "pass", "ERROR DECLINED 82", "payment.failed"},
  };
  for (const auto& each : cases) {
    const auto order = Order();
    const auto asked = PayWith(order, each.pan);
    EXPECT_EQ(StateOf(asked.order()), "PROCESSING PENDING");
    EXPECT_THAT(asked.redirect_url(), StartsWith("https://"));
    SubmitForm(stack(), asked.redirect_url(), "outcome=" + std::string(each.outcome));
    EXPECT_EQ(StateOf(Read(order.id())), each.state);
    ExpectEvents(order.id(), each.event);
  }
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
}

TEST_F(OwnCheckoutFlowTest, AChallengeThatIsAbandonedExpiresWithItsOrder) {
  CreateOrderRequest request = NewOrder("credit-card");
  request.set_expiration_period("PT10M");
  const auto order = Create(request);
  const auto asked = PayWith(order, kChallengePan);
  LetPass("PT10M");
  EXPECT_EQ(StateOf(Read(order.id())), "EXPIRED EXPIRED");
  EXPECT_THAT(Moved(), IsEmpty());
  ExpectEvents(order.id(), "payment.expired");
}

TEST_F(OwnCheckoutFlowTest, ALostAnswerOfTheIssuerEndsInOneCharge) {
  const auto order = Order();
  auto request = About<AuthenticateTransactionRequest>(order, Store(order, kLostAnswerPan));
  request.set_idempotency_key("lost-answer");
  // The service says that it does not know; the gateway reads that the payment was taken in.
  AuthenticateTransactionResponse response;
  ASSERT_TRUE(Eventually([&] {
    const RpcReply reply = Send(request);
    return reply.status.ok() && response.ParseFromString(reply.bytes) && response.has_order();
  }));
  EXPECT_EQ(response.knowledge(), operations::v1::KNOWLEDGE_RECOVERED);
  EXPECT_THAT(response.not_recoverable(), ElementsAre("redirect_url"));
  EXPECT_THAT(Moved(), IsEmpty());
  LetPass("PT30S");
  EXPECT_EQ(StateOf(Read(order.id())), "PROCESSING COMPLETED 00");
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
  ExpectEvents(order.id(), "payment.completed");
}

TEST_F(OwnCheckoutFlowTest, ASetupTokenIsForOneCardWithinFiveMinutes) {
  const auto spent = Order();
  Store(spent);
  EXPECT_EQ(RefusalOf(Send(CardFor(spent, kApprovedPan))), kInvalid) << "under another key";
  const auto late = Order();
  LetPass("PT301S");
  EXPECT_EQ(RefusalOf(Send(CardFor(late, kApprovedPan))), kInvalid);
  const auto order = Order();
  auto stranger = CardFor(order, kApprovedPan);
  stranger.set_setup_token(kUnknownToken);
  EXPECT_EQ(RefusalOf(Send(stranger)), kInvalid);
  EXPECT_THAT(Moved(), IsEmpty());
}

TEST_F(OwnCheckoutFlowTest, ACardThatCannotBeIsRefusedAndLeavesTheSetupToken) {
  const auto order = Order();
  struct {
    const char* pan;
    const char* expiry;
    const char* refusal;
  } const cases[] = {
      {"4111111111111112", "122030", "INVALID_ARGUMENT INVALID_REQUEST pan"},
      {"4111111111111111", "012020", "INVALID_ARGUMENT INVALID_REQUEST expiry"},
      {"4111111111111111", "1230", "INVALID_ARGUMENT INVALID_REQUEST expiry"},
      {"4000000000000010", "122030", kInvalid},  // passes the check digit, is no test card
  };
  for (const auto& each : cases) {
    auto request = CardFor(order, each.pan);
    request.set_expiry(each.expiry);
    const RpcReply refused = Send(request);
    EXPECT_EQ(RefusalOf(refused), each.refusal);
    EXPECT_EQ(refused.status.message.find(each.pan), std::string::npos);
  }
  EXPECT_THAT(Store(order), Not(IsEmpty()));
}

TEST_F(OwnCheckoutFlowTest, AnUnknownCardIsRefusedAndTheOrderCanStillBePaid) {
  const auto order = Order();
  EXPECT_EQ(RefusalOf(Send(About<AuthenticateTransactionRequest>(order, kUnknownToken))), kInvalid);
  EXPECT_EQ(RefusalOf(Send(About<InitiateTransactionRequest>(order, kUnknownToken))), kInvalid);
  EXPECT_EQ(StateOf(Read(order.id())), "NEW NEW");
  EXPECT_EQ(StateOf(PayWith(order, kApprovedPan).order()), "PROCESSING COMPLETED 00");
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
}

TEST_F(OwnCheckoutFlowTest, WhatWasStartedOrHasEndedIsNotStartedAgain) {
  const auto paid = Order();
  const std::string token = Store(paid);
  Must<AuthenticateTransactionResponse>(About<AuthenticateTransactionRequest>(paid, token));
  EXPECT_EQ(RefusalOf(Send(About<AuthenticateTransactionRequest>(paid, token))), kStarted);
  EXPECT_EQ(RefusalOf(Send(About<InitiateTransactionRequest>(paid, token))), kStarted);
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));

  CreateOrderRequest request = NewOrder("credit-card");
  request.set_expiration_period("PT10M");
  const auto expired = Create(request);
  LetPass("PT10M");
  EXPECT_EQ(RefusalOf(Send(About<AuthenticateTransactionRequest>(expired, token))),
            "FAILED_PRECONDITION UPSTREAM_REFUSED CanNotCancelTransaction");
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
  ExpectEvents(expired.id(), "payment.expired");
}

class ExternalAuthenticationFlowTest : public OwnCheckoutFlowTest {
 protected:
  static AuthenticateTransactionRequest Authenticated(const common::v1::Order& order,
                                                      std::string_view pan) {
    auto request = About<AuthenticateTransactionRequest>(order, Store(order, pan));
    request.set_cvc("123");
    request.set_cavv("AAABBB");
    request.set_three_ds_version("2.2.0");
    request.set_three_ds_method_used("challenge");
    request.set_ds_transaction_id("ds-1");
    return request;
  }
};

TEST_F(ExternalAuthenticationFlowTest, ThePaymentRunsWithoutAskingTheCustomerAgain) {
  const auto order = Order();
  const auto paid = Must<AuthenticateTransactionResponse>(Authenticated(order, kChallengePan));
  EXPECT_THAT(paid.redirect_url(), IsEmpty());
  EXPECT_EQ(StateOf(paid.order()), "PROCESSING COMPLETED 00");
  const auto& details = paid.order().transactions(0).payment_method_details();
  EXPECT_TRUE(details.liability_shift());
  EXPECT_EQ(details.external_authentication_details().ds_trans_id(), "ds-1");
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
  ExpectEvents(order.id(), "payment.completed");
}

TEST_F(ExternalAuthenticationFlowTest, AnAuthenticationThatTheBankRefusesIsADecline) {
  const auto order = Order();
  const auto refused =
      Must<AuthenticateTransactionResponse>(Authenticated(order, kChallengeFailsPan));
  EXPECT_EQ(StateOf(refused.order()), "ERROR DECLINED 82");
  for (const BadCard& bad : kBadCards) {
    const auto declined = Must<AuthenticateTransactionResponse>(Authenticated(Order(), bad.pan));
    EXPECT_EQ(StateOf(declined.order()), bad.state);
  }
  EXPECT_THAT(Moved(), IsEmpty());
  ExpectEvents(order.id(), "payment.failed");
}

TEST_F(ExternalAuthenticationFlowTest, ItsFourValuesComeTogether) {
  auto request = Authenticated(Order(), kApprovedPan);
  request.clear_cavv();
  request.clear_ds_transaction_id();
  EXPECT_EQ(RefusalOf(Send(request)), "INVALID_ARGUMENT INVALID_REQUEST cavv ds_transaction_id");
  EXPECT_THAT(Moved(), IsEmpty());
}

class RecurringFlowTest : public OwnCheckoutFlowTest {
 protected:
  static CreateOrderRequest Series() {
    CreateOrderRequest request = NewOrder("credit-card");
    request.mutable_transactions(0)->mutable_payment_method_details()->set_recurring_type(
        "recurring");
    return request;
  }

  /// Charges without the customer; the order when that has been decided.
  static common::v1::Order Charge(const common::v1::Order& order, std::string_view pan) {
    Must<InitiateTransactionResponse>(About<InitiateTransactionRequest>(order, Store(order, pan)));
    LetPass("PT1S");
    return Read(order.id());
  }

  static const common::v1::PaymentMethodDetails& DetailsOf(const common::v1::Order& order) {
    return order.transactions(0).payment_method_details();
  }
};

TEST_F(RecurringFlowTest, ASeriesBeginsAndAnotherPlatformsIsContinued) {
  const auto started = Must<InitiateTransactionResponse>([] {
    const auto order = Create(Series());
    return About<InitiateTransactionRequest>(order, Store(order));
  }());
  EXPECT_EQ(StateOf(started.order()), "PROCESSING ACCEPTED") << "taken in, not paid";
  LetPass("PT1S");
  const auto first = Read(started.order().id());
  EXPECT_EQ(StateOf(first), "PROCESSING COMPLETED 00");
  const std::string network_id = DetailsOf(first).first_network_transaction_id();
  EXPECT_EQ(DetailsOf(first).network_transaction_id(), network_id);

  CreateOrderRequest request = Series();
  request.mutable_transactions(0)
      ->mutable_payment_method_details()
      ->set_first_network_transaction_id(network_id);
  const auto next = Charge(Create(request), kApprovedPan);
  EXPECT_EQ(StateOf(next), "PROCESSING COMPLETED 00");
  EXPECT_EQ(DetailsOf(next).first_network_transaction_id(), network_id);
  EXPECT_NE(DetailsOf(next).network_transaction_id(), network_id);
  EXPECT_EQ(DetailsOf(next).recurring_type(), "recurring");
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR", "charge 1250 EUR"));
  ExpectEvents(first.id(), "payment.completed");
  ExpectEvents(next.id(), "payment.completed");
}

TEST_F(RecurringFlowTest, ACardThatAsksForTheCustomerIsDeclinedAndSoIsEachBadOne) {
  std::vector<BadCard> cards{kBadCards.begin(), kBadCards.end()};
  cards.push_back({kChallengePan, "ERROR DECLINED 65"});
  cards.push_back({kChallengeFailsPan, "ERROR DECLINED 82"});
  std::vector<std::string> orders;
  for (const BadCard& bad : cards) {
    const auto declined = Charge(Create(Series()), bad.pan);
    EXPECT_EQ(StateOf(declined), bad.state);
    orders.push_back(declined.id());
  }
  EXPECT_THAT(Moved(), IsEmpty());
  for (const std::string& order : orders) ExpectEvents(order, "payment.failed");
}

TEST_F(RecurringFlowTest, AContinuationThatDoesNotSaySoIsRefused) {
  CreateOrderRequest request = NewOrder("credit-card");
  request.mutable_transactions(0)
      ->mutable_payment_method_details()
      ->set_first_network_transaction_id("000000000000001");
  EXPECT_EQ(RefusalOf(Send(request)),
            "INVALID_ARGUMENT UPSTREAM_REFUSED MissingInformationToCreateTransaction");
}

}  // namespace
}  // namespace tollbridge::test
