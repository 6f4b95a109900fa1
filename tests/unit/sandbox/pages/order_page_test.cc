#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/sandbox/pages/pages_test.h"

namespace tollbridge::sandbox {
namespace {

using testing::HasSubstr;
using testing::Not;

class OrderPageTest : public PagesTest {};

TEST_F(OrderPageTest, OffersTheMethodsOfTheProject) {
  const http::Response page = Get(OrderPage(Open()));
  EXPECT_EQ(page.status, 200);
  for (const char* part : {"value=\"credit-card\"", "value=\"wallet-a-pay\"",
                           "value=\"wallet-b-pay\"", "12.50 EUR", "Sandbox shop"}) {
    EXPECT_THAT(page.body, HasSubstr(part));
  }
  EXPECT_THAT(page.body, Not(HasSubstr("credit-card-oct"))) << "a payout is no way to pay";
  EXPECT_THAT(page.body, Not(HasSubstr("role=\"alert\"")));
}

TEST_F(OrderPageTest, OffersOnlyTheMethodsOfTheOrder) {
  Order draft = Draft();
  draft.customer_picks = true;
  draft.payment_methods = {"wallet-a-pay"};
  const Order& order = Made(draft);
  const http::Response page = Get(OrderPage(order));
  EXPECT_THAT(page.body, HasSubstr("wallet-a-pay"));
  EXPECT_THAT(page.body, Not(HasSubstr("credit-card")));
  EXPECT_EQ(Post(OrderPage(order), {{"method", "credit-card"}}).status, 422);
  EXPECT_TRUE(order.transactions.empty());
}

TEST_F(OrderPageTest, SaysWhenNoMethodIsOffered) {
  world_.simulation.settings.projects[0].payment_methods = {"credit-card-oct"};
  Order draft = Draft();
  draft.customer_picks = true;
  const http::Response page = Get(OrderPage(Made(draft)));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("id=\"no-method\""));
}

TEST_F(OrderPageTest, ChosenMethodLeadsToItsTransaction) {
  const Order& order = Open();
  const http::Response response = Post(OrderPage(order), {{"method", "wallet-a-pay"}});
  ASSERT_EQ(order.transactions.size(), 1u);
  EXPECT_EQ(order.transactions[0].payment_method, "wallet-a-pay");
  ExpectSeeOther(response, TransactionPage(order));
  ExpectSeeOther(Post(OrderPage(order), {{"method", "wallet-a-pay"}}), TransactionPage(order));
  EXPECT_EQ(order.transactions.size(), 1u) << "a second press opens no second attempt";
}

TEST_F(OrderPageTest, MethodThatIsMissingOrNotOfferedIsSaidAtTheChoice) {
  const Order& order = Open();
  for (const Fields& fields :
       {Fields{}, Fields{{"method", "credit-card-oct"}}, Fields{{"method", "<b>"}},
        Fields{{"method", ""}}, Fields{{"metho", "credit-card"}}}) {
    const http::Response page = Post(OrderPage(order), fields);
    EXPECT_EQ(page.status, 422);
    EXPECT_THAT(page.body, HasSubstr("role=\"alert\""));
    EXPECT_THAT(page.body,
                HasSubstr("<fieldset class=\"choice\" aria-describedby=\"method-error\""));
  }
  EXPECT_EQ(Looked(Ask("POST", PathOf(OrderPage(order)), "", "method=%zz")).status, 422);
  EXPECT_TRUE(order.transactions.empty());
  EXPECT_EQ(order.status, OrderStatus::kNew);
}

TEST_F(OrderPageTest, OrderWithItsTransactionGoesThere) {
  const Order& order = With("credit-card");
  ExpectSeeOther(Get(OrderPage(order)), TransactionPage(order));
  ExpectSeeOther(Post(OrderPage(order), {{"method", "wallet-a-pay"}}), TransactionPage(order));
  EXPECT_EQ(order.transactions.size(), 1u);
}

TEST_F(OrderPageTest, FinalOrderGoesToItsResult) {
  const Order& order = Open();
  ASSERT_TRUE(world_.payments.Approve(order.id).ok());
  ExpectSeeOther(Get(OrderPage(order)), ResultPage(order));
  ExpectSeeOther(Post(OrderPage(order), {{"method", "credit-card"}}), ResultPage(order));
  EXPECT_EQ(order.transactions.size(), 1u);
}

TEST_F(OrderPageTest, DeclinedCustomerIsToldToTryAgain) {
  const Order& order = Open();
  Post(OrderPage(order), {{"method", "credit-card"}});
  ExpectSeeOther(Post(TransactionPage(order), Card(kDeclinedPan)), OrderPage(order));
  EXPECT_EQ(order.status, OrderStatus::kProcessing);
  const http::Response page = Get(OrderPage(order));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("<div role=\"alert\" id=\"declined\">"));
  EXPECT_THAT(page.body, HasSubstr("You can try again"));

  Post(OrderPage(order), {{"method", "credit-card"}});
  ASSERT_EQ(order.transactions.size(), 2u);
  ExpectSeeOther(Post(TransactionPage(order), Card(kApprovedPan)), ResultPage(order));
  EXPECT_EQ(order.status, OrderStatus::kCompleted);
  EXPECT_EQ(Effects(), 1u);
}

TEST_F(OrderPageTest, AttemptsHaveAnEnd) {
  const Order& order = Open();
  for (std::size_t i = 0; i < kMaxAttempts; ++i) {
    Post(OrderPage(order), {{"method", "wallet-a-pay"}});
    Post(TransactionPage(order), {{"outcome", "decline"}});
  }
  const http::Response page = Post(OrderPage(order), {{"method", "wallet-a-pay"}});
  EXPECT_EQ(page.status, 409);
  EXPECT_THAT(page.body, HasSubstr("too many attempts"));
}

TEST_F(OrderPageTest, OpenChallengeIsOneClickAway) {
  const Order& order = Open();
  Post(OrderPage(order), {{"method", "credit-card"}});
  Post(TransactionPage(order), Card(kChallengePan));
  const http::Response page = Get(OrderPage(order));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("href=\"" + ChallengePage(order) + "\""));
}

TEST_F(OrderPageTest, PaymentUnderWayIsNotOfferedAgain) {
  const Order& order = Open();
  Post(OrderPage(order), {{"method", "credit-card"}});
  Post(TransactionPage(order), Card(kLatePan));
  ExpectSeeOther(Get(OrderPage(order)), ResultPage(order));
}

TEST_F(OrderPageTest, CancelSendsTheCustomerToTheShop) {
  Order draft = Draft();
  draft.customer_picks = true;
  draft.return_url = kShopUrl;
  draft.failure_url = kFailureUrl;
  const Order& order = Made(draft);
  ExpectSeeOther(Post(OrderPage(order), {{"action", "cancel"}}), kFailureUrl);
  EXPECT_EQ(order.status, OrderStatus::kCancelled);
  ExpectSeeOther(Post(OrderPage(order), {{"action", "cancel"}}), ResultPage(order));
}

TEST_F(OrderPageTest, CancelWithoutAnAddressShowsTheResult) {
  const Order& order = With("credit-card");
  EXPECT_THAT(Get(TransactionPage(order)).body,
              HasSubstr("<form method=\"post\" action=\"" + OrderPage(order) + "\">"));
  ExpectSeeOther(Post(OrderPage(order), {{"action", "cancel"}}), ResultPage(order));
  EXPECT_EQ(order.status, OrderStatus::kCancelled);
  EXPECT_EQ(order.transactions[0].status, TransactionStatus::kCancelled);
}

TEST_F(OrderPageTest, CancelComesTooLateWhileAPaymentIsUnderWay) {
  const Order& order = With("credit-card");
  Post(TransactionPage(order), Card(kLatePan));
  ExpectSeeOther(Post(OrderPage(order), {{"action", "cancel"}}), ResultPage(order));
  EXPECT_EQ(order.status, OrderStatus::kProcessing);
}

TEST_F(OrderPageTest, UnknownOrdersAreNotFound) {
  for (const std::string& path :
       {"/pay/" + std::string(kUnknownId) + "/", std::string("/pay/x/"), std::string("/pay/%00/"),
        "/pay/" + std::string(5000, 'a') + "/"}) {
    EXPECT_EQ(Get(path).status, 404) << path;
    EXPECT_EQ(Post(path, {{"method", "credit-card"}}).status, 404) << path;
    EXPECT_EQ(Get(path + "result/").status, 404) << path;
  }
}

TEST_F(OrderPageTest, TextsFromOutsideCannotBecomeMarkup) {
  Order draft = Draft();
  draft.customer_picks = true;
  draft.merchant_order_id = "\"><img src=x onerror=alert(1)>";
  draft.description = "<script>alert(1)</script>" + std::string(10 * 1024, 'x');
  draft.merchant_name = "\xFF\xC3</dd><h1>shop</h1>";
  const Order& order = Made(draft);
  for (const std::string& page :
       {Get(OrderPage(order)).body, Get(ResultPage(order)).body,
        Post(OrderPage(order), {{"method", "\" autofocus onfocus=\"alert(1)"}}).body}) {
    EXPECT_THAT(page, Not(HasSubstr("<script")));
    EXPECT_THAT(page, Not(HasSubstr("<img")));
    EXPECT_THAT(page, Not(HasSubstr("autofocus")));
    EXPECT_THAT(page, Not(HasSubstr("\xFF")));
    EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
    EXPECT_LT(page.size(), 8000u) << "long texts are cut";
  }
}

TEST_F(OrderPageTest, OperationsHaveTheirNames) {
  const auto operation = [&](std::string_view method, std::string_view path) {
    const auto target = http::ParseTarget(path);
    const Match match = router_.Find(method, target->segments);
    return match.route == nullptr ? std::string_view() : match.route->operation;
  };
  EXPECT_EQ(operation("GET", "/pay/a/"), "hosted_page");
  EXPECT_EQ(operation("POST", "/pay/a/"), "choose_method");
  EXPECT_EQ(operation("GET", "/pay/a/b/"), "hosted_page");
  EXPECT_EQ(operation("POST", "/pay/a/b/"), "pay_on_page");
  EXPECT_EQ(operation("GET", "/pay/a/b/challenge/"), "challenge_page");
  EXPECT_EQ(operation("POST", "/pay/a/b/challenge"), "end_challenge");
  EXPECT_EQ(operation("GET", "/pay/a/result/"), "result_page");
  EXPECT_EQ(operation("GET", "/pay/link/b/"), "link_page");
  EXPECT_EQ(operation("POST", "/pay/link/b/"), "start_link_attempt");
  EXPECT_EQ(operation("POST", "/pay/a/select-payment-method/wallet-b-pay/b/"), "")
      << "another room's";
  EXPECT_EQ(operation("PUT", "/pay/a/"), "");
  for (const Route& route : router_.routes()) {
    EXPECT_EQ(route.access, Access::kAnyone) << route.operation;
    EXPECT_EQ(route.changes, route.method == "POST") << route.operation;
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
