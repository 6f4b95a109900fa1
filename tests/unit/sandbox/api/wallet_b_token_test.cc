#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/api/wallet_b_message.h"
#include "sandbox/api/wallet_b_routes.h"
#include "tests/unit/sandbox/api/vault_support.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view kLive = "/wallet-b/tokens/";
constexpr std::string_view kTest = "/wallet-b/test/tokens/";
constexpr std::string_view kSpentOrOld = "setupToken is not known, was used, or is older";

/// The token service; `demo` is a test project and `shop` is none.
class WalletBTokenTest : public CardsTest {
 protected:
  static std::string Message(std::string_view pan = kApprovedPan, int year = 2030) {
    return MakeWalletBMessage(
        {.pan = std::string(pan), .expiration_month = 12, .expiration_year = year});
  }
  static json::object BodyFor(const Order& order, std::string_view message) {
    json::object body;
    body["walletPayMessage"] = message;
    body["setupToken"] = SetupToken(order).ToString();
    body["transactionId"] = First(order).id.ToString();
    return body;
  }
  static json::object BodyFor(const Order& order) { return BodyFor(order, Message()); }
  http::Response Post(std::string_view target, const json::object& body) {
    return Ask("POST", target, "", json::serialize(body));
  }
};

TEST_F(WalletBTokenTest, RoutesAreForAnyoneAndChangeSomething) {
  const std::vector<Route> routes = WalletBRoutes(&world_, &addresses_);
  ASSERT_EQ(routes.size(), 3U);
  for (const Route& route : routes) {
    EXPECT_EQ(route.access, Access::kAnyone);
    EXPECT_TRUE(route.changes);
    EXPECT_EQ(route.method, "POST");
  }
  EXPECT_EQ(routes[0].operation, "exchange_wallet_b_token");
  EXPECT_EQ(routes[1].operation, "exchange_wallet_b_token");
  EXPECT_EQ(routes[2].operation, "execute_wallet_b");
}

TEST_F(WalletBTokenTest, PanOnlyIsAnsweredWithEmptyCryptogram) {
  const http::Response response = Post(kTest, BodyFor(NewOrder("wallet-b-pay")));
  EXPECT_EQ(response.status, 201) << response.body;
  const json::object out = Object(response);
  EXPECT_EQ(out.size(), 3U);
  EXPECT_EQ(out.at("cryptogram"), "");
  EXPECT_EQ(out.at("eciIndicator"), "");
  const auto token = Uuid::Parse(out.at("vaultToken").as_string());
  ASSERT_TRUE(token);
  const VaultCard* card = world_.vault.Find(demo().id, *token);
  ASSERT_NE(card, nullptr);
  EXPECT_EQ(card->truncated_pan, "411111******1111");
  EXPECT_EQ(card->expiry, "122030");
}

TEST_F(WalletBTokenTest, CardBoundToADeviceIsAnsweredWithItsCryptogram) {
  const std::string message = MakeWalletBMessage({.pan = std::string(kApprovedPan),
                                                  .expiration_month = 1,
                                                  .expiration_year = 2030,
                                                  .method = WalletBMethod::kCryptogram3ds,
                                                  .cryptogram = "AgAAAAAABk4=",
                                                  .eci_indicator = "05"});
  const http::Response response = Post(kTest, BodyFor(NewOrder("wallet-b-pay"), message));
  EXPECT_EQ(response.status, 201) << response.body;
  EXPECT_EQ(Object(response).at("cryptogram"), "AgAAAAAABk4=");
  EXPECT_EQ(Object(response).at("eciIndicator"), "05");
}

TEST_F(WalletBTokenTest, TestProjectsUseTheTestPathAndOthersDoNot) {
  const json::object test = BodyFor(NewOrder("wallet-b-pay", demo()));
  const json::object live = BodyFor(NewOrder("wallet-b-pay", shop()));
  ExpectError(Post(kLive, test), 422, "ValidationError", "test projects use test/tokens/");
  ExpectError(Post(kTest, live), 422, "ValidationError", "only test projects use test/tokens/");
  EXPECT_EQ(Post(kTest, test).status, 201) << "the refused call spent nothing";
  EXPECT_EQ(Post(kLive, live).status, 201);
}

TEST_F(WalletBTokenTest, SetupTokenIsGoodOnce) {
  const json::object body = BodyFor(NewOrder("wallet-b-pay"));
  EXPECT_EQ(Post(kTest, body).status, 201);
  ExpectError(Post(kTest, body), 422, "ValidationError", kSpentOrOld);
}

TEST_F(WalletBTokenTest, SetupTokenSpentAtTheVaultIsSpentHereToo) {
  const Order& order = NewOrder("wallet-b-pay");
  const json::object body = BodyFor(order);
  Stored(order);
  ExpectError(Post(kTest, body), 422, "ValidationError", kSpentOrOld);
}

TEST_F(WalletBTokenTest, SetupTokenIsStillGoodAfterExactly300Seconds) {
  const json::object body = BodyFor(NewOrder("wallet-b-pay"));
  Advance(std::chrono::seconds(299));
  NewOrder("credit-card");
  Advance(std::chrono::seconds(1));
  EXPECT_EQ(Post(kTest, body).status, 201);
}

TEST_F(WalletBTokenTest, SetupTokenIsNoLongerGoodAfter300Seconds) {
  const json::object body = BodyFor(NewOrder("wallet-b-pay"));
  Advance(std::chrono::seconds(300) + Millis{1});
  ExpectError(Post(kTest, body), 422, "ValidationError", kSpentOrOld);
}

TEST_F(WalletBTokenTest, UnknownSetupTokenIsRefused) {
  json::object body = BodyFor(NewOrder("wallet-b-pay"));
  body["setupToken"] = Uuid{}.ToString();
  ExpectError(Post(kTest, body), 422, "ValidationError", kSpentOrOld);
}

TEST_F(WalletBTokenTest, SetupTokenOfAnotherTransactionIsRefused) {
  constexpr std::string_view kRule = "setupToken was not issued for transactionId";
  const Order& one = NewOrder("wallet-b-pay");
  json::object body = BodyFor(one);
  body["transactionId"] = First(NewOrder("wallet-b-pay")).id.ToString();
  ExpectError(Post(kTest, body), 422, "ValidationError", kRule);
  body["transactionId"] = First(NewOrder("wallet-b-pay", shop())).id.ToString();
  ExpectError(Post(kTest, body), 422, "ValidationError", kRule);
  body["transactionId"] = Uuid{}.ToString();
  ExpectError(Post(kTest, body), 422, "ValidationError", kRule);
  EXPECT_EQ(Post(kTest, BodyFor(one)).status, 201) << "none of them spent the setup token";
}

TEST_F(WalletBTokenTest, TransactionOfAnotherMethodIsRefused) {
  ExpectError(Post(kTest, BodyFor(NewOrder("credit-card"))), 422, "ValidationError",
              "transactionId does not name a transaction of wallet-b-pay");
}

TEST_F(WalletBTokenTest, GarbledMessageIsRefusedAndSpendsNothing) {
  const Order& order = NewOrder("wallet-b-pay");
  std::string garbled = Message();
  garbled[garbled.size() - 5] ^= 1;
  ExpectError(Post(kTest, BodyFor(order, garbled)), 422, "ValidationError",
              "walletPayMessage.signature does not fit");
  ExpectError(Post(kTest, BodyFor(order, "")), 422, "ValidationError", "walletPayMessage");
  EXPECT_EQ(Post(kTest, BodyFor(order)).status, 201);
}

TEST_F(WalletBTokenTest, CardThatTheVaultRefusesSpendsNothing) {
  const Order& order = NewOrder("wallet-b-pay");
  ExpectError(Post(kTest, BodyFor(order, Message("4000000000000010"))), 422, "ValidationError",
              "walletPayMessage.signedMessage: pan is not one of the sandbox's test cards");
  ExpectError(Post(kTest, BodyFor(order, Message("4111111111111112"))), 422, "ValidationError",
              "walletPayMessage.signedMessage: pan is not a card number");
  ExpectError(Post(kTest, BodyFor(order, Message(kApprovedPan, 2025))), 422, "ValidationError",
              "walletPayMessage.signedMessage: expiry is past");
  EXPECT_EQ(Post(kTest, BodyFor(order)).status, 201);
}

TEST_F(WalletBTokenTest, FieldsThatBreakARuleAreNamed) {
  const json::object good = BodyFor(NewOrder("wallet-b-pay"));
  const std::vector<BadField> cases{
      {"walletPayMessage", std::nullopt, "walletPayMessage is required"},
      {"walletPayMessage", json::object{}, "walletPayMessage must be a string"},
      {"walletPayMessage", Repeated("m", 70'000), "walletPayMessage must have at most"},
      {"setupToken", std::nullopt, "setupToken is required"},
      {"setupToken", nullptr, "setupToken is required"},
      {"setupToken", "", "setupToken must be a uuid"},
      {"setupToken", std::int64_t{1}, "setupToken must be a string"},
      {"transactionId", std::nullopt, "transactionId is required"},
      {"transactionId", "17", "transactionId must be a uuid"},
      {"setup_token", "x", "setup_token is not a field"},
  };
  for (const BadField& bad : cases) {
    SCOPED_TRACE(bad.part_of_error);
    ExpectError(Ask("POST", kTest, "", With(good, bad.field, bad.value)), 422, "ValidationError",
                bad.part_of_error);
  }
  EXPECT_EQ(Post(kTest, good).status, 201);
}

TEST_F(WalletBTokenTest, WhatIsNoJsonObjectIsRefused) {
  ExpectBadBodiesRefused(kLive, "");
  ExpectBadBodiesRefused(kTest, "");
}

}  // namespace
}  // namespace tollbridge::sandbox
