#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/unit/sandbox/pages/pages_test.h"

namespace tollbridge::sandbox {
namespace {

using testing::HasSubstr;
using testing::Not;

class LinkPageTest : public PagesTest {
 protected:
  static PaymentLink Draft() {
    PaymentLink draft;
    draft.merchant_order_id = "invoice-7";
    draft.amount = 1250;
    draft.currency = "JPY";
    draft.return_url = kShopUrl;
    return draft;
  }

  const PaymentLink& Linked(PaymentLink draft = Draft()) {
    const auto made = world_.links.Create(demo(), std::move(draft));
    return **made;
  }

  std::string PageOf(const PaymentLink& link) const { return addresses_.LinkPage(link.id); }

  /// Chooses a method and gives the attempt's order.
  const Order& Started(const PaymentLink& link, std::string method = "credit-card") {
    EXPECT_EQ(Post(PageOf(link), {{"method", std::move(method)}}).status, 303);
    return *world_.orders.Find(link.orders.back());
  }

  static std::string StatusRow(std::string_view status) {
    return "<dd id=\"status\">" + std::string(status) + "</dd>";
  }
};

TEST_F(LinkPageTest, ShowsWhatIsToBePaid) {
  const http::Response page = Get(PageOf(Linked()));
  EXPECT_EQ(page.status, 200);
  for (const char* part : {"<h1>Pay 1250 JPY</h1>", "invoice-7", "Sandbox shop",
                           "value=\"credit-card\"", "value=\"wallet-a-pay\""}) {
    EXPECT_THAT(page.body, HasSubstr(part));
  }
  EXPECT_THAT(page.body, HasSubstr(StatusRow("new")));
  EXPECT_THAT(page.body, Not(HasSubstr("credit-card-oct")));
}

TEST_F(LinkPageTest, OffersOnlyItsOwnMethods) {
  PaymentLink draft = Draft();
  draft.payment_methods = {"wallet-a-pay"};
  const PaymentLink& link = Linked(draft);
  EXPECT_THAT(Get(PageOf(link)).body, Not(HasSubstr("credit-card")));
  for (const Fields& fields : {Fields{}, Fields{{"method", "credit-card"}}}) {
    const http::Response page = Post(PageOf(link), fields);
    EXPECT_EQ(page.status, 422);
    EXPECT_THAT(page.body, HasSubstr("aria-describedby=\"method-error\""));
  }
  EXPECT_TRUE(link.orders.empty());
}

TEST_F(LinkPageTest, PayoutIsNoWayToPay) {
  const PaymentLink& link = Linked();
  EXPECT_EQ(Post(PageOf(link), {{"method", "credit-card-oct"}}).status, 422);
  EXPECT_TRUE(link.orders.empty());
}

TEST_F(LinkPageTest, ChosenMethodLeadsToTheOrdersTransaction) {
  const PaymentLink& link = Linked();
  const http::Response response = Post(PageOf(link), {{"method", "credit-card"}});
  ASSERT_EQ(link.orders.size(), 1u);
  const Order& order = *world_.orders.Find(link.orders[0]);
  ExpectSeeOther(response, TransactionPage(order));
  EXPECT_EQ(Get(TransactionPage(order)).status, 200);
}

TEST_F(LinkPageTest, PaidLinkSaysSo) {
  const PaymentLink& link = Linked();
  const Order& order = Started(link);
  ExpectSeeOther(Post(TransactionPage(order), Card(kApprovedPan)), kShopUrl);
  EXPECT_EQ(link.status, LinkStatus::kCompleted);
  const http::Response page = Get(PageOf(link));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("Payment completed"));
  EXPECT_THAT(page.body, HasSubstr("<a href=\"https://shop.example/back?a=1&amp;b=2\">"));
  EXPECT_THAT(page.body, Not(HasSubstr("<form")));
  EXPECT_EQ(Post(PageOf(link), {{"method", "credit-card"}}).status, 409);
  EXPECT_EQ(link.orders.size(), 1u);
  EXPECT_EQ(Effects(), 1u);
}

TEST_F(LinkPageTest, OpenAttemptIsGoneOnWith) {
  const PaymentLink& link = Linked();
  const Order& order = Started(link);
  const http::Response page = Get(PageOf(link));
  EXPECT_THAT(page.body, HasSubstr(StatusRow("processing")));
  EXPECT_THAT(page.body, HasSubstr("<a href=\"" + TransactionPage(order) + "\">"));
  EXPECT_THAT(page.body, Not(HasSubstr("<form")));
  ExpectSeeOther(Post(PageOf(link), {{"method", "wallet-a-pay"}}), TransactionPage(order));
  EXPECT_EQ(link.orders.size(), 1u) << "a second press opens no second attempt";
  Post(TransactionPage(order), Card(kChallengePan));
  EXPECT_THAT(Get(PageOf(link)).body, HasSubstr("<a href=\"" + ChallengePage(order) + "\">"));
}

TEST_F(LinkPageTest, FailedAttemptCanBeFollowedByAnother) {
  PaymentLink draft = Draft();
  draft.return_url = std::nullopt;
  const PaymentLink& link = Linked(draft);
  const Order& first = Started(link);
  ExpectSeeOther(Post(TransactionPage(first), Card(kDeclinedPan)), ResultPage(first));
  EXPECT_THAT(Get(ResultPage(first)).body,
              HasSubstr("<a href=\"" + PageOf(link) + "\">Try again</a>"));
  const http::Response page = Get(PageOf(link));
  EXPECT_THAT(page.body, HasSubstr(StatusRow("all_unsuccessful")));
  EXPECT_THAT(page.body, HasSubstr("<div role=\"alert\" id=\"declined\">"));
  EXPECT_THAT(page.body, HasSubstr("<form"));

  const Order& second = Started(link, "wallet-b-pay");
  EXPECT_NE(first.id, second.id);
  Post(TransactionPage(second), {{"outcome", "approve"}});
  EXPECT_EQ(link.status, LinkStatus::kCompleted);
  EXPECT_THAT(Get(ResultPage(first)).body, Not(HasSubstr("Try again")));
}

TEST_F(LinkPageTest, CancelledAttemptCanBeFollowedByAnother) {
  const PaymentLink& link = Linked();
  const Order& order = Started(link);
  ExpectSeeOther(Post(OrderPage(order), {{"action", "cancel"}}), kShopUrl);
  EXPECT_EQ(link.status, LinkStatus::kAllUnsuccessful);
  EXPECT_THAT(Get(PageOf(link)).body, HasSubstr("<form"));
}

TEST_F(LinkPageTest, ExpiredLinkSaysSo) {
  const PaymentLink& link = Linked();
  Advance(kPaymentLinkValidity);
  const http::Response page = Get(PageOf(link));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("<h1>Payment link expired</h1>"));
  EXPECT_THAT(page.body, Not(HasSubstr("<form")));
  const http::Response refused = Post(PageOf(link), {{"method", "credit-card"}});
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body, HasSubstr("role=\"alert\""));
  EXPECT_TRUE(link.orders.empty());
}

TEST_F(LinkPageTest, UnknownLinksAreNotFound) {
  const Order& order = Open();
  for (const std::string& id : {std::string(kUnknownId), std::string("x"), order.id.ToString()}) {
    EXPECT_EQ(Get("/pay/link/" + id + "/").status, 404);
    EXPECT_EQ(Post("/pay/link/" + id + "/", {{"method", "credit-card"}}).status, 404);
  }
}

TEST_F(LinkPageTest, TextsFromOutsideCannotBecomeMarkup) {
  PaymentLink draft = Draft();
  draft.merchant_order_id = "<script>\xFF";
  draft.description = std::string(10 * 1024, '<');
  draft.return_url = "javascript:alert(1)";
  const PaymentLink& link = Linked(draft);
  const http::Response page = Get(PageOf(link));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, Not(HasSubstr("<script")));
  EXPECT_LT(page.body.size(), 8000u);
  Post(TransactionPage(Started(link)), Card(kApprovedPan));
  EXPECT_THAT(Get(PageOf(link)).body, Not(HasSubstr("javascript:")));
}

}  // namespace
}  // namespace tollbridge::sandbox
