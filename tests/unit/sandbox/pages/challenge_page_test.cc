#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/sandbox/pages/pages_test.h"

namespace tollbridge::sandbox {
namespace {

using testing::HasSubstr;

class ChallengePageTest : public PagesTest {
 protected:
  const Order& Challenged(std::string_view pan = kChallengePan) {
    Order draft = DraftWith("credit-card");
    draft.return_url = kShopUrl;
    draft.failure_url = kFailureUrl;
    const Order& order = Made(draft);
    ExpectSeeOther(Post(TransactionPage(order), Card(pan)), ChallengePage(order));
    return order;
  }
};

TEST_F(ChallengePageTest, AsksTheCustomer) {
  const http::Response page = Get(ChallengePage(Challenged()));
  EXPECT_EQ(page.status, 200);
  for (const char* part : {"name=\"outcome\" value=\"pass\"", "name=\"outcome\" value=\"fail\"",
                           "****3220", "12.50 EUR"}) {
    EXPECT_THAT(page.body, HasSubstr(part));
  }
}

TEST_F(ChallengePageTest, PassedGoesToTheShopAndPaysOnce) {
  const Order& order = Challenged();
  ExpectSeeOther(Post(ChallengePage(order), {{"outcome", "pass"}}), kShopUrl);
  EXPECT_EQ(order.status, OrderStatus::kCompleted);
  ExpectSeeOther(Post(ChallengePage(order), {{"outcome", "pass"}}), kShopUrl);
  ExpectSeeOther(Post(ChallengePage(order), {{"outcome", "fail"}}), kShopUrl);
  EXPECT_EQ(order.status, OrderStatus::kCompleted);
  EXPECT_EQ(Effects(), 1u);
  ExpectSeeOther(Get(ChallengePage(order)), ResultPage(order));
}

TEST_F(ChallengePageTest, FailedGoesToTheFailureAddress) {
  const Order& order = Challenged();
  ExpectSeeOther(Post(ChallengePage(order), {{"outcome", "fail"}}), kFailureUrl);
  EXPECT_EQ(order.status, OrderStatus::kError);
  EXPECT_EQ(Effects(), 0u);
}

TEST_F(ChallengePageTest, CardThatFailsFailsWhateverIsPressed) {
  const Order& order = Challenged(kChallengeFailsPan);
  ExpectSeeOther(Post(ChallengePage(order), {{"outcome", "pass"}}), kFailureUrl);
  EXPECT_EQ(order.status, OrderStatus::kError);
}

TEST_F(ChallengePageTest, FailedCustomerWithAChoiceMayTryAgain) {
  const Order& order = Open();
  Post(OrderPage(order), {{"method", "credit-card"}});
  Post(TransactionPage(order), Card(kChallengePan));
  ExpectSeeOther(Post(ChallengePage(order), {{"outcome", "fail"}}), OrderPage(order));
  EXPECT_THAT(Get(OrderPage(order)).body, HasSubstr("id=\"declined\""));
}

TEST_F(ChallengePageTest, NeitherButtonIsNoOutcome) {
  const Order& order = Challenged();
  for (const Fields& fields : {Fields{}, Fields{{"outcome", "PASS"}}, Fields{{"outcome", ""}}}) {
    const http::Response page = Post(ChallengePage(order), fields);
    EXPECT_EQ(page.status, 422);
    EXPECT_THAT(page.body, HasSubstr("role=\"alert\""));
  }
  EXPECT_EQ(order.transactions[0].status, TransactionStatus::kPending);
}

TEST_F(ChallengePageTest, WithoutAChallengeItLeadsToTheForm) {
  const Order& order = With("credit-card");
  ExpectSeeOther(Get(ChallengePage(order)), TransactionPage(order));
  ExpectSeeOther(Post(ChallengePage(order), {{"outcome", "pass"}}), TransactionPage(order));
  EXPECT_EQ(order.status, OrderStatus::kNew);
}

TEST_F(ChallengePageTest, ChallengeOfACancelledOrderIsOver) {
  const Order& order = Challenged();
  Post(OrderPage(order), {{"action", "cancel"}});
  ExpectSeeOther(Get(ChallengePage(order)), ResultPage(order));
  ExpectSeeOther(Post(ChallengePage(order), {{"outcome", "pass"}}), kFailureUrl);
  EXPECT_EQ(order.status, OrderStatus::kCancelled);
  EXPECT_EQ(Effects(), 0u);
}

TEST_F(ChallengePageTest, OwnCheckoutGoesToTheShopWhileTheOrderIsHeld) {
  Order draft = DraftWith("credit-card");
  draft.return_url = kShopUrl;
  const Order& order = Made(draft);
  const VaultCard& card = world_.vault.Keep(
      demo().id, {.pan = kChallengePan, .expiry = "122030", .cardholder_name = ""});
  ASSERT_TRUE(
      world_.payments
          .Authenticate(demo(), order.id, order.transactions[0].id, card.token, std::nullopt)
          .ok());
  EXPECT_EQ(Get(ChallengePage(order)).status, 200);
  ExpectSeeOther(Post(ChallengePage(order), {{"outcome", "pass"}}), kShopUrl);
  EXPECT_EQ(order.status, OrderStatus::kProcessing);
  EXPECT_EQ(order.transactions[0].status, TransactionStatus::kCompleted);
  ExpectSeeOther(Get(OrderPage(order)), ResultPage(order));
  EXPECT_THAT(Get(ResultPage(order)).body, HasSubstr("Payment received"));
}

}  // namespace
}  // namespace tollbridge::sandbox
