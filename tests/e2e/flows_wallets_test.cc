// Wallet A's session, and wallet B with its payload encrypted and decrypted.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/e2e/support/flows.h"

namespace tollbridge::test {
namespace {

using payments::v1::CreateWalletASessionRequest;
using payments::v1::CreateWalletASessionResponse;
using payments::v1::ExecuteWalletBPaymentRequest;
using payments::v1::ExecuteWalletBPaymentResponse;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using vault::v1::ExchangeWalletBTokenRequest;
using vault::v1::ExchangeWalletBTokenResponse;

using WalletAFlowTest = FlowTest;

TEST_F(WalletAFlowTest, TheBrowserGetsASessionOfThisProject) {
  CreateWalletASessionRequest request;
  request.set_validation_url("https://wallet.test/session");
  request.set_display_name("A Shop");
  request.set_initiative_context("shop.test");
  const auto session = Must<CreateWalletASessionResponse>(request).session_data();
  EXPECT_EQ(session.fields().at("merchantIdentifier").string_value(),
            "11111111111141118111111111111111");
  EXPECT_EQ(session.fields().at("domainName").string_value(), "shop.test");
}

TEST_F(WalletAFlowTest, WithoutWhatTheWalletAsksForThereIsNone) {
  CreateWalletASessionRequest request;
  request.set_validation_url("wallet.test");
  request.set_initiative_context("https://shop.test/");
  EXPECT_EQ(RefusalOf(Send(request)),
            "INVALID_ARGUMENT INVALID_REQUEST validation_url display_name initiative_context");
  request.set_validation_url("https://wallet.test/session");
  request.set_initiative_context("shop.test");
  request.set_display_name(std::string(65, 'a'));
  EXPECT_EQ(RefusalOf(Send(request)), kInvalid) << "longer than the wallet's sheet is wide";
}

TEST_F(WalletAFlowTest, WhereThePaymentServiceMustNotCallTheGatewayItselfRefuses) {
  for (const char* url : {"http://wallet.test/session", "https://me@wallet.test/session",
                          "https://127.0.0.1/session", "https://wallet.test:8443/session"}) {
    CreateWalletASessionRequest request;
    request.set_validation_url(url);
    request.set_display_name("A Shop");
    request.set_initiative_context("shop.test");
    EXPECT_EQ(RefusalOf(Send(request)), "INVALID_ARGUMENT INVALID_REQUEST validation_url") << url;
  }
}

class WalletBFlowTest : public FlowTest {
 protected:
  static common::v1::Order Order() {
    auto request = NewOrder("wallet-b-pay");
    request.set_return_url("http://shop.test/thanks");
    return Create(request);
  }

  static ExchangeWalletBTokenRequest Message(const common::v1::Order& order,
                                             const std::string& message) {
    ExchangeWalletBTokenRequest request;
    request.set_wallet_pay_message(message);
    request.set_setup_token(order.transactions(0).payment_method_details().setup_token());
    request.set_transaction_id(order.transactions(0).id());
    return request;
  }

  static ExecuteWalletBPaymentRequest Execute(const common::v1::Order& order,
                                              const std::string& vault_token) {
    auto request = About<ExecuteWalletBPaymentRequest>(order, vault_token);
    request.set_browser_info_screen_width(1280);
    request.set_browser_info_screen_height(800);
    request.set_browser_info_color_depth(24);
    request.set_browser_info_user_agent("a browser");
    request.set_browser_info_time_zone_offset(-60);
    request.set_browser_info_language("en-GB");
    request.set_browser_info_java_enabled(false);
    return request;
  }

  /// The encrypted flow up to the answer of the execution.
  static payments::v1::WalletBPayment Pay(const common::v1::Order& order,
                                          std::string_view auth_method, std::string_view pan) {
    const auto token = Must<ExchangeWalletBTokenResponse>(
                           Message(order, WalletBMessage(stack(), auth_method, pan)))
                           .token();
    auto request = Execute(order, token.vault_token());
    request.set_cryptogram(token.cryptogram());
    request.set_eci_indicator(token.eci_indicator());
    return Must<ExecuteWalletBPaymentResponse>(request).payment();
  }
};

TEST_F(WalletBFlowTest, AnEncryptedPayloadPaysBoundToADeviceOrNot) {
  for (const char* const auth_method : {"CRYPTOGRAM_3DS", "PAN_ONLY"}) {
    const auto order = Order();
    const auto payment = Pay(order, auth_method, kApprovedPan);
    EXPECT_TRUE(payment.is_successful());
    EXPECT_EQ(payment.reason(), "none");
    EXPECT_EQ(payment.redirect_url(), "http://shop.test/thanks");
    EXPECT_EQ(StateOf(Read(order.id())), "PROCESSING COMPLETED 00");
    ExpectEvents(order.id(), "payment.completed");
  }
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR", "charge 1250 EUR"));
}

TEST_F(WalletBFlowTest, ADecryptedPayloadPaysAsAStoredCard) {
  const auto order = Order();
  auto request = Execute(order, Store(order, kChallengePan));
  request.set_cryptogram("AAAA");
  request.set_eci_indicator("05");
  EXPECT_TRUE(Must<ExecuteWalletBPaymentResponse>(request).payment().is_successful());
  EXPECT_EQ(StateOf(Read(order.id())), "PROCESSING COMPLETED 00") << "the cryptogram is enough";
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
  ExpectEvents(order.id(), "payment.completed");
}

TEST_F(WalletBFlowTest, ACardThatIsNotBoundToADeviceMayAskForTheCustomer) {
  for (const std::string outcome : {"pass", "fail"}) {
    const auto order = Order();
    const auto payment = Pay(order, "PAN_ONLY", kChallengePan);
    EXPECT_TRUE(payment.is_successful()) << "taken in";
    EXPECT_THAT(payment.redirect_url(), StartsWith("https://"));
    SubmitForm(stack(), payment.redirect_url(), "outcome=" + outcome);
    EXPECT_EQ(StateOf(Read(order.id())),
              outcome == "pass" ? "PROCESSING COMPLETED 00" : "ERROR DECLINED 82");
    ExpectEvents(order.id(), outcome == "pass" ? "payment.completed" : "payment.failed");
  }
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
}

TEST_F(WalletBFlowTest, AChallengeThatIsAbandonedExpiresWithItsOrder) {
  const auto order = Order();
  Pay(order, "PAN_ONLY", kChallengePan);
  LetPass("PT24H");
  EXPECT_EQ(StateOf(Read(order.id())), "EXPIRED EXPIRED");
  EXPECT_THAT(Moved(), IsEmpty());
  ExpectEvents(order.id(), "payment.expired");
}

TEST_F(WalletBFlowTest, ADeclineOfEachKindIsAResult) {
  for (const BadCard& bad : kBadCards) {
    const auto order = Order();
    const auto payment = Pay(order, "CRYPTOGRAM_3DS", bad.pan);
    EXPECT_FALSE(payment.is_successful());
    EXPECT_THAT(payment.reason(), Not(testing::AnyOf("", "none")));
    EXPECT_EQ(StateOf(Read(order.id())), bad.state);
    ExpectEvents(order.id(), "payment.failed");
  }
  EXPECT_THAT(Moved(), IsEmpty());
}

TEST_F(WalletBFlowTest, WhatIsNoPayloadOrComesWithTheWrongTokenIsNotExchanged) {
  const auto order = Order();
  const std::string message = WalletBMessage(stack(), "PAN_ONLY");
  EXPECT_EQ(RefusalOf(Send(Message(order, "{}"))), kInvalid);
  auto request = Message(order, message);
  request.set_transaction_id(Order().transactions(0).id());
  EXPECT_EQ(RefusalOf(Send(request)), kInvalid) << "another order's transaction";
  const auto card = Create(NewOrder("credit-card"));
  EXPECT_EQ(RefusalOf(Send(Message(card, message))), kInvalid) << "another method";
  Must<ExchangeWalletBTokenResponse>(Message(order, message));
  EXPECT_EQ(RefusalOf(Send(Message(order, message))), kInvalid) << "spent";
  const auto late = Order();
  LetPass("PT301S");
  EXPECT_EQ(RefusalOf(Send(Message(late, message))), kInvalid);
  EXPECT_THAT(Moved(), IsEmpty());
}

TEST_F(WalletBFlowTest, AnUnknownCardAnotherMethodOrASecondStartPaysNothing) {
  const auto order = Order();
  EXPECT_EQ(RefusalOf(Send(Execute(order, "0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f"))), kInvalid);
  const auto card = Create(NewOrder("credit-card"));
  EXPECT_EQ(RefusalOf(Send(Execute(card, Store(card)))), kInvalid);
  const std::string token = Store(order);
  Must<ExecuteWalletBPaymentResponse>(Execute(order, token));
  EXPECT_EQ(RefusalOf(Send(Execute(order, token))), kStarted);
  EXPECT_THAT(Moved(), ElementsAre("charge 1250 EUR"));
}

}  // namespace
}  // namespace tollbridge::test
