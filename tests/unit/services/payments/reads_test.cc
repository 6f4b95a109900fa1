// The reads beside GetOrder, and the wallet A session.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "services/domain/errors.h"
#include "services/payments/create_wallet_a_session.h"
#include "services/payments/get_payment_link.h"
#include "services/payments/list_currencies.h"
#include "services/payments/list_refunds.h"
#include "tests/support/async_test.h"
#include "tests/support/fails_with.h"
#include "tests/support/fakes/fake_payment_service.h"
#include "tests/unit/services/payments/payments_fixture.h"

namespace tollbridge::payments {
namespace {

using Function = test::FakePaymentService::Function;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ReadsTest : public ::testing::Test {
 protected:
  /// An order of 1000 of which 300 were given back.
  void PutRefundedOrder() {
    common::v1::Order order;
    order.set_id(kOrderId);
    order.set_amount(1000);
    order.set_webhook_url("https://hooks.example/token");
    service_.PutOrder(order);
    v1::CreateRefundRequest refund;
    refund.set_order_id(kOrderId);
    refund.set_amount(300);
    const ports::Answer made =
        test::Await(context_, service_.CreateRefund(project_, refund, {}, {}));
    refund_id_ = static_cast<const common::v1::Order&>(*made.result).id();
    service_.FindOrder(refund_id_)->set_webhook_url("https://hooks.example/token");
  }

  template <typename Request, typename Read>
  auto Ask(Read read, const Request& request) {
    return test::Await(context_, read(service_, project_, request, {}));
  }
  absl::StatusOr<v1::ListCurrenciesResponse> Currencies(const v1::ListCurrenciesRequest& request) {
    return test::Await(context_, ListCurrencies(service_, project_, options_, request, {}));
  }

  boost::asio::io_context context_;
  test::FakePaymentService service_;
  domain::Project project_ = Shop();
  PaymentOptions options_{.list_currencies = true};
  std::string refund_id_;
};

TEST_F(ReadsTest, RefundsAreShownAsCallersSeeThem) {
  PutRefundedOrder();
  v1::ListRefundsRequest request;
  request.set_order_id(kOrderId);
  const auto response = Ask(ListRefunds, request);
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->refund_orders_size(), 1);
  EXPECT_EQ(response->refund_orders(0).id(), refund_id_);
  EXPECT_EQ(response->refund_orders(0).amount(), 300);
  EXPECT_EQ(response->refund_orders(0).webhook_url(), "https://hooks.example/***");
}

TEST_F(ReadsTest, AnOrderWithoutRefundsHasNoneAndAnUnknownOneIsNotFound) {
  common::v1::Order order;
  order.set_id(kOrderId);
  service_.PutOrder(order);
  v1::ListRefundsRequest request;
  request.set_order_id(kOrderId);
  EXPECT_THAT(Ask(ListRefunds, request)->refund_orders(), IsEmpty());
  request.set_order_id(NewId(9));
  EXPECT_EQ(domain::ReasonOf(Ask(ListRefunds, request).status()), domain::reason::kOrderNotFound);
}

TEST_F(ReadsTest, APaymentLinkIsShownWithItsWebhookUrlMasked) {
  v1::CreatePaymentLinkRequest create;
  create.set_amount(500);
  create.set_webhook_url("https://hooks.example/token");
  const ports::Answer made =
      test::Await(context_, service_.CreatePaymentLink(project_, create, {}, {}));
  const auto& link = static_cast<const common::v1::PaymentLink&>(*made.result);
  v1::GetPaymentLinkRequest request;
  request.set_payment_link_id(link.id());
  const auto response = Ask(GetPaymentLink, request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->payment_link().amount(), 500);
  EXPECT_EQ(response->payment_link().payment_url(), link.payment_url());
  EXPECT_EQ(response->payment_link().webhook_url(), "https://hooks.example/***");
  request.set_payment_link_id(NewId(9));
  EXPECT_EQ(domain::ReasonOf(Ask(GetPaymentLink, request).status()),
            domain::reason::kPaymentLinkNotFound);
}

TEST_F(ReadsTest, CurrenciesAreListedWhereTheExtensionIsOn) {
  EXPECT_THAT(Currencies({})->currencies(), ElementsAre("EUR", "JPY"));
  options_.list_currencies = false;
  const absl::Status off = Currencies({}).status();
  EXPECT_THAT(off, FailsWith(StatusCode::kUnimplemented, domain::reason::kExtensionDisabled));
  EXPECT_EQ(service_.CallsOf(Function::kListCurrencies), 1U);
}

TEST_F(ReadsTest, AWalletASessionIsAskedForWithTheProjectsIdWithoutHyphens) {
  v1::CreateWalletASessionRequest request;
  request.set_validation_url("https://wallet.example/validate");
  request.set_display_name("The Shop");
  request.set_initiative_context("shop.example");
  const auto session = Ask(CreateWalletASession, request);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(session->session_data().fields().at("merchantIdentifier").string_value(),
            "3b241101e2bb42558caf4136c566a962");
  ASSERT_EQ(service_.calls().size(), 1U);
  const auto& asked = dynamic_cast<const v1::WalletASessionOrder&>(*service_.calls()[0].request);
  EXPECT_EQ(asked.validation_url(), "https://wallet.example/validate");
  EXPECT_EQ(asked.display_name(), "The Shop");
  EXPECT_EQ(asked.initiative_context(), "shop.example");
}

TEST_F(ReadsTest, AWalletASessionIsAskedForOnlyAtHostsOfTheProject) {
  domain::Project project;
  project.wallet_a_hosts = *domain::CalledHosts::Parse({"*.wallet.example"});
  const auto wrong = [&](const std::string& url) {
    v1::CreateWalletASessionRequest request;
    request.set_validation_url(url);
    std::string text;
    for (const auto& [field, rule] : CreateWalletASessionViolations(request, &project)) {
      text += field + ": " + rule;
    }
    EXPECT_TRUE(CreateWalletASessionViolations(request, nullptr).empty());
    return text;
  };
  EXPECT_EQ(wrong("https://a.wallet.example/validate"), "");
  EXPECT_EQ(wrong("https://evil.example/"),
            "validation_url: must be at a host that the project allows");
  EXPECT_EQ(wrong("http://a.wallet.example/"), "validation_url: must be an https URI");
  EXPECT_EQ(wrong("https://me@a.wallet.example/"), "validation_url: must have no user info");
  EXPECT_EQ(wrong("no URI"), "") << "the field's own rule says so";
}

TEST_F(ReadsTest, TheServicesErrorsAreTheirs) {
  service_.FailReads(absl::UnavailableError("down"));
  EXPECT_EQ(Ask(ListRefunds, v1::ListRefundsRequest()).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(Ask(GetPaymentLink, v1::GetPaymentLinkRequest()).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(Ask(CreateWalletASession, v1::CreateWalletASessionRequest()).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(Currencies({}).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tollbridge::payments
