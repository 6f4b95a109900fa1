#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/unit/sandbox/pages/pages_test.h"

namespace tollbridge::sandbox {
namespace {

using testing::HasSubstr;
using testing::Not;

class ResultPageTest : public PagesTest {
 protected:
  static std::string StatusRow(std::string_view status) {
    return "<dd id=\"status\">" + std::string(status) + "</dd>";
  }
};

TEST_F(ResultPageTest, CompletedOrderShowsAmountAndTheWayOn) {
  Order draft = DraftWith("credit-card");
  draft.return_url = kShopUrl;
  draft.amount = 1250;
  draft.currency = "KWD";
  const Order& order = Made(draft);
  Post(TransactionPage(order), Card(kApprovedPan));
  const http::Response page = Get(ResultPage(order));
  EXPECT_EQ(page.status, 200);
  for (const char* part : {"<h1>Payment completed</h1>", "1.250 KWD",
                           "<a href=\"https://shop.example/back?a=1&amp;b=2\">"}) {
    EXPECT_THAT(page.body, HasSubstr(part));
  }
  EXPECT_THAT(page.body, HasSubstr(StatusRow("completed")));
  EXPECT_THAT(page.body, Not(HasSubstr("http-equiv")));
  EXPECT_THAT(page.body, Not(HasSubstr("<form")));
}

TEST_F(ResultPageTest, FailedOrderSaysWhyAndLeadsToTheFailureAddress) {
  Order draft = DraftWith("credit-card");
  draft.return_url = kShopUrl;
  draft.failure_url = kFailureUrl;
  const Order& order = Made(draft);
  Post(TransactionPage(order), Card("4000000000000515"));
  const http::Response page = Get(ResultPage(order));
  EXPECT_THAT(page.body, HasSubstr(StatusRow("error")));
  EXPECT_THAT(page.body, HasSubstr("insufficient funds"));
  EXPECT_THAT(page.body, HasSubstr("<a href=\"" + std::string(kFailureUrl) + "\">"));
  EXPECT_THAT(page.body, Not(HasSubstr("shop.example/back")));
}

TEST_F(ResultPageTest, CancelledAndExpiredAreSaid) {
  const Order& cancelled = Open();
  ASSERT_TRUE(world_.payments.Cancel(cancelled.id).ok());
  EXPECT_THAT(Get(ResultPage(cancelled)).body, HasSubstr(StatusRow("cancelled")));
  const Order& expired = Open();
  Advance(std::chrono::hours(25));
  const http::Response page = Get(ResultPage(expired));
  EXPECT_THAT(page.body, HasSubstr(StatusRow("expired")));
  EXPECT_THAT(page.body, Not(HasSubstr("<a "))) << "there is nowhere to go";
}

TEST_F(ResultPageTest, CancelledAndExpiredLeadToTheFailureAddressElseToTheShop) {
  for (const bool has_failure_url : {true, false}) {
    Order draft = DraftWith("credit-card");
    draft.return_url = kShopUrl;
    if (has_failure_url) draft.failure_url = kFailureUrl;
    const Order& cancelled = Made(draft);
    ASSERT_TRUE(world_.payments.Cancel(cancelled.id).ok());
    const Order& expired = Made(draft);
    ASSERT_TRUE(world_.payments.Expire(expired.id).ok());
    for (const Order* order : {&cancelled, &expired}) {
      const std::string page = Get(ResultPage(*order)).body;
      EXPECT_EQ(page.find("shop.example/failed") != std::string::npos, has_failure_url);
      EXPECT_EQ(page.find("shop.example/back") == std::string::npos, has_failure_url);
    }
  }
}

TEST_F(ResultPageTest, SlowIssuerIsWaitedFor) {
  const Order& order = With("credit-card");
  ExpectSeeOther(Post(TransactionPage(order), Card(kLatePan)), ResultPage(order));
  const http::Response waits = Get(ResultPage(order));
  EXPECT_THAT(waits.body, HasSubstr("<meta http-equiv=\"refresh\" content=\"5\">"));
  EXPECT_THAT(waits.body, HasSubstr("Payment in progress"));
  EXPECT_THAT(waits.body, HasSubstr(StatusRow("processing")));
  Advance(std::chrono::seconds(kSlowIssuerSeconds));
  const http::Response done = Get(ResultPage(order));
  EXPECT_THAT(done.body, HasSubstr(StatusRow("completed")));
  EXPECT_THAT(done.body, Not(HasSubstr("http-equiv")));
  EXPECT_EQ(Effects(), 1u);
}

TEST_F(ResultPageTest, UnpaidOrderLeadsBackToThePayment) {
  const Order& order = Open();
  const http::Response page = Get(ResultPage(order));
  EXPECT_THAT(page.body, HasSubstr("Not paid yet"));
  EXPECT_THAT(page.body, HasSubstr("<a href=\"" + OrderPage(order) + "\">"));
}

TEST_F(ResultPageTest, OrderPaidTwiceIsForTheShopToLookAt) {
  const Order& order = Open();
  for (int tab = 0; tab < 2; ++tab) {
    Post(OrderPage(order), {{"method", "credit-card"}});
    Post(TransactionPage(order), Card(kLatePan));
  }
  Advance(std::chrono::seconds(kSlowIssuerSeconds));
  const http::Response page = Get(ResultPage(order));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr(StatusRow(Text(order.status))));
  EXPECT_EQ(order.status, OrderStatus::kSeeTransactions);
}

TEST_F(ResultPageTest, AddressThatIsNoWebAddressIsNeverGoneTo) {
  for (const char* bad : {"javascript:alert(1)", "https://shop.example/\r\nX: y", "//x.example",
                          "data:text/html,x"}) {
    Order draft = DraftWith("credit-card");
    draft.return_url = bad;
    const Order& order = Made(draft);
    ExpectSeeOther(Post(TransactionPage(order), Card(kApprovedPan)), ResultPage(order));
    EXPECT_THAT(Get(ResultPage(order)).body, Not(HasSubstr("<a "))) << bad;
  }
}

TEST_F(ResultPageTest, RefundHasAResultToo) {
  const Order& order = With("credit-card");
  Post(TransactionPage(order), Card(kApprovedPan));
  const auto made = world_.follow_ups.Refund(order.id, 50, std::nullopt);
  const Order& refund = **made;
  ExpectSeeOther(Get(OrderPage(refund)), ResultPage(refund));
  EXPECT_THAT(Get(ResultPage(refund)).body, HasSubstr("0.50 EUR"));
}

}  // namespace
}  // namespace tollbridge::sandbox
