#include "sandbox/pages/merchant_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/sandbox/pages/pages_test.h"

namespace tollbridge::sandbox {
namespace {

using testing::HasSubstr;
using testing::Not;

class MerchantPagesTest : public PagesTest {
 protected:
  MerchantPagesTest() : PagesTest(&Routes) { deliveries_.clear(); }

  static std::vector<Route> Routes(World* world, const Addresses* addresses) {
    std::vector<Route> routes =
        MerchantRoutes(world, addresses, [] { return boost::json::array(deliveries_); });
    for (Route& route : PageRoutes(world, addresses)) routes.push_back(std::move(route));
    return routes;
  }

  static std::string ViewPage(const Uuid& id) { return "/_sandbox/view/" + id.ToString() + "/"; }
  static std::string ViewPage(const Order& order) { return ViewPage(order.id); }

  const Order& Paid() {
    const Order& order = With("credit-card");
    Post(TransactionPage(order), Card(kApprovedPan));
    EXPECT_EQ(order.status, OrderStatus::kCompleted);
    return order;
  }

  http::Response Press(const Order& order, std::string action, std::string amount = "") {
    return Post(ViewPage(order), {{"action", std::move(action)}, {"amount", std::move(amount)}});
  }

  inline static boost::json::array deliveries_;
};

TEST_F(MerchantPagesTest, EmptySandboxHasAPage) {
  const http::Response page = Get("/_sandbox/");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("There are no orders yet."));
  EXPECT_THAT(page.body, HasSubstr("No webhook has been delivered yet."));
  EXPECT_THAT(page.body, HasSubstr(std::string(kStart)));
}

TEST_F(MerchantPagesTest, ListsEveryTestCard) {
  const http::Response page = Get("/_sandbox/");
  for (const TestCard& card : TestCards()) {
    EXPECT_THAT(page.body, HasSubstr(card.pan));
    EXPECT_THAT(page.body, HasSubstr(card.purpose));
  }
}

TEST_F(MerchantPagesTest, CountsAndListsTheLastFiftyOrdersNewestFirst) {
  std::vector<Uuid> ids;
  for (int i = 0; i < 51; ++i) ids.push_back(Open().id);
  ASSERT_TRUE(world_.payments.Approve(ids.back()).ok());
  const std::string page = Get("/_sandbox/").body;
  EXPECT_THAT(page, HasSubstr("<dd id=\"orders\">51</dd>"));
  EXPECT_THAT(page, HasSubstr("<dd id=\"orders-new\">50</dd>"));
  EXPECT_THAT(page, HasSubstr("<dd id=\"orders-completed\">1</dd>"));
  EXPECT_THAT(page, HasSubstr("<dd id=\"effects\">1</dd>"));
  EXPECT_THAT(page, Not(HasSubstr(ids[0].ToString())));
  EXPECT_LT(page.find(ids[50].ToString()), page.find(ids[49].ToString()));
  EXPECT_THAT(page, HasSubstr("<a href=\"" + ViewPage(ids[1]) + "\">"));
}

TEST_F(MerchantPagesTest, ListsTheLastTwentyDeliveriesNewestFirst) {
  const std::string order(kUnknownId);
  for (int i = 0; i < 21; ++i) {
    deliveries_.push_back({{"order_id", order}, {"attempt", i + 100}, {"result", "<b>"}});
  }
  deliveries_.push_back({{"order_id", "no id"}, {"extra", nullptr}, {"deep", {{"a", "<i>"}}}});
  deliveries_.push_back("not an object");
  const std::string page = Get("/_sandbox/").body;
  EXPECT_THAT(page, HasSubstr("<a href=\"/_sandbox/view/" + order + "/\">"));
  EXPECT_THAT(page, Not(HasSubstr("<bdi>102</bdi>")));
  EXPECT_LT(page.find("<bdi>120</bdi>"), page.find("<bdi>103</bdi>"));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<i>")));
}

TEST_F(MerchantPagesTest, ViewShowsTransactionsEventsAndRelations) {
  const Order& order = Paid();
  ExpectSeeOther(Press(order, "refund", "50"), ViewPage(order));
  const std::string page = Get(ViewPage(order)).body;
  ASSERT_EQ(order.children.size(), 1u);
  for (const std::string& part :
       {order.transactions[0].id.ToString(), std::string("411111******1111"),
        std::string("<td>accepted</td>"), std::string("<td>completed</td>"),
        std::string("<td>refund</td>"), std::string("0.50 EUR"), ViewPage(order.children[0].second),
        OrderPage(order)}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  const std::string refund = Get(ViewPage(order.children[0].second)).body;
  EXPECT_THAT(refund, HasSubstr("this is its refund"));
  EXPECT_THAT(refund, HasSubstr(ViewPage(order)));
}

TEST_F(MerchantPagesTest, ApproveDeclineAndExpireDoWhatTheySay) {
  const Order& approved = Open();
  ExpectSeeOther(Press(approved, "approve"), ViewPage(approved));
  EXPECT_EQ(approved.status, OrderStatus::kCompleted);
  const Order& declined = With("credit-card");
  ExpectSeeOther(Press(declined, "decline"), ViewPage(declined));
  EXPECT_EQ(declined.status, OrderStatus::kError);
  const Order& expired = With("wallet-a-pay");
  ExpectSeeOther(Press(expired, "expire"), ViewPage(expired));
  EXPECT_EQ(expired.status, OrderStatus::kExpired);
  EXPECT_EQ(Effects(), 1u);
}

TEST_F(MerchantPagesTest, RefundChargebackAndReversalTakeAllOrAPart) {
  const Order& order = Paid();
  ExpectSeeOther(Press(order, "refund", "250"), ViewPage(order));
  EXPECT_EQ(order.refunded_amount, 250);
  ExpectSeeOther(Press(order, "refund"), ViewPage(order));
  EXPECT_EQ(order.refunded_amount, 1250);
  const Order& charged_back = Paid();
  ExpectSeeOther(Press(charged_back, "chargeback"), ViewPage(charged_back));
  EXPECT_EQ(charged_back.charged_back_amount, 1250);
  const Order& reversed = Paid();
  ExpectSeeOther(Press(reversed, "reversal", "1"), ViewPage(reversed));
  EXPECT_EQ(reversed.reversed_amount, 1);
}

TEST_F(MerchantPagesTest, WhatCannotBeDoneIsSaidOnThePage) {
  const Order& order = Open();
  const http::Response early = Press(order, "refund");
  EXPECT_EQ(early.status, 422);
  EXPECT_THAT(early.body, HasSubstr("<div role=\"alert\" id=\"refused\">"));
  EXPECT_THAT(early.body, HasSubstr("the order is new"));
  const Order& paid = Paid();
  EXPECT_EQ(Press(paid, "expire").status, 409);
  EXPECT_EQ(Press(paid, "refund", "1251").status, 422);
  EXPECT_EQ(Press(paid, "explode").status, 422);
  EXPECT_EQ(Press(paid, "").status, 422);
  EXPECT_EQ(paid.refunded_amount, 0);
}

TEST_F(MerchantPagesTest, AmountThatIsNoNumberIsSaidAtItsField) {
  const Order& order = Paid();
  for (const std::string& amount :
       {std::string("ten"), std::string("-1"), std::string("1.5"), std::string("1 "),
        std::string("99999999999999999999"), std::string("\"><script>"), std::string(10240, '1')}) {
    const http::Response page = Press(order, "refund", amount);
    EXPECT_EQ(page.status, 422) << amount;
    EXPECT_THAT(page.body, HasSubstr("aria-invalid=\"true\""));
    EXPECT_THAT(page.body, HasSubstr("id=\"amount-error\""));
    EXPECT_LT(page.body.size(), 10240u);
  }
  EXPECT_EQ(order.refunded_amount, 0);
}

TEST_F(MerchantPagesTest, FormsOfOtherSitesAreRefused) {
  const Order& order = Open();
  http::Request request;
  request.method = "POST";
  request.target = ViewPage(order);
  request.body = "action=approve";
  request.headers.Set("Host", "127.0.0.1:8080");
  request.headers.Set("Origin", "https://evil.example");
  EXPECT_EQ(Looked(Send(request, "")).status, 403);
  EXPECT_EQ(order.status, OrderStatus::kNew);
  request.headers.Set("Origin", "http://127.0.0.1:8080");
  request.headers.Set("Sec-Fetch-Site", "cross-site");
  EXPECT_EQ(Looked(Send(request, "")).status, 403);
  EXPECT_EQ(order.status, OrderStatus::kNew);
  request.headers.Set("Sec-Fetch-Site", "same-origin");
  ExpectSeeOther(Looked(Send(request, "")), ViewPage(order));
  EXPECT_EQ(order.status, OrderStatus::kCompleted);
}

TEST_F(MerchantPagesTest, UnknownOrdersAreNotFound) {
  for (const std::string& id :
       {std::string(kUnknownId), std::string("x"), std::string(5000, 'a')}) {
    EXPECT_EQ(Get("/_sandbox/view/" + id + "/").status, 404);
    EXPECT_EQ(Post("/_sandbox/view/" + id + "/", {{"action", "approve"}}).status, 404);
  }
}

TEST_F(MerchantPagesTest, OrderWithThousandsOfRefundsHasAPageOfBoundedSize) {
  const Order& order = Paid();
  for (int i = 0; i < 1250; ++i) ASSERT_EQ(Press(order, "refund", "1").status, 303);
  EXPECT_LT(Get(ViewPage(order)).body.size(), 60'000u);
}

TEST_F(MerchantPagesTest, TextsFromOutsideCannotBecomeMarkup) {
  Order draft = DraftWith("credit-card");
  draft.merchant_order_id = "<script>1</script>\xFF";
  draft.description = std::string(10 * 1024, '"');
  draft.return_url = "javascript:alert('<b>')";
  draft.transactions[0].details["note"] = std::string(20 * 1024, '<');
  const Order& order = Made(draft);
  for (const std::string& page : {Get("/_sandbox/").body, Get(ViewPage(order)).body}) {
    EXPECT_THAT(page, Not(HasSubstr("<script")));
    EXPECT_THAT(page, Not(HasSubstr("<b>")));
    EXPECT_THAT(page, Not(HasSubstr("\xFF")));
    EXPECT_LT(page.size(), 40'000u);
  }
}

TEST_F(MerchantPagesTest, RoutesAreTheOperators) {
  for (const Route& route :
       MerchantRoutes(&world_, &addresses_, [] { return boost::json::array(); })) {
    EXPECT_EQ(route.access, Access::kOperator) << route.operation;
    EXPECT_EQ(route.changes, route.operation == "merchant_action") << route.operation;
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
