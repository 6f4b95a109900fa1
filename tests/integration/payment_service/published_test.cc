// The client functions of vault, wallets, payment links, currencies and the report against the
// sandbox's program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <set>
#include <string>
#include <string_view>

#include "base/core/uuid.h"
#include "services/domain/errors.h"
#include "tests/integration/payment_service/pipe.h"
#include "tests/support/fails_with.h"
#include "tollbridge/common/v1/payment_link.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::test {
namespace {

using Fate = ports::Answer::Fate;
using common::v1::Order;
using ports::PaymentService;

AsyncStatus Append(std::string& text, std::string_view piece) {
  text += piece;
  co_return absl::OkStatus();
}

class PublishedTest : public PipeTest {
 protected:
  // The demo project is one (sandbox guide).
  PublishedTest() { project_.test = true; }

  Order WalletBOrder() {
    payments::v1::CreateOrderRequest request;
    request.set_merchant_order_id("A-1");
    request.set_currency("EUR");
    request.set_amount(1250);
    request.add_transactions()->set_payment_method("wallet-b-pay");
    const ports::Answer answer = Send(&PaymentService::CreateOrder, request);
    EXPECT_EQ(answer.fate, Fate::kAnswered) << answer.cause;
    return dynamic_cast<const Order&>(*answer.result);
  }

  static std::string SetupToken(const Order& order) {
    return order.transactions(0).payment_method_details().setup_token();
  }

  vault::v1::StoreCardRequest Card(const Order& order) {
    vault::v1::StoreCardRequest request;
    request.set_pan("4111111111111111");
    request.set_expiry("122030");
    request.set_setup_token(SetupToken(order));
    return request;
  }
};

TEST_F(PublishedTest, StoresACardOncePerSetupToken) {
  const Order order = MakeOrder("A-1");
  const ports::Answer first = Send(&PaymentService::StoreCard, Card(order));
  ASSERT_EQ(first.fate, Fate::kAnswered) << first.cause;
  const auto& card = dynamic_cast<const vault::v1::StoredCard&>(*first.result);
  EXPECT_TRUE(Uuid::Parse(card.vault_token()));
  EXPECT_THAT(card.truncated_pan(), testing::EndsWith("1111"));
  EXPECT_FALSE(card.brand().empty());

  auto pay = About<payments::v1::InitiateTransactionRequest>(order);
  pay.set_vault_token(card.vault_token());
  EXPECT_EQ(Send(&PaymentService::InitiateTransaction, pay).fate, Fate::kAnswered);

  EXPECT_EQ(Send(&PaymentService::StoreCard, Card(order)).fate, Fate::kRefused)
      << "the setup token is spent";
}

TEST_F(PublishedTest, ExchangesAWalletBTokenAndPaysWithIt) {
  const Order order = WalletBOrder();
  const boost::json::value message = boost::json::parse(
      sandbox_.Operate("wallet-b-message", R"({"pan": "4111111111111111", "expirationMonth": 12,
                              "expirationYear": 2030, "authMethod": "CRYPTOGRAM_3DS"})"));
  vault::v1::ExchangeWalletBTokenRequest exchange;
  exchange.set_wallet_pay_message(std::string(message.at("walletPayMessage").as_string()));
  exchange.set_setup_token(SetupToken(order));
  exchange.set_transaction_id(order.transactions(0).id());
  const ports::Answer exchanged = Send(&PaymentService::ExchangeWalletBToken, exchange);
  ASSERT_EQ(exchanged.fate, Fate::kAnswered) << exchanged.cause;
  const auto& token = dynamic_cast<const vault::v1::WalletBToken&>(*exchanged.result);
  EXPECT_FALSE(token.cryptogram().empty());

  auto request = About<payments::v1::ExecuteWalletBPaymentRequest>(order);
  request.set_vault_token(token.vault_token());
  request.set_cryptogram(token.cryptogram());
  request.set_eci_indicator(token.eci_indicator());
  request.set_browser_info_screen_width(1920);
  request.set_browser_info_screen_height(1080);
  request.set_browser_info_color_depth(24);
  request.set_browser_info_user_agent("Browser/1.0");
  request.set_browser_info_time_zone_offset(-60);
  request.set_browser_info_language("en-GB");
  request.set_browser_info_java_enabled(false);
  const ports::Answer paid = Send(&PaymentService::ExecuteWalletBPayment, request);
  ASSERT_EQ(paid.fate, Fate::kAnswered) << paid.cause;
  const auto& payment = dynamic_cast<const payments::v1::WalletBPayment&>(*paid.result);
  EXPECT_TRUE(payment.is_successful());
  EXPECT_FALSE(payment.redirect_url().empty());
  EXPECT_EQ(payment.reason(), "none");
  EXPECT_EQ(Send(&PaymentService::ExecuteWalletBPayment, request).fate, Fate::kRefused);
}

TEST_F(PublishedTest, CreatesAndReadsAPaymentLink) {
  payments::v1::CreatePaymentLinkRequest request;
  request.set_merchant_order_id("A-1");
  request.set_amount(1250);
  request.set_currency("EUR");
  request.set_expiration_period("P20D");
  const ports::Answer created = Send(&PaymentService::CreatePaymentLink, request);
  ASSERT_EQ(created.fate, Fate::kAnswered) << created.cause;
  const auto& link = dynamic_cast<const common::v1::PaymentLink&>(*created.result);
  EXPECT_FALSE(link.payment_url().empty());
  const ports::Context context = Context();
  const auto read = Await(client_->GetPaymentLink(project_, link.id(), context));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->merchant_order_id(), "A-1");
  EXPECT_EQ(read->status(), common::v1::PAYMENT_LINK_STATUS_NEW);
  const auto none =
      Await(client_->GetPaymentLink(project_, "99999999-9999-4999-8999-999999999999", context));
  EXPECT_EQ(domain::ReasonOf(none.status()), domain::reason::kPaymentLinkNotFound);
}

TEST_F(PublishedTest, ListsTheCurrenciesOfTheProject) {
  const ports::Context context = Context();
  const auto list = Await(client_->ListCurrencies(project_, context));
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->currencies(), testing::Contains("EUR"));
}

TEST_F(PublishedTest, OpensASessionWithWalletA) {
  payments::v1::WalletASessionOrder order;
  order.set_validation_url("https://wallet-a.example/session");
  order.set_merchant_identifier("11111111111141118111111111111111");
  order.set_display_name("Shop");
  order.set_initiative_context("shop.example");
  const ports::Context context = Context();
  const auto session = Await(client_->CreateWalletASession(project_, order, context));
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_FALSE(session->session_data().fields().empty());
}

TEST_F(PublishedTest, StreamsTheReportOfManyOrders) {
  constexpr int kOrders = 120;
  std::set<std::string> made;
  for (int i = 0; i < kOrders; ++i) made.insert(MakeOrder("batch-1").id());
  MakeOrder("batch-2");
  common::v1::OrderSearch search;
  search.set_query("merchant_order_id:\"batch-1\"");
  search.set_sort("id asc");
  std::string report;
  const ports::ReportSink sink = [&report](std::string_view piece) {
    return Append(report, piece);
  };
  const ports::Context context = Context();
  ASSERT_EQ(Await(client_->ReadReport(project_, search, sink, context)), absl::OkStatus());
  for (const std::string& id : made) EXPECT_THAT(report, testing::HasSubstr(id));
  EXPECT_THAT(report, testing::Not(testing::HasSubstr("batch-2")));
  EXPECT_THAT(report, testing::EndsWith("\n"));
}

TEST_F(PublishedTest, ReportThatIsCutOffIsDataLoss) {
  for (int i = 0; i < 20; ++i) MakeOrder("batch-1");
  Faults(R"({"rules": [{"on": {"operation": "search_orders"},
                       "fault": {"kind": "reset", "after_bytes": 1000}}]})");
  common::v1::OrderSearch search;
  search.set_query("*");
  std::string report;
  const ports::ReportSink sink = [&report](std::string_view piece) {
    return Append(report, piece);
  };
  const ports::Context context = Context();
  const absl::Status status = Await(client_->ReadReport(project_, search, sink, context));
  EXPECT_THAT(status, FailsWith(StatusCode::kDataLoss, domain::reason::kUpstreamUnreadable));
}

}  // namespace
}  // namespace tollbridge::test
