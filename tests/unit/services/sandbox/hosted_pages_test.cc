#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/sandbox/html.h"
#include "tests/unit/services/sandbox/support.h"

namespace tollbridge::sandbox {
namespace {

using testing::HasSubstr;
using testing::Not;

class HostedPagesTest : public SandboxTest {
 protected:
  static std::string PathOf(const boost::json::object& order) {
    return "/pay/" + std::string(order.at("id").as_string()) + "/";
  }
  http::Response Show(const boost::json::object& order) { return Ask("GET", PathOf(order), ""); }
  http::Response Submit(const boost::json::object& order, std::string_view form) {
    return Ask("POST", PathOf(order), "", form);
  }
};

TEST_F(HostedPagesTest, PageOffersMethodsAndButtons) {
  const http::Response page = Show(Created());
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.Find("Content-Type"), "text/html; charset=utf-8");
  for (const char* part : {"<!doctype html>", "<form method=\"post\">", "value=\"credit-card\"",
                           "value=\"wallet-a-pay\"", "name=\"action\" value=\"pay\"",
                           "name=\"action\" value=\"decline\"", "1250 EUR"}) {
    EXPECT_THAT(page.body, HasSubstr(part));
  }
}

TEST_F(HostedPagesTest, PageOffersOnlyTheMethodsOfTheOrder) {
  const http::Response page =
      Show(Created(R"({"currency": "EUR", "amount": 1, "payment_methods": ["wallet-a-pay"]})"));
  EXPECT_THAT(page.body, HasSubstr("wallet-a-pay"));
  EXPECT_THAT(page.body, Not(HasSubstr("credit-card")));
}

TEST_F(HostedPagesTest, TextsFromOutsideCannotBecomeMarkup) {
  const http::Response page = Show(Created(
      R"({"currency": "EUR", "amount": 1, "description": "<script>alert(1)</script>",
          "merchant_order_id": "\"><img>", "payment_methods": ["\" onfocus=\"x"]})"));
  EXPECT_THAT(page.body, Not(HasSubstr("<script>")));
  EXPECT_THAT(page.body, Not(HasSubstr("<img>")));
  EXPECT_THAT(page.body, Not(HasSubstr("\" onfocus=\"")));
  EXPECT_EQ(EscapeHtml("<a href='x' title=\"y\">&"),
            "&lt;a href=&#39;x&#39; title=&quot;y&quot;&gt;&amp;");
}

TEST_F(HostedPagesTest, PaidCustomerGoesToReturnUrl) {
  const auto order = Created(
      R"({"currency": "EUR", "amount": 1, "return_url": "https://shop.example/back?a=1",
          "failure_url": "https://shop.example/failed"})");
  const http::Response response = Submit(order, "method=credit-card&action=pay");
  EXPECT_EQ(response.status, 303);
  EXPECT_EQ(response.headers.Find("Location"), "https://shop.example/back?a=1");
  EXPECT_EQ(Get(order.at("id")).at("status"), "completed");
  ASSERT_EQ(Ledger().size(), 1u);
  EXPECT_EQ(Ledger()[0].at("caused_by"), "hosted_page");
}

TEST_F(HostedPagesTest, PaidCustomerWithoutReturnUrlSeesTheResult) {
  const auto order = Created();
  const http::Response response = Submit(order, "method=credit-card&action=pay");
  EXPECT_EQ(response.status, 303);
  EXPECT_EQ(response.headers.Find("Location"), PathOf(order));
  EXPECT_THAT(Show(order).body, HasSubstr("<strong id=\"status\">completed</strong>"));
  EXPECT_THAT(Show(order).body, Not(HasSubstr("<form")));
}

TEST_F(HostedPagesTest, DeclinedCustomerWithAChoiceMayTryAgain) {
  const auto order =
      Created(R"({"currency": "EUR", "amount": 1, "failure_url": "https://shop.example/failed"})");
  const http::Response response = Submit(order, "method=credit-card&action=decline");
  EXPECT_EQ(response.status, 303);
  EXPECT_EQ(response.headers.Find("Location"), PathOf(order)) << "it has not failed yet";
  EXPECT_THAT(Show(order).body, HasSubstr("id=\"declined\""));
  EXPECT_THAT(Show(order).body, HasSubstr("<form"));
  EXPECT_EQ(Get(order.at("id")).at("status"), "processing");
}

TEST_F(HostedPagesTest, DeclinedCustomerWithoutAChoiceGoesToFailureUrl) {
  const std::string start = R"({"currency": "EUR", "amount": 1,
                                "transactions": [{"payment_method": "credit-card"}])";
  const auto both = Created(start + R"(, "return_url": "https://shop.example/back",
                                         "failure_url": "https://shop.example/failed"})");
  EXPECT_EQ(Submit(both, "action=decline").headers.Find("Location"), "https://shop.example/failed");
  const auto one = Created(start + R"(, "return_url": "https://shop.example/back"})");
  EXPECT_EQ(Submit(one, "action=decline").headers.Find("Location"), "https://shop.example/back");
  const auto none = Created(start + "}");
  EXPECT_EQ(Submit(none, "action=decline").headers.Find("Location"), PathOf(none));
}

TEST_F(HostedPagesTest, SecondPressOfTheButtonChargesNothing) {
  const auto order = Created();
  EXPECT_EQ(Submit(order, "method=credit-card&action=pay").status, 303);
  const http::Response again = Submit(order, "method=credit-card&action=pay");
  EXPECT_EQ(again.status, 303);
  EXPECT_EQ(again.headers.Find("Location"), PathOf(order));
  EXPECT_EQ(Ledger().size(), 1u);
}

TEST_F(HostedPagesTest, FormsThatThePageCannotSendAreRefused) {
  const auto order =
      Created(R"({"currency": "EUR", "amount": 1, "payment_methods": ["wallet-a-pay"]})");
  for (const std::string form : {"", "action=explode", "method=credit-card&action=pay",
                                 "action=%zz", "method=wallet-a-pay"}) {
    EXPECT_EQ(Submit(order, form).status, 400) << form;
  }
  EXPECT_EQ(Get(order.at("id")).at("status"), "new");
  EXPECT_EQ(Ask("PUT", PathOf(order), "").status, 405);
}

TEST_F(HostedPagesTest, TransactionsPageIsThatOfItsOrder) {
  const auto order = Created(
      R"({"currency": "EUR", "amount": 1, "transactions": [{"payment_method": "credit-card"}]})");
  const std::string transaction(order.at("transactions").as_array()[0].at("id").as_string());
  EXPECT_EQ(Ask("GET", PathOf(order) + transaction + "/", "").status, 200);
  EXPECT_EQ(Ask("GET", PathOf(order) + "11111111-1111-4111-8111-111111111111/", "").status, 404);
  EXPECT_EQ(Ask("GET", "/pay/11111111-1111-4111-8111-111111111111/", "").status, 404);
  EXPECT_EQ(Ask("GET", "/pay/", "").status, 404);
}

}  // namespace
}  // namespace tollbridge::sandbox
