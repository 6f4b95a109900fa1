// The client functions of wallets, vault, payment links and currencies, before a scripted pipe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "adapters/payment_service/client.h"
#include "adapters/payment_service/http_transport.h"
#include "services/domain/errors.h"
#include "tests/support/async_test.h"
#include "tests/support/fails_with.h"
#include "tests/unit/adapters/payment_service/pipe_support.h"
#include "tollbridge/common/v1/payment_link.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::payment_service {
namespace {

namespace asio = boost::asio;
using Fate = ports::Answer::Fate;

const std::string kOrder = "5a0e1c2d-7f4b-4c0a-9d53-2f6f6c1f3a10";
const std::string kTransaction = "6b1f2d3e-8a5c-4d1b-8e64-3a7a7d2a4b21";
const std::string kToken = "8d3b4f5a-0c7e-4f3d-8a86-5c9c9f4c6d43";
const std::string kLink = "9e4c5a6b-1d8f-4a4e-9b97-6dad0a5d7e54";

/// What a mutation's exchange must be.
struct Expected {
  std::string operation;
  Origin origin = Origin::kService;
  std::string target;
  bool authenticated = true;
  std::string body;
};

class PublishedEndpointsTest : public testing::Test {
 protected:
  PublishedEndpointsTest() {
    std::vector<std::unique_ptr<Transport>> links;
    links.push_back(
        std::make_unique<ScriptedTransport>(&seen_, [this](const Exchange&) { return answer_; }));
    client_ = std::make_unique<Client>(
        TransportChain(std::move(links)), [](const domain::Project&) { return "key"; },
        WalletNames{.wallet_a = "real-a", .wallet_b = "real-b"});
  }

  ports::Answer Send(const payments::v1::ExecuteWalletBPaymentRequest& request) {
    return test::Await(context_, client_->ExecuteWalletBPayment(project_, request, call_, guard_));
  }
  ports::Answer Send(const payments::v1::CreatePaymentLinkRequest& request) {
    return test::Await(context_, client_->CreatePaymentLink(project_, request, call_, guard_));
  }
  ports::Answer Send(const vault::v1::StoreCardRequest& request) {
    return test::Await(context_, client_->StoreCard(project_, request, call_, guard_));
  }
  ports::Answer Send(const vault::v1::ExchangeWalletBTokenRequest& request) {
    return test::Await(context_, client_->ExchangeWalletBToken(project_, request, call_, guard_));
  }
  absl::StatusOr<payments::v1::CreateWalletASessionResponse> OpenSession() {
    payments::v1::WalletASessionOrder order;
    order.set_validation_url("https://wallet-a.example/session");
    order.set_merchant_identifier("11111111111141118111111111111111");
    order.set_display_name("Shop");
    order.set_initiative_context("shop.example");
    return test::Await(context_, client_->CreateWalletASession(project_, order, call_));
  }
  absl::StatusOr<common::v1::PaymentLink> GetLink() {
    return test::Await(context_, client_->GetPaymentLink(project_, kLink, call_));
  }
  absl::StatusOr<payments::v1::CurrencyList> Currencies() {
    return test::Await(context_, client_->ListCurrencies(project_, call_));
  }

  void ExpectMutation(const Expected& expected) {
    ASSERT_EQ(seen_.size(), 1u);
    const Exchange& exchange = seen_[0];
    EXPECT_EQ(exchange.operation, expected.operation);
    EXPECT_EQ(exchange.effect, Effect::kMutation);
    EXPECT_EQ(exchange.origin, expected.origin);
    EXPECT_EQ(exchange.project, "shop");
    EXPECT_EQ(exchange.request.method, "POST");
    EXPECT_EQ(exchange.request.target, expected.target);
    EXPECT_EQ(exchange.deadline, call_.deadline);
    EXPECT_EQ(exchange.write_before, guard_.write_before);
    EXPECT_EQ(exchange.write_before_civil, guard_.write_before_civil);
    EXPECT_EQ(exchange.request.headers.Contains("Authorization"), expected.authenticated);
    EXPECT_EQ(exchange.request.headers.Find("Content-Type"), "application/json");
    EXPECT_EQ(exchange.request.headers.Find("Accept"), "application/json");
    EXPECT_EQ(exchange.request.body, expected.body);
  }

  /// Bodies that are no answer to the request, a refusal, and an exchange that was cut off.
  template <typename Request>
  void ExpectNothingGuessed(const Request& request, const std::vector<std::string>& bodies) {
    for (const std::string& body : bodies) {
      answer_ = Answered(201, body);
      const ports::Answer answer = Send(request);
      EXPECT_EQ(answer.fate, Fate::kUnknown) << body;
      EXPECT_EQ(answer.refusal.http_status, 201) << body;
      EXPECT_FALSE(answer.cause.empty()) << body;
      EXPECT_EQ(answer.result, nullptr) << body;
    }
    answer_ = Answered(422, R"({"error": {"status": 422, "type": "ValidationError"}})");
    const ports::Answer refused = Send(request);
    EXPECT_EQ(refused.fate, Fate::kRefused);
    EXPECT_EQ(refused.refusal.type, "ValidationError");
    answer_ = Unknown();
    EXPECT_EQ(Send(request).fate, Fate::kUnknown);
    answer_ = NotSent();
    EXPECT_EQ(Send(request).fate, Fate::kNotSent);
  }

  static vault::v1::StoreCardRequest Card() {
    vault::v1::StoreCardRequest request;
    request.set_project("shop");
    request.set_idempotency_key("key-1");
    request.set_pan("4111111111111111");
    request.set_expiry("122030");
    request.set_setup_token(kToken);
    request.set_name("Ada Example");
    return request;
  }

  static vault::v1::ExchangeWalletBTokenRequest Payload() {
    vault::v1::ExchangeWalletBTokenRequest request;
    request.set_project("shop");
    request.set_idempotency_key("key-1");
    request.set_wallet_pay_message(R"({"a":1})");
    request.set_setup_token(kToken);
    request.set_transaction_id(kTransaction);
    return request;
  }

  static payments::v1::ExecuteWalletBPaymentRequest Payment() {
    payments::v1::ExecuteWalletBPaymentRequest request;
    request.set_project("shop");
    request.set_idempotency_key("key-1");
    request.set_order_id(kOrder);
    request.set_transaction_id(kTransaction);
    request.set_vault_token(kToken);
    request.set_cryptogram("");
    request.set_browser_info_screen_width(1920);
    request.set_browser_info_java_enabled(false);
    return request;
  }

  static payments::v1::CreatePaymentLinkRequest NewLink() {
    payments::v1::CreatePaymentLinkRequest request;
    request.set_project("shop");
    request.set_idempotency_key("key-1");
    request.set_merchant_order_id("A-1");
    request.set_amount(1250);
    request.set_currency("EUR");
    request.add_payment_methods("wallet-a-pay");
    request.add_payment_methods("credit-card");
    return request;
  }

  static std::string LinkBody(const std::string& id) {
    return R"({"id": ")" + id +
           R"(", "status": "new", "payment_methods": ["real-a", "credit-card"]})";
  }

  asio::io_context context_{1};
  domain::Project project_{.name = "shop"};
  const BootTime start_{std::chrono::hours(1)};
  const ports::Context call_{.deadline = start_ + std::chrono::seconds(8)};
  const ports::SendGuard guard_{.write_before = start_ + std::chrono::seconds(5),
                                .write_before_civil = WallTime(std::chrono::hours(7))};
  ExchangeResult answer_;
  Seen seen_;
  std::unique_ptr<Client> client_;
};

TEST_F(PublishedEndpointsTest, StoresACardAtTheVault) {
  answer_ = Answered(201, R"({"vault_token": ")" + kToken +
                              R"(", "truncated_pan": "411111******1111", "brand": "brand-a"})");
  const ports::Answer answer = Send(Card());
  ASSERT_EQ(answer.fate, Fate::kAnswered) << answer.cause;
  const auto& card = dynamic_cast<const vault::v1::StoredCard&>(*answer.result);
  EXPECT_EQ(card.vault_token(), kToken);
  EXPECT_EQ(card.truncated_pan(), "411111******1111");
  ExpectMutation({.operation = "store_card",
                  .origin = Origin::kVault,
                  .target = "/v1/cards/",
                  .body = R"({"pan":"4111111111111111","expiry":"122030","setup_token":")" +
                          kToken + R"(","name":"Ada Example"})"});
}

TEST_F(PublishedEndpointsTest, StoredCardWithoutAVaultTokenIsUnknown) {
  ExpectNothingGuessed(Card(), {"{}", R"({"vault_token": "x"})", R"({"vault_token": null})", "[]",
                                "not json", "", R"({"truncated_pan": "411111******1111"})"});
}

TEST_F(PublishedEndpointsTest, CauseOfAGarbledAnswerHoldsNothingOfTheCard) {
  answer_ = Answered(201, R"({"pan": "4111111111111111", "vault_token")");
  EXPECT_THAT(Send(Card()).cause, testing::Not(testing::HasSubstr("4111")));
}

TEST_F(PublishedEndpointsTest, ExchangesAWalletBPayloadWithoutCredentials) {
  answer_ =
      Answered(200, R"({"vaultToken": ")" + kToken + R"(", "cryptogram": "", "eciIndicator": ""})");
  const ports::Answer answer = Send(Payload());
  ASSERT_EQ(answer.fate, Fate::kAnswered) << answer.cause;
  const auto& token = dynamic_cast<const vault::v1::WalletBToken&>(*answer.result);
  EXPECT_EQ(token.vault_token(), kToken);
  EXPECT_TRUE(token.has_cryptogram());
  EXPECT_EQ(token.cryptogram(), "");
  ExpectMutation({.operation = "exchange_wallet_b_token",
                  .origin = Origin::kWalletTokens,
                  .target = "/tokens/",
                  .authenticated = false,
                  .body = R"({"walletPayMessage":"{\"a\":1}","setupToken":")" + kToken +
                          R"(","transactionId":")" + kTransaction + R"("})"});
}

TEST_F(PublishedEndpointsTest, TestProjectsExchangeAtTheTestPath) {
  project_.test = true;
  answer_ = Answered(200, "{}");
  Send(Payload());
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].request.target, "/test/tokens/");
}

TEST_F(PublishedEndpointsTest, ExchangedTokenWithoutAVaultTokenIsUnknown) {
  ExpectNothingGuessed(Payload(), {"{}", R"({"vault_token": ")" + kToken + R"("})",
                                   R"({"vaultToken": ""})", "not json"});
}

TEST_F(PublishedEndpointsTest, ExecutesAWalletBPaymentUnderTheServicesNameWithoutCredentials) {
  answer_ = Answered(200, R"({"is_successful": false, "reason": "declined",
                              "redirect_url": "https://shop.example/back"})");
  const ports::Answer answer = Send(Payment());
  ASSERT_EQ(answer.fate, Fate::kAnswered) << answer.cause;
  const auto& payment = dynamic_cast<const payments::v1::WalletBPayment&>(*answer.result);
  EXPECT_FALSE(payment.is_successful());
  EXPECT_EQ(payment.reason(), "declined");
  EXPECT_EQ(payment.redirect_url(), "https://shop.example/back");
  ExpectMutation(
      {.operation = "execute_wallet_b_payment",
       .target = "/pay/" + kOrder + "/select-payment-method/real-b/" + kTransaction + "/",
       .authenticated = false,
       .body = R"({"vaultToken":")" + kToken +
               R"(","cryptogram":"","browser_info_screen_width":1920,)" +
               R"("browser_info_java_enabled":false})"});
}

TEST_F(PublishedEndpointsTest, WalletPaymentThatDoesNotSayHowItWentIsUnknown) {
  ExpectNothingGuessed(Payment(),
                       {"{}", R"({"redirect_url": "https://shop.example/back"})",
                        R"({"is_successful": null})", R"({"id": ")" + kOrder + R"("})", "<html>"});
}

TEST_F(PublishedEndpointsTest, CreatesAPaymentLinkWithTheServicesNamesOfWallets) {
  answer_ = Answered(201, LinkBody(kLink));
  const ports::Answer answer = Send(NewLink());
  ASSERT_EQ(answer.fate, Fate::kAnswered) << answer.cause;
  const auto& link = dynamic_cast<const common::v1::PaymentLink&>(*answer.result);
  EXPECT_EQ(link.id(), kLink);
  EXPECT_THAT(link.payment_methods(), testing::ElementsAre("wallet-a-pay", "credit-card"));
  ExpectMutation({.operation = "create_payment_link",
                  .target = "/v1/paymentlinks/",
                  .body = R"({"merchant_order_id":"A-1","amount":1250,"currency":"EUR",)"
                          R"("payment_methods":["real-a","credit-card"]})"});
}

TEST_F(PublishedEndpointsTest, PaymentLinkWithoutAnIdIsUnknown) {
  ExpectNothingGuessed(NewLink(), {"{}", LinkBody(""), R"({"id": null})", "[]", "not json"});
}

TEST_F(PublishedEndpointsTest, ReadsAPaymentLink) {
  answer_ = Answered(200, LinkBody(kLink));
  const absl::StatusOr<common::v1::PaymentLink> link = GetLink();
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(link->status(), common::v1::PAYMENT_LINK_STATUS_NEW);
  EXPECT_THAT(link->payment_methods(), testing::ElementsAre("wallet-a-pay", "credit-card"));
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].operation, "get_payment_link");
  EXPECT_EQ(seen_[0].effect, Effect::kRead);
  EXPECT_EQ(seen_[0].request.method, "GET");
  EXPECT_EQ(seen_[0].request.target, "/v1/paymentlinks/" + kLink + "/");
  EXPECT_TRUE(seen_[0].request.headers.Contains("Authorization"));
}

TEST_F(PublishedEndpointsTest, PaymentLinkThatTheServiceDoesNotKnowIsNotFound) {
  answer_ = Answered(404, R"({"error": {"status": 404, "type": "NotFound"}})");
  const absl::Status status = GetLink().status();
  EXPECT_THAT(status, FailsWith(StatusCode::kNotFound, domain::reason::kPaymentLinkNotFound));
}

TEST_F(PublishedEndpointsTest, ReadOfAnotherPaymentLinkOrOfNoneIsUnreadable) {
  for (const std::string& body : {LinkBody(kOrder), LinkBody(""), std::string("{}")}) {
    answer_ = Answered(200, body);
    EXPECT_EQ(domain::ReasonOf(GetLink().status()), domain::reason::kUpstreamUnreadable) << body;
  }
}

TEST_F(PublishedEndpointsTest, ListsTheCurrencies) {
  answer_ = Answered(200, R"(["EUR", "USD"])");
  const absl::StatusOr<payments::v1::CurrencyList> list = Currencies();
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->currencies(), testing::ElementsAre("EUR", "USD"));
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].operation, "list_currencies");
  EXPECT_EQ(seen_[0].effect, Effect::kRead);
  EXPECT_EQ(seen_[0].request.target, "/v1/merchants/self/projects/self/currencies/");
}

TEST_F(PublishedEndpointsTest, ListThatLostACurrencyIsUnreadable) {
  for (const std::string body : {R"(["EUR", {"code": "USD"}])", "{}", "EUR"}) {
    answer_ = Answered(200, body);
    EXPECT_EQ(domain::ReasonOf(Currencies().status()), domain::reason::kUpstreamUnreadable) << body;
  }
  answer_ = Answered(200, "[]");
  EXPECT_TRUE(Currencies().ok());
}

TEST_F(PublishedEndpointsTest, OpensAWalletASessionAndDoesNotRepeatIt) {
  answer_ = Answered(200, R"({"sessionData": {"nonce": "n-1"}})");
  const auto session = OpenSession();
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(session->session_data().fields().at("nonce").string_value(), "n-1");
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].operation, "create_wallet_a_session");
  EXPECT_EQ(seen_[0].effect, Effect::kMutation) << "what may have left is not repeated";
  EXPECT_EQ(seen_[0].write_before, std::nullopt);
  EXPECT_EQ(seen_[0].request.target, "/v1/real-a/sessions/");
  EXPECT_TRUE(seen_[0].request.headers.Contains("Authorization"));
  EXPECT_EQ(boost::json::parse(seen_[0].request.body), boost::json::parse(R"({
    "validationUrl": "https://wallet-a.example/session",
    "merchantIdentifier": "11111111111141118111111111111111",
    "displayName": "Shop", "initiativeContext": "shop.example"})"));
}

TEST_F(PublishedEndpointsTest, SessionThatIsNoneIsAnError) {
  for (const std::string body : {"{}", R"({"sessionData": "x"})", "not json"}) {
    answer_ = Answered(200, body);
    EXPECT_EQ(domain::ReasonOf(OpenSession().status()), domain::reason::kUpstreamUnreadable)
        << body;
  }
  answer_ = Unknown();
  EXPECT_EQ(OpenSession().status().code(), absl::StatusCode::kUnavailable);
  answer_ = Answered(403, R"({"error": {"status": 403, "type": "Forbidden"}})");
  EXPECT_FALSE(OpenSession().ok());
}

TEST(HttpTransportTest, OriginThatIsNotConfiguredIsNotSentAndSaysWhichSetting) {
  asio::io_context context{1};
  Seen seen;
  TransportChain chain([] {
    std::vector<std::unique_ptr<Transport>> links;
    links.push_back(std::make_unique<HttpTransport>(OriginClients{}));
    return links;
  }());
  for (const auto& [origin, setting] : {std::pair(Origin::kVault, "vault_url"),
                                        std::pair(Origin::kWalletTokens, "wallet_token_url")}) {
    Exchange exchange;
    exchange.origin = origin;
    const ExchangeResult result = test::Await(context, chain.Send(std::move(exchange)));
    EXPECT_EQ(result.fate, http::Fate::kNotSent);
    EXPECT_EQ(result.error.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(result.error.message()), testing::HasSubstr(setting));
  }
}

}  // namespace
}  // namespace tollbridge::payment_service
