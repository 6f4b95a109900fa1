#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>

#include "tests/unit/sandbox/pages/pages_test.h"

namespace tollbridge::sandbox {
namespace {

using testing::HasSubstr;
using testing::Not;

class TransactionPageTest : public PagesTest {
 protected:
  /// One where everything is given.
  const Order& WithAddresses() {
    Order draft = DraftWith("credit-card");
    draft.return_url = kShopUrl;
    draft.failure_url = kFailureUrl;
    return Made(draft);
  }

  /// Whether the field is marked as wrong, with a message tied to it.
  static bool IsMarked(const std::string& page, const std::string& field) {
    const std::size_t begin = page.find("<input type=\"text\" id=\"" + field + "\"");
    const std::string tag = page.substr(begin, page.find('>', begin) - begin);
    return tag.find("aria-invalid=\"true\"") != std::string::npos &&
           tag.find(field + "-error\"") != std::string::npos &&
           page.find("id=\"" + field + "-error\"") != std::string::npos;
  }

  /// Exactly this field is wrong, and nothing was paid.
  void ExpectWrong(const http::Response& page, const std::string& field) {
    EXPECT_EQ(page.status, 422);
    EXPECT_THAT(page.body, HasSubstr("<div role=\"alert\" id=\"errors\">"));
    for (const std::string other : {"pan", "expiry", "cvc", "name"}) {
      EXPECT_EQ(IsMarked(page.body, other), other == field) << other << page.body;
    }
    EXPECT_EQ(Effects(), 0u);
  }
};

TEST_F(TransactionPageTest, ShowsACardForm) {
  const http::Response page = Get(TransactionPage(With("credit-card")));
  EXPECT_EQ(page.status, 200);
  for (const char* part :
       {"<h1>Pay 12.50 EUR</h1>", "name=\"pan\" autocomplete=\"cc-number\" inputmode=\"numeric\"",
        "name=\"expiry\" autocomplete=\"cc-exp\"", "name=\"cvc\" autocomplete=\"cc-csc\"",
        "name=\"name\" autocomplete=\"cc-name\"", "Cancel the payment"}) {
    EXPECT_THAT(page.body, HasSubstr(part));
  }
  EXPECT_THAT(page.body, Not(HasSubstr("role=\"alert\"")));
  EXPECT_THAT(page.body, Not(HasSubstr("another method"))) << "the merchant has picked it";
}

TEST_F(TransactionPageTest, CustomerWhoPicksCanPickAgain) {
  const Order& order = Open();
  Post(OrderPage(order), {{"method", "credit-card"}});
  EXPECT_THAT(Get(TransactionPage(order)).body,
              HasSubstr("<a href=\"" + OrderPage(order) + "\">Choose another method"));
  const std::string first = TransactionPage(order);
  Post(OrderPage(order), {{"method", "wallet-b-pay"}});
  ExpectSeeOther(Get(first), OrderPage(order));
  ExpectSeeOther(Post(first, Card(kApprovedPan)), OrderPage(order));
  EXPECT_EQ(Effects(), 0u);
}

TEST_F(TransactionPageTest, PaidCustomerGoesToTheShop) {
  const Order& order = WithAddresses();
  ExpectSeeOther(Post(TransactionPage(order), Card(kApprovedPan)), kShopUrl);
  EXPECT_EQ(order.status, OrderStatus::kCompleted);
  EXPECT_EQ(order.transactions[0].Detail("card_expiry"), "122030");
  EXPECT_EQ(order.transactions[0].Detail("cardholder_name"), "A Customer");
  EXPECT_EQ(Effects(), 1u);
}

TEST_F(TransactionPageTest, PaidCustomerWithoutAnAddressSeesTheResult) {
  const Order& order = With("credit-card");
  ExpectSeeOther(Post(TransactionPage(order), Card(kApprovedPan)), ResultPage(order));
  EXPECT_EQ(order.status, OrderStatus::kCompleted);
}

TEST_F(TransactionPageTest, DeclinedCustomerWithoutAChoiceGoesToTheFailureAddress) {
  const Order& both = WithAddresses();
  ExpectSeeOther(Post(TransactionPage(both), Card(kDeclinedPan)), kFailureUrl);
  EXPECT_EQ(both.status, OrderStatus::kError);
  Order draft = DraftWith("credit-card");
  draft.return_url = kShopUrl;
  const Order& one = Made(draft);
  ExpectSeeOther(Post(TransactionPage(one), Card(kDeclinedPan)), kShopUrl);
  const Order& none = With("credit-card");
  ExpectSeeOther(Post(TransactionPage(none), Card(kDeclinedPan)), ResultPage(none));
  EXPECT_EQ(Effects(), 0u);
}

TEST_F(TransactionPageTest, EachTestCardDoesWhatItIsFor) {
  for (const TestCard& card : TestCards()) {
    SCOPED_TRACE(card.purpose);
    const Order& order = WithAddresses();
    const std::size_t before = Effects();
    const http::Response response = Post(TransactionPage(order), Card(card.pan));
    const Transaction& transaction = order.transactions[0];
    std::size_t effects = 0;
    switch (card.outcome) {
      case CardOutcome::kApproved:
        ExpectSeeOther(response, kShopUrl);
        EXPECT_EQ(order.status, OrderStatus::kCompleted);
        effects = 1;
        break;
      case CardOutcome::kDeclined:
        ExpectSeeOther(response, kFailureUrl);
        EXPECT_EQ(order.status, OrderStatus::kError);
        EXPECT_EQ(transaction.response_code, card.response_code);
        break;
      case CardOutcome::kIssuerError:
        ExpectSeeOther(response, kFailureUrl);
        EXPECT_EQ(transaction.status, TransactionStatus::kError);
        break;
      case CardOutcome::kChallenge:
      case CardOutcome::kChallengeFails:
        ExpectSeeOther(response, ChallengePage(order));
        EXPECT_EQ(transaction.status, TransactionStatus::kPending);
        break;
      case CardOutcome::kApprovedLate:
        ExpectSeeOther(response, ResultPage(order));
        EXPECT_EQ(transaction.status, TransactionStatus::kAccepted);
        break;
      case CardOutcome::kAnswerLost:
        EXPECT_EQ(response.status, 502);
        EXPECT_THAT(response.body, HasSubstr("Do not pay again"));
        EXPECT_THAT(response.body, HasSubstr("href=\"" + ResultPage(order) + "\""));
        EXPECT_EQ(transaction.status, TransactionStatus::kAccepted);
        break;
    }
    EXPECT_EQ(Effects() - before, effects);
  }
}

TEST_F(TransactionPageTest, SecondPressOfTheButtonPaysNothing) {
  for (const std::string_view pan : {kApprovedPan, kDeclinedPan, kChallengePan, kLatePan}) {
    SCOPED_TRACE(pan);
    const Order& order = WithAddresses();
    const http::Response first = Post(TransactionPage(order), Card(pan));
    const std::size_t after_one = Effects();
    const std::size_t events = order.transactions[0].events.size();
    const http::Response second = Post(TransactionPage(order), Card(pan));
    ExpectSeeOther(second, *first.headers.Find("Location"));
    EXPECT_EQ(Effects(), after_one);
    EXPECT_EQ(order.transactions[0].events.size(), events);
  }
}

TEST_F(TransactionPageTest, SecondPressAfterALostAnswerWaitsForTheResult) {
  const Order& order = WithAddresses();
  EXPECT_EQ(Post(TransactionPage(order), Card(kAnswerLostPan)).status, 502);
  ExpectSeeOther(Post(TransactionPage(order), Card(kAnswerLostPan)), ResultPage(order));
  Advance(std::chrono::seconds(kSlowIssuerSeconds));
  EXPECT_EQ(order.status, OrderStatus::kCompleted);
  EXPECT_EQ(Effects(), 1u);
}

TEST_F(TransactionPageTest, PageOfAnAttemptThatIsOverLeadsOn) {
  const Order& paid = WithAddresses();
  Post(TransactionPage(paid), Card(kApprovedPan));
  ExpectSeeOther(Get(TransactionPage(paid)), ResultPage(paid));
  const Order& pending = With("credit-card");
  Post(TransactionPage(pending), Card(kChallengePan));
  ExpectSeeOther(Get(TransactionPage(pending)), ChallengePage(pending));
  const Order& expired = With("credit-card");
  ASSERT_TRUE(world_.payments.Expire(expired.id).ok());
  ExpectSeeOther(Get(TransactionPage(expired)), ResultPage(expired));
  ExpectSeeOther(Post(TransactionPage(expired), Card(kApprovedPan)), ResultPage(expired));
  EXPECT_EQ(expired.status, OrderStatus::kExpired);
}

TEST_F(TransactionPageTest, CardNumberMayHaveBlanksAndExpiryManyForms) {
  for (const std::string_view expiry :
       {"12/30", "122030", "12/2030", "12 / 30", "1230", " 12/30 "}) {
    const Order& order = With("credit-card");
    ExpectSeeOther(Post(TransactionPage(order), Card("4111 1111 1111 1111", expiry)),
                   ResultPage(order));
    EXPECT_EQ(order.transactions[0].Detail("card_expiry"), "122030") << expiry;
    EXPECT_EQ(order.transactions[0].Detail("truncated_pan"), "411111******1111");
  }
}

TEST_F(TransactionPageTest, NameIsOptional) {
  const Order& order = With("credit-card");
  ExpectSeeOther(Post(TransactionPage(order), Card(kApprovedPan, "12/30", kCvc, "")),
                 ResultPage(order));
}

TEST_F(TransactionPageTest, WrongNumberIsSaidAtItsField) {
  const Order& order = With("credit-card");
  for (const std::string& pan : {std::string(), std::string("0000000000000001"), std::string("12"),
                                 std::string("000000000000000x"), std::string(10240, '0'),
                                 std::string("0000000000000000"), std::string("\xFF")}) {
    ExpectWrong(Post(TransactionPage(order), Card(pan)), "pan");
  }
  EXPECT_EQ(order.transactions[0].status, TransactionStatus::kNew);
}

TEST_F(TransactionPageTest, WrongExpiryIsSaidAtItsFieldAndFilledInAgain) {
  const Order& order = With("credit-card");
  for (const std::string_view expiry : {"", "13/30", "12/", "1/30", "122", "ab/cd", "12/19",
                                        "-1/30", "00/30", "12//30", "12/20300"}) {
    const http::Response page = Post(TransactionPage(order), Card(kApprovedPan, expiry));
    ExpectWrong(page, "expiry");
    if (!expiry.empty()) {
      EXPECT_THAT(page.body, HasSubstr("value=\"" + std::string(expiry) + "\""));
    }
  }
}

TEST_F(TransactionPageTest, WrongCvcIsSaidAtItsField) {
  const Order& order = With("credit-card");
  for (const std::string_view cvc : {"", "12", "12345", "abc", "1 2", "-12"}) {
    ExpectWrong(Post(TransactionPage(order), Card(kApprovedPan, "12/30", cvc)), "cvc");
  }
}

TEST_F(TransactionPageTest, TooLongNameIsSaidAtItsFieldAndCut) {
  const Order& order = With("credit-card");
  const http::Response page =
      Post(TransactionPage(order), Card(kApprovedPan, "12/30", kCvc, std::string(10240, 'n')));
  ExpectWrong(page, "name");
  EXPECT_LT(page.body.size(), 10240u);
}

TEST_F(TransactionPageTest, AllWrongFieldsAreSaidAtOnce) {
  const Order& order = With("credit-card");
  const http::Response page = Post(TransactionPage(order), {});
  EXPECT_EQ(page.status, 422);
  for (const std::string field : {"pan", "expiry", "cvc"}) {
    EXPECT_TRUE(IsMarked(page.body, field)) << field;
    EXPECT_THAT(page.body, HasSubstr("<a href=\"#" + field + "\">"));
  }
  EXPECT_THAT(page.body, HasSubstr("<title>Error: Pay 12.50 EUR</title>"));
}

TEST_F(TransactionPageTest, TypedTextCannotBecomeMarkup) {
  const Order& order = With("credit-card");
  const http::Response page = Post(
      TransactionPage(order), Card("<b>1</b>", "\"><script>", "<i>", "\" onfocus=\"alert(1)\xFF"));
  EXPECT_EQ(page.status, 422);
  for (const char* part : {"<b>", "<script", "<i>", "\" onfocus=\"", "\xFF"}) {
    EXPECT_THAT(page.body, Not(HasSubstr(part)));
  }
}

TEST_F(TransactionPageTest, BodyThatIsNoFormIsAnEmptyForm) {
  const Order& order = With("credit-card");
  for (const std::string& body : {std::string("%zz"), std::string("{\"pan\":1}"),
                                  std::string(200000, '&'), std::string("\0\0", 2)}) {
    EXPECT_EQ(Looked(Ask("POST", PathOf(TransactionPage(order)), "", body)).status, 422);
  }
  EXPECT_EQ(order.transactions[0].status, TransactionStatus::kNew);
}

TEST_F(TransactionPageTest, AmountOfNothingVerifiesTheCard) {
  Order draft = DraftWith("credit-card");
  draft.amount = 0;
  draft.transactions[0].details["one_click_type"] = "first";
  const Order& order = Made(draft);
  EXPECT_THAT(Get(TransactionPage(order)).body, HasSubstr("<h1>Verify your card</h1>"));
  ExpectSeeOther(Post(TransactionPage(order), Card(kApprovedPan)), ResultPage(order));
  EXPECT_EQ(order.status, OrderStatus::kCompleted);
  EXPECT_NE(order.transactions[0].Detail("vault_token"), "");
  EXPECT_EQ(Effects(), 0u);
}

TEST_F(TransactionPageTest, AccountFundingIsDeclinedWithACardThatDoesNotAllowIt) {
  Order draft = DraftWith("credit-card");
  draft.transactions[0].transaction_type = "aft";
  const Order& order = Made(draft);
  Post(TransactionPage(order), Card("4000000000000614"));
  EXPECT_EQ(order.status, OrderStatus::kError);
}

TEST_F(TransactionPageTest, UnknownAndForeignTransactionsAreNotFound) {
  const Order& mine = With("credit-card");
  const Order& other = With("credit-card");
  for (const std::string& path :
       {addresses_.TransactionPage(mine.id, other.transactions[0].id),
        OrderPage(mine) + std::string(kUnknownId) + "/", OrderPage(mine) + "x/",
        "/pay/" + std::string(kUnknownId) + "/" + mine.transactions[0].id.ToString() + "/"}) {
    EXPECT_EQ(Get(path).status, 404) << path;
    EXPECT_EQ(Post(path, Card(kApprovedPan)).status, 404) << path;
    EXPECT_EQ(Get(path + "challenge/").status, 404) << path;
    EXPECT_EQ(Post(path + "challenge/", {{"outcome", "pass"}}).status, 404) << path;
  }
  EXPECT_EQ(Effects(), 0u);
}

class StoredCardPageTest : public PagesTest {
 protected:
  const Order& OneClickWith(std::string_view pan) {
    const VaultCard& card =
        world_.vault.Keep(demo().id, {.pan = pan, .expiry = "122030", .cardholder_name = "A"});
    Order draft = DraftWith("credit-card");
    draft.return_url = kShopUrl;
    draft.failure_url = kFailureUrl;
    draft.transactions[0].details["one_click_type"] = "one-click";
    draft.transactions[0].details["vault_token"] = card.token.ToString();
    return Made(draft);
  }
};

TEST_F(StoredCardPageTest, AsksWithTheLastFourDigitsAndOneButton) {
  const Order& order = OneClickWith(kApprovedPan);
  const http::Response page = Get(TransactionPage(order));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("****1111"));
  EXPECT_THAT(page.body, Not(HasSubstr("<input")));
  ExpectSeeOther(Post(TransactionPage(order), {{"action", "pay"}}), kShopUrl);
  EXPECT_EQ(order.status, OrderStatus::kCompleted);
  ExpectSeeOther(Post(TransactionPage(order), {{"action", "pay"}}), kShopUrl);
  EXPECT_EQ(Effects(), 1u);
}

TEST_F(StoredCardPageTest, DoesWhatTheCardIsFor) {
  const std::map<std::string_view, std::string> ways = {
      {kDeclinedPan, std::string(kFailureUrl)}, {kIssuerErrorPan, std::string(kFailureUrl)}};
  for (const auto& [pan, way] : ways) {
    ExpectSeeOther(Post(TransactionPage(OneClickWith(pan)), {}), way);
  }
  const Order& challenged = OneClickWith(kChallengePan);
  ExpectSeeOther(Post(TransactionPage(challenged), {}), ChallengePage(challenged));
  const Order& slow = OneClickWith(kLatePan);
  ExpectSeeOther(Post(TransactionPage(slow), {}), ResultPage(slow));
  EXPECT_EQ(Post(TransactionPage(OneClickWith(kAnswerLostPan)), {}).status, 502);
  EXPECT_EQ(Effects(), 0u);
}

TEST_F(StoredCardPageTest, WithoutACardItCannotBePaid) {
  Order draft = DraftWith("credit-card");
  draft.transactions[0].details["one_click_type"] = "one-click";
  const Order& order = Made(draft);
  EXPECT_EQ(Get(TransactionPage(order)).status, 200);
  const http::Response page = Post(TransactionPage(order), {});
  EXPECT_EQ(page.status, 422);
  EXPECT_THAT(page.body, HasSubstr("role=\"alert\""));
}

class WalletPageTest : public PagesTest, public testing::WithParamInterface<const char*> {};

TEST_P(WalletPageTest, ApproveAndDecline) {
  const Order& order = With(GetParam());
  const http::Response page = Get(TransactionPage(order));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("name=\"outcome\" value=\"approve\""));
  EXPECT_THAT(page.body, HasSubstr("name=\"outcome\" value=\"decline\""));
  ExpectSeeOther(Post(TransactionPage(order), {{"outcome", "approve"}}), ResultPage(order));
  ExpectSeeOther(Post(TransactionPage(order), {{"outcome", "approve"}}), ResultPage(order));
  EXPECT_EQ(order.status, OrderStatus::kCompleted);
  EXPECT_EQ(Effects(), 1u);
  const Order& other = With(GetParam());
  ExpectSeeOther(Post(TransactionPage(other), {{"outcome", "decline"}}), ResultPage(other));
  EXPECT_EQ(other.status, OrderStatus::kError);
  EXPECT_EQ(Effects(), 1u);
}

TEST_P(WalletPageTest, OtherFormsAreRefused) {
  const Order& order = With(GetParam());
  for (const Fields& fields : {Fields{}, Fields{{"outcome", "explode"}}, Card(kApprovedPan)}) {
    const http::Response page = Post(TransactionPage(order), fields);
    EXPECT_EQ(page.status, 422);
    EXPECT_THAT(page.body, HasSubstr("role=\"alert\""));
  }
  EXPECT_EQ(order.status, OrderStatus::kNew);
}

INSTANTIATE_TEST_SUITE_P(Wallets, WalletPageTest, testing::Values("wallet-a-pay", "wallet-b-pay"));

TEST_F(TransactionPageTest, PayoutNeedsNoCustomer) {
  Order draft = DraftWith("credit-card-oct");
  draft.transactions[0].transaction_type = "oct";
  draft.transactions[0].debit = true;
  const Order& order = Made(draft);
  const http::Response page = Get(TransactionPage(order));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("A payout needs no customer"));
  EXPECT_THAT(page.body, Not(HasSubstr("<form")));
  EXPECT_EQ(Post(TransactionPage(order), Card(kApprovedPan)).status, 422);
  EXPECT_EQ(order.status, OrderStatus::kNew);
}

}  // namespace
}  // namespace tollbridge::sandbox
