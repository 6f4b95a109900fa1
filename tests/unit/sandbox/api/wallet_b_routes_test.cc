#include "sandbox/api/wallet_b_routes.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/api/wallet_b_message.h"
#include "tests/unit/sandbox/api/vault_support.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

/// Payments with wallet B, from the wallet's message to the redirect.
class WalletBRoutesTest : public CardsTest {
 protected:
  static std::string TargetOf(const Uuid& order, const Uuid& transaction) {
    return "/pay/" + order.ToString() + "/select-payment-method/wallet-b-pay/" +
           transaction.ToString() + "/";
  }
  http::Response Execute(const Order& order, std::string_view body) {
    return Ask("POST", TargetOf(order.id, First(order).id), "", body);
  }
  http::Response Execute(const Order& order, const Uuid& card, std::string_view cryptogram = "") {
    return Execute(order, json::serialize(BodyOf(card, cryptogram)));
  }
  static json::object BodyOf(const Uuid& card, std::string_view cryptogram = "") {
    json::object body;
    body["vaultToken"] = card.ToString();
    body["cryptogram"] = cryptogram;
    body["eciIndicator"] = cryptogram.empty() ? "" : "05";
    body["browser_info_screen_width"] = 1920;
    body["browser_info_screen_height"] = 1080;
    body["browser_info_color_depth"] = 24;
    body["browser_info_user_agent"] = "browser/1.0";
    body["browser_info_time_zone_offset"] = -60;
    body["browser_info_language"] = "cs-CZ";
    body["browser_info_java_enabled"] = false;
    return body;
  }
  /// The encrypted flow's second step; gives what the token service answered.
  json::object Exchange(const Order& order, std::string_view pan, WalletBMethod method) {
    json::object body;
    body["walletPayMessage"] = MakeWalletBMessage({.pan = std::string(pan),
                                                   .expiration_month = 12,
                                                   .expiration_year = 2030,
                                                   .method = method,
                                                   .cryptogram = "AgAAAAAABk4=",
                                                   .eci_indicator = "05"});
    body["setupToken"] = SetupToken(order).ToString();
    body["transactionId"] = First(order).id.ToString();
    const http::Response response =
        Ask("POST", "/wallet-b/test/tokens/", "", json::serialize(body));
    EXPECT_EQ(response.status, 201) << response.body;
    return Object(response);
  }
  /// The third step with just what the second one gave.
  http::Response ExecuteWith(const Order& order, const json::object& exchanged) {
    return Execute(order, json::serialize(exchanged));
  }
  static void ExpectOutcome(const http::Response& response, bool successful,
                            std::string_view redirect_url, std::string_view reason) {
    EXPECT_EQ(response.status, 200) << response.body;
    const json::object out = Object(response);
    EXPECT_EQ(out.size(), 3U);
    EXPECT_EQ(out.at("is_successful"), successful);
    EXPECT_EQ(out.at("redirect_url").as_string(), redirect_url);
    EXPECT_EQ(out.at("reason").as_string(), reason);
  }
};

constexpr std::string_view kBack = "https://shop.example/back";
constexpr std::string_view kFailed = "https://shop.example/failed";

TEST_F(WalletBRoutesTest, EncryptedPanOnlyIsPaidAsARegularCardPayment) {
  const Order& order = NewOrder("wallet-b-pay");
  const json::object exchanged = Exchange(order, kApprovedPan, WalletBMethod::kPanOnly);
  EXPECT_EQ(exchanged.at("cryptogram"), "");
  ExpectOutcome(ExecuteWith(order, exchanged), true, kBack, "none");
  EXPECT_EQ(First(order).status, TransactionStatus::kCompleted);
  EXPECT_EQ(order.status, OrderStatus::kProcessing) << "own checkout: the order follows later";
  ASSERT_EQ(world_.simulation.ledger.entries().size(), 1U);
  EXPECT_EQ(world_.simulation.ledger.entries()[0].amount, 1250);
  Advance(std::chrono::minutes(60));
  EXPECT_EQ(order.status, OrderStatus::kCompleted);
}

TEST_F(WalletBRoutesTest, EncryptedPanOnlyIsChallengedWhereTheIssuerAsks) {
  const Order& order = NewOrder("wallet-b-pay");
  const json::object exchanged = Exchange(order, kChallengePan, WalletBMethod::kPanOnly);
  ExpectOutcome(ExecuteWith(order, exchanged), true,
                addresses_.ChallengePage(order.id, First(order).id), "none");
  EXPECT_EQ(First(order).status, TransactionStatus::kPending);
  EXPECT_TRUE(world_.simulation.ledger.entries().empty());
  EXPECT_TRUE(world_.payments.EndChallenge(order.id, First(order).id, true).ok());
  EXPECT_EQ(First(order).status, TransactionStatus::kCompleted);
  EXPECT_EQ(world_.simulation.ledger.entries().size(), 1U);
}

TEST_F(WalletBRoutesTest, EncryptedCryptogramNeedsNoChallenge) {
  const Order& order = NewOrder("wallet-b-pay");
  const json::object exchanged = Exchange(order, kChallengePan, WalletBMethod::kCryptogram3ds);
  ExpectOutcome(ExecuteWith(order, exchanged), true, kBack, "none");
  EXPECT_EQ(First(order).status, TransactionStatus::kCompleted);
  EXPECT_EQ(First(order).details.at("liability_shift"), true);
}

TEST_F(WalletBRoutesTest, DecryptedPayloadIsPaidWithACardFromTheVault) {
  const Order& order = NewOrder("wallet-b-pay");
  ExpectOutcome(Execute(order, Stored(order, kChallengePan), "AgAAAAAABk4="), true, kBack, "none");
  EXPECT_EQ(First(order).status, TransactionStatus::kCompleted);
  EXPECT_EQ(First(order).details.at("truncated_pan"), "400000******3220");
}

TEST_F(WalletBRoutesTest, DecryptedPayloadWithoutCryptogramIsChallenged) {
  const Order& order = NewOrder("wallet-b-pay");
  ExpectOutcome(Execute(order, Stored(order, kChallengePan)), true,
                addresses_.ChallengePage(order.id, First(order).id), "none");
}

TEST_F(WalletBRoutesTest, VaultTokenAloneIsEnough) {
  const Order& order = NewOrder("wallet-b-pay");
  json::object body;
  body["vaultToken"] = Stored(order).ToString();
  ExpectOutcome(Execute(order, json::serialize(body)), true, kBack, "none");
}

TEST_F(WalletBRoutesTest, CustomerOfAnOrderWithoutReturnUrlGoesToTheResultPage) {
  OrderDraft draft;
  draft.order.amount = 100;
  draft.order.currency = "EUR";
  Transaction transaction;
  transaction.payment_method = "wallet-b-pay";
  draft.order.transactions.push_back(std::move(transaction));
  const Order& order = Made(world_.payments.Create(demo(), std::move(draft)));
  ExpectOutcome(Execute(order, Stored(order)), true, addresses_.ResultPage(order.id), "none");
}

TEST_F(WalletBRoutesTest, DeclineIsAResultAndLeadsToTheFailurePage) {
  const Order& order = NewOrder("wallet-b-pay");
  ExpectOutcome(Execute(order, Stored(order, kNoFundsPan)), false, kFailed,
                "declined: insufficient funds");
  EXPECT_EQ(First(order).status, TransactionStatus::kDeclined);
  EXPECT_EQ(order.status, OrderStatus::kError);
  EXPECT_TRUE(world_.simulation.ledger.entries().empty());
}

TEST_F(WalletBRoutesTest, IssuerErrorIsAResultToo) {
  const Order& order = NewOrder("wallet-b-pay");
  const http::Response response = Execute(order, Stored(order, "4000000000003915"));
  ExpectOutcome(response, false, kFailed, order.reason);
  EXPECT_FALSE(order.reason.empty());
  EXPECT_EQ(First(order).status, TransactionStatus::kError);
}

TEST_F(WalletBRoutesTest, ApprovalThatComesLateIsAcceptedAtOnce) {
  const Order& order = NewOrder("wallet-b-pay");
  ExpectOutcome(Execute(order, Stored(order, "4000000000003774")), true, kBack, "none");
  EXPECT_EQ(First(order).status, TransactionStatus::kAccepted);
  Advance(std::chrono::seconds(30));
  EXPECT_EQ(First(order).status, TransactionStatus::kCompleted);
}

TEST_F(WalletBRoutesTest, LostAnswerIsAnErrorThoughThePaymentWasTaken) {
  const Order& order = NewOrder("wallet-b-pay");
  ExpectError(Execute(order, Stored(order, "4000000000003923")), 502,
              "FailedToFetchTransactionInformation");
  EXPECT_EQ(First(order).status, TransactionStatus::kAccepted);
  Advance(std::chrono::seconds(30));
  EXPECT_EQ(world_.simulation.ledger.entries().size(), 1U);
}

TEST_F(WalletBRoutesTest, OrderWhereTheCustomerPicksIsPaidOnItsPageOnly) {
  OrderDraft draft;
  draft.order.amount = 100;
  draft.order.currency = "EUR";
  draft.order.customer_picks = true;
  const Order& order = Made(world_.payments.Create(demo(), std::move(draft)));
  const Uuid transaction = *world_.payments.ChooseMethod(order.id, "wallet-b-pay");
  const Uuid card = Stored(NewOrder("wallet-b-pay"));
  ExpectError(Ask("POST", TargetOf(order.id, transaction), "", json::serialize(BodyOf(card))), 422,
              "ValidationError", "hosted page");
  EXPECT_EQ(First(order).status, TransactionStatus::kNew);
}

TEST_F(WalletBRoutesTest, SecondExecutionIsRefusedAndChargesNothing) {
  const Order& order = NewOrder("wallet-b-pay");
  const Uuid card = Stored(order);
  EXPECT_EQ(Execute(order, card).status, 200);
  ExpectError(Execute(order, card), 409, "TransactionAlreadyStarted");
  EXPECT_EQ(world_.simulation.ledger.entries().size(), 1U);
}

TEST_F(WalletBRoutesTest, ExpiredOrderIsNotPaid) {
  const Order& order = NewOrder("wallet-b-pay");
  const Uuid card = Stored(order);
  EXPECT_TRUE(world_.payments.Expire(order.id).ok());
  ExpectError(Execute(order, card), 409, "CanNotCancelTransaction");
  EXPECT_TRUE(world_.simulation.ledger.entries().empty());
}

TEST_F(WalletBRoutesTest, UnknownOrderOrTransactionIsNotFound) {
  const Order& order = NewOrder("wallet-b-pay");
  const Order& other = NewOrder("wallet-b-pay");
  const std::string body = json::serialize(BodyOf(Stored(order)));
  ExpectError(Ask("POST", TargetOf(Uuid{}, First(order).id), "", body), 404, "NotFound");
  ExpectError(Ask("POST", TargetOf(order.id, Uuid{}), "", body), 404, "NotFound");
  ExpectError(Ask("POST", TargetOf(order.id, First(other).id), "", body), 404, "NotFound");
  ExpectError(Ask("POST", "/pay/1/select-payment-method/wallet-b-pay/2/", "", body), 404,
              "NotFound");
  ExpectError(Ask("POST", TargetOf(Uuid{}, Uuid{}), "", "{"), 404, "NotFound");
  EXPECT_EQ(Execute(order, body).status, 200);
}

TEST_F(WalletBRoutesTest, CardOfAnotherProjectIsUnknown) {
  const Order& order = NewOrder("wallet-b-pay");
  const Uuid card = Stored(NewOrder("credit-card", shop()), kApprovedPan, kShopKey);
  ExpectError(Execute(order, card), 422, "ValidationError", "vaultToken");
  ExpectError(Execute(order, Uuid{}), 422, "ValidationError", "vaultToken");
  EXPECT_EQ(First(order).status, TransactionStatus::kNew);
}

TEST_F(WalletBRoutesTest, TransactionOfAnotherMethodIsRefused) {
  const Order& order = NewOrder("credit-card");
  ExpectError(Execute(order, Stored(order)), 422, "ValidationError", "wallet-b-pay");
}

TEST_F(WalletBRoutesTest, FieldsThatBreakARuleAreNamed) {
  const Order& order = NewOrder("wallet-b-pay");
  const json::object good = BodyOf(Stored(order));
  const std::vector<BadField> cases{
      {"vaultToken", std::nullopt, "vaultToken is required"},
      {"vaultToken", nullptr, "vaultToken is required"},
      {"vaultToken", "", "vaultToken must be a uuid"},
      {"vaultToken", std::int64_t{1}, "vaultToken must be a string"},
      {"cryptogram", true, "cryptogram must be a string"},
      {"cryptogram", Repeated("c", 5000), "cryptogram must have at most"},
      {"eciIndicator", std::int64_t{5}, "eciIndicator must be a string"},
      {"browser_info_screen_width", "1920", "browser_info_screen_width must be an integer"},
      {"browser_info_screen_width", 1.5, "browser_info_screen_width must be an integer"},
      {"browser_info_screen_width", std::int64_t{-1},
       "browser_info_screen_width must be an integer from"},
      {"browser_info_screen_height", std::int64_t{65'536}, "screen_height must be an integer from"},
      {"browser_info_color_depth", std::int64_t{65},
       "browser_info_color_depth must be an integer from"},
      {"browser_info_user_agent", json::array{}, "browser_info_user_agent must be a string"},
      {"browser_info_time_zone_offset", std::int64_t{1441},
       "time_zone_offset must be an integer from"},
      {"browser_info_time_zone_offset", std::int64_t{-1441},
       "time_zone_offset must be an integer from"},
      {"browser_info_time_zone_offset", "-60", "time_zone_offset must be an integer"},
      {"browser_info_language", std::int64_t{1}, "browser_info_language must be a string"},
      {"browser_info_java_enabled", "false", "java_enabled must be true or false"},
      {"browser_info_java_enabled", std::int64_t{0}, "java_enabled must be true or false"},
      {"vault_token", "x", "vault_token is not a field"},
  };
  for (const BadField& bad : cases) {
    SCOPED_TRACE(bad.part_of_error);
    ExpectError(Execute(order, With(good, bad.field, bad.value)), 422, "ValidationError",
                bad.part_of_error);
  }
  EXPECT_EQ(First(order).status, TransactionStatus::kNew);
  EXPECT_EQ(Execute(order, json::serialize(good)).status, 200);
}

TEST_F(WalletBRoutesTest, WhatIsNoJsonObjectIsRefused) {
  const Order& order = NewOrder("wallet-b-pay");
  ExpectBadBodiesRefused(TargetOf(order.id, First(order).id), "");
}

}  // namespace
}  // namespace tollbridge::sandbox
