// Own checkout and wallet B through the whole product: the flows of docs/interface.md.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "tests/e2e/support/payments.h"
#include "tests/support/stack.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::test {
namespace {

using payments::v1::AuthenticateTransactionRequest;
using payments::v1::AuthenticateTransactionResponse;
using payments::v1::ExecuteWalletBPaymentRequest;
using payments::v1::ExecuteWalletBPaymentResponse;
using vault::v1::ExchangeWalletBTokenRequest;
using vault::v1::ExchangeWalletBTokenResponse;
using vault::v1::StoreCardRequest;
using vault::v1::StoreCardResponse;

/// One stack for all tests of this suite; idempotency keys begin with the test's name.
class WalletTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    stack_ =
        std::make_unique<Stack>(StackOptions{.sandbox_arguments = {"--own-checkout-hold", "PT0S"}});
  }
  static void TearDownTestSuite() { stack_.reset(); }
  static Stack& stack() { return *stack_; }

  static std::string Key(const std::string& name) {
    return std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "-" + name;
  }

  /// An order with one transaction of this method.
  common::v1::Order OrderWith(const std::string& method) {
    auto request = OrderRequest(Key("order"));
    request.add_transactions()->set_payment_method(method);
    return OrderOf(CreateOrder(stack(), request));
  }

  template <typename Response, typename Request>
  Response Must(const std::string& method, const Request& request) {
    const RpcReply reply = stack().grpc().Call(method, request);
    if (!reply.status.ok()) throw std::runtime_error(method + ": " + reply.status.message);
    return reply.As<Response>();
  }

  static std::string SetupToken(const common::v1::Order& order) {
    return order.transactions(0).payment_method_details().setup_token();
  }

  vault::v1::StoredCard StoreFor(const common::v1::Order& order) {
    StoreCardRequest request;
    request.set_idempotency_key(Key("store"));
    request.set_pan(std::string(kApprovedPan));
    request.set_expiry("122030");
    request.set_setup_token(SetupToken(order));
    return Must<StoreCardResponse>(kStoreCard, request).card();
  }

  ExchangeWalletBTokenRequest Exchange(const common::v1::Order& order,
                                       const std::string& auth_method) {
    ExchangeWalletBTokenRequest request;
    request.set_idempotency_key(Key("exchange"));
    request.set_wallet_pay_message(WalletBMessage(stack(), auth_method));
    request.set_setup_token(SetupToken(order));
    request.set_transaction_id(order.transactions(0).id());
    return request;
  }

  static ExecuteWalletBPaymentRequest Execute(const common::v1::Order& order,
                                              const std::string& vault_token) {
    ExecuteWalletBPaymentRequest request;
    request.set_idempotency_key(Key("execute"));
    request.set_order_id(order.id());
    request.set_transaction_id(order.transactions(0).id());
    request.set_vault_token(vault_token);
    request.set_browser_info_language("en-GB");
    request.set_browser_info_screen_width(1280);
    return request;
  }

  void ExpectPaid(const std::string& order_id) {
    const RpcReply reply = GetOrder(stack(), order_id);
    ASSERT_TRUE(reply.status.ok()) << reply.status.message;
    const auto order = reply.As<payments::v1::GetOrderResponse>().order();
    EXPECT_EQ(order.status(), common::v1::ORDER_STATUS_COMPLETED);
    EXPECT_EQ(order.transactions(0).status(), common::v1::TRANSACTION_STATUS_COMPLETED);
    EXPECT_EQ(std::ranges::count_if(
                  stack().SandboxLedger(),
                  [&](const auto& entry) { return entry.at("order_id").as_string() == order_id; }),
              1)
        << "one charge";
  }

  static constexpr const char* kStoreCard = "tollbridge.vault.v1.Vault.StoreCard";
  static constexpr const char* kExchange = "tollbridge.vault.v1.Vault.ExchangeWalletBToken";
  static constexpr const char* kExecute = "tollbridge.payments.v1.Payments.ExecuteWalletBPayment";

 private:
  static inline std::unique_ptr<Stack> stack_;
};

TEST_F(WalletTest, AnEncryptedPayloadIsExchangedAndPaidWith) {
  const auto order = OrderWith("wallet-b-pay");
  const auto exchange = Exchange(order, "CRYPTOGRAM_3DS");
  const auto token = Must<ExchangeWalletBTokenResponse>(kExchange, exchange).token();
  EXPECT_FALSE(token.cryptogram().empty());
  auto execute = Execute(order, token.vault_token());
  execute.set_cryptogram(token.cryptogram());
  execute.set_eci_indicator(token.eci_indicator());
  const auto paid = Must<ExecuteWalletBPaymentResponse>(kExecute, execute);
  EXPECT_TRUE(paid.payment().is_successful());
  EXPECT_FALSE(paid.payment().redirect_url().empty());
  ExpectPaid(order.id());
  EXPECT_EQ(Must<ExecuteWalletBPaymentResponse>(kExecute, execute).SerializeAsString(),
            paid.SerializeAsString());
  ExpectPaid(order.id());
}

TEST_F(WalletTest, TheResultOfAnExchangeIsToldOnceAlsoWithoutACryptogram) {
  const auto order = OrderWith("wallet-b-pay");
  const auto exchange = Exchange(order, "PAN_ONLY");
  const auto token = Must<ExchangeWalletBTokenResponse>(kExchange, exchange).token();
  EXPECT_TRUE(token.cryptogram().empty());
  const RpcReply replay = stack().grpc().Call(kExchange, exchange);
  EXPECT_EQ(replay.status.code_name(), "FAILED_PRECONDITION");
  EXPECT_EQ(replay.status.reason, "RESULT_NOT_KEPT");
  Must<ExecuteWalletBPaymentResponse>(kExecute, Execute(order, token.vault_token()));
  ExpectPaid(order.id());
}

TEST_F(WalletTest, ADecryptedPayloadIsStoredAsACardAndPaidWith) {
  const auto order = OrderWith("wallet-b-pay");
  auto execute = Execute(order, StoreFor(order).vault_token());
  execute.set_cryptogram("AAAA");
  execute.set_eci_indicator("05");
  EXPECT_TRUE(Must<ExecuteWalletBPaymentResponse>(kExecute, execute).payment().is_successful());
  ExpectPaid(order.id());
}

TEST_F(WalletTest, InOwnCheckoutACardIsStoredAndPaidWith) {
  const auto order = OrderWith("credit-card");
  const auto card = StoreFor(order);
  EXPECT_EQ(card.truncated_pan().find(kApprovedPan), std::string::npos);
  AuthenticateTransactionRequest pay;
  pay.set_idempotency_key(Key("pay"));
  pay.set_order_id(order.id());
  pay.set_transaction_id(order.transactions(0).id());
  pay.set_vault_token(card.vault_token());
  pay.set_cvc("123");
  const auto paid = Must<AuthenticateTransactionResponse>(
      "tollbridge.payments.v1.Payments.AuthenticateTransaction", pay);
  EXPECT_EQ(paid.order().id(), order.id());
  ExpectPaid(order.id());
}

TEST_F(WalletTest, AnExpiredCardIsRefusedByItsFieldAndSpendsNoToken) {
  const auto order = OrderWith("credit-card");
  StoreCardRequest request;
  request.set_idempotency_key(Key("expired"));
  request.set_pan(std::string(kApprovedPan));
  request.set_expiry("011999");
  request.set_setup_token(SetupToken(order));
  const RpcReply refused = stack().grpc().Call(kStoreCard, request);
  EXPECT_EQ(refused.status.code_name(), "INVALID_ARGUMENT");
  EXPECT_TRUE(refused.status.names_field("expiry"));
  EXPECT_FALSE(StoreFor(order).vault_token().empty());
}

TEST_F(WalletTest, ALinkIsMadeAndRead) {
  payments::v1::CreatePaymentLinkRequest request;
  request.set_idempotency_key(Key("link"));
  request.set_merchant_order_id("order 7");
  request.set_amount(800);
  request.set_currency("EUR");
  const auto made = Must<payments::v1::CreatePaymentLinkResponse>(
      "tollbridge.payments.v1.Payments.CreatePaymentLink", request);
  EXPECT_FALSE(made.payment_link().payment_url().empty());
  payments::v1::GetPaymentLinkRequest read;
  read.set_payment_link_id(made.payment_link().id());
  const auto link = Must<payments::v1::GetPaymentLinkResponse>(
                        "tollbridge.payments.v1.Payments.GetPaymentLink", read)
                        .payment_link();
  EXPECT_EQ(link.amount(), 800);
  EXPECT_EQ(link.status(), common::v1::PAYMENT_LINK_STATUS_NEW);
}

}  // namespace
}  // namespace tollbridge::test
