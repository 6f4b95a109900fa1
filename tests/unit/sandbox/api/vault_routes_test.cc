#include "sandbox/api/vault_routes.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/sandbox/api/vault_support.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view kSpentOrOld = "setup_token is not known, was used, or is older";

class VaultRoutesTest : public CardsTest {
 protected:
  json::object GoodBody() {
    return json::parse(CardBody(SetupToken(NewOrder("credit-card")))).as_object();
  }
};

TEST_F(VaultRoutesTest, RouteIsForMerchantsAndChangesSomething) {
  const std::vector<Route> routes = VaultRoutes(&world_, &addresses_);
  ASSERT_EQ(routes.size(), 1U);
  EXPECT_EQ(routes[0].operation, "store_card");
  EXPECT_EQ(routes[0].access, Access::kMerchant);
  EXPECT_TRUE(routes[0].changes);
  EXPECT_EQ(Ask("GET", "/vault/v1/cards/").status, 405);
  EXPECT_EQ(Ask("POST", "/vault/v1/cards").status, 400) << "also without the slash at the end";
}

TEST_F(VaultRoutesTest, StoredCardIsAnsweredWithTokenMaskedNumberAndBrand) {
  const http::Response response = Store(CardBody(SetupToken(NewOrder("credit-card"))));
  EXPECT_EQ(response.status, 201);
  const json::object card = Object(response);
  EXPECT_EQ(card.size(), 4U);
  EXPECT_EQ(card.at("truncated_pan"), "411111******1111");
  EXPECT_EQ(card.at("brand"), "network-a");
  EXPECT_EQ(card.at("brands"), (json::array{"network-a"}));
  const auto token = Uuid::Parse(card.at("vault_token").as_string());
  ASSERT_TRUE(token);
  ASSERT_NE(world_.vault.Find(demo().id, *token), nullptr);
  EXPECT_EQ(world_.vault.Find(shop().id, *token), nullptr);
}

TEST_F(VaultRoutesTest, CardOfTwoNetworksNamesBothBrands) {
  const http::Response response =
      Store(CardBody(SetupToken(NewOrder("credit-card")), "4242424242424242"));
  EXPECT_EQ(Object(response).at("brand"), "network-a");
  EXPECT_EQ(Object(response).at("brands"), (json::array{"network-a", "network-d"}));
}

TEST_F(VaultRoutesTest, EveryTestCardCanBeStored) {
  for (const TestCard& card : TestCards()) {
    const http::Response response = Store(CardBody(SetupToken(NewOrder("credit-card")), card.pan));
    EXPECT_EQ(response.status, 201) << card.purpose;
    EXPECT_EQ(Object(response).at("brand").as_string(), card.brand);
  }
}

TEST_F(VaultRoutesTest, NameIsOptionalAndKept) {
  const http::Response response = Store(With(GoodBody(), "name", "CARD HÖLDER"));
  ASSERT_EQ(response.status, 201) << response.body;
  const Uuid token = *Uuid::Parse(Object(response).at("vault_token").as_string());
  EXPECT_EQ(world_.vault.Find(demo().id, token)->cardholder_name, "CARD HÖLDER");
  EXPECT_EQ(Store(With(GoodBody(), "name", nullptr)).status, 201);
  EXPECT_EQ(Store(With(GoodBody(), "name", "")).status, 201);
}

TEST_F(VaultRoutesTest, StoredCardIsChargedByInitiate) {
  const Order& order = NewOrder("credit-card");
  const Uuid card = Stored(order);
  EXPECT_TRUE(world_.payments.Initiate(demo(), order.id, First(order).id, card).ok());
  EXPECT_EQ(First(order).status, TransactionStatus::kAccepted);
  EXPECT_TRUE(world_.simulation.ledger.entries().empty());
  Advance(std::chrono::seconds(1));
  EXPECT_EQ(First(order).status, TransactionStatus::kCompleted);
  EXPECT_EQ(First(order).details.at("truncated_pan"), "411111******1111");
  ASSERT_EQ(world_.simulation.ledger.entries().size(), 1U);
  EXPECT_EQ(world_.simulation.ledger.entries()[0].effect, Effect::kCharge);
  EXPECT_EQ(world_.simulation.ledger.entries()[0].amount, 1250);
}

TEST_F(VaultRoutesTest, StoredCardIsChargedByAuthenticate) {
  const Order& order = NewOrder("credit-card");
  const Uuid card = Stored(order);
  EXPECT_TRUE(
      world_.payments.Authenticate(demo(), order.id, First(order).id, card, std::nullopt).ok());
  EXPECT_EQ(First(order).status, TransactionStatus::kCompleted);
  EXPECT_EQ(world_.simulation.ledger.entries().size(), 1U);
}

TEST_F(VaultRoutesTest, StoredCardIsPaidOutToByAuthenticate) {
  OrderDraft draft;
  draft.order.amount = 700;
  draft.order.currency = "EUR";
  Transaction payout;
  payout.payment_method = "credit-card-oct";
  payout.transaction_type = "oct";
  payout.debit = true;
  draft.order.transactions.push_back(payout);
  const Order& order = Made(world_.payments.Create(demo(), draft));
  const Uuid card = Stored(order);
  EXPECT_TRUE(
      world_.payments.Authenticate(demo(), order.id, First(order).id, card, std::nullopt).ok());
  Advance(std::chrono::seconds(1));
  ASSERT_EQ(world_.simulation.ledger.entries().size(), 1U);
  EXPECT_EQ(world_.simulation.ledger.entries()[0].effect, Effect::kPayout);
}

TEST_F(VaultRoutesTest, SetupTokenIsGoodOnce) {
  const std::string body = CardBody(SetupToken(NewOrder("credit-card")));
  EXPECT_EQ(Store(body).status, 201);
  ExpectError(Store(body), 422, "ValidationError", kSpentOrOld);
}

TEST_F(VaultRoutesTest, SetupTokenIsStillGoodAfterExactly300Seconds) {
  const std::string body = CardBody(SetupToken(NewOrder("credit-card")));
  Advance(std::chrono::seconds(300));
  EXPECT_EQ(Store(body).status, 201);
}

TEST_F(VaultRoutesTest, SetupTokenIsNoLongerGoodAfter300Seconds) {
  const std::string body = CardBody(SetupToken(NewOrder("credit-card")));
  Advance(std::chrono::seconds(300) + Millis{1});
  ExpectError(Store(body), 422, "ValidationError", kSpentOrOld);
}

TEST_F(VaultRoutesTest, SetupTokenOfAnotherProjectIsRefusedAndNotSpent) {
  const std::string body = CardBody(SetupToken(NewOrder("credit-card", shop())));
  ExpectError(Store(body, kDemoKey), 422, "ValidationError", kSpentOrOld);
  EXPECT_EQ(Store(body, kShopKey).status, 201);
}

TEST_F(VaultRoutesTest, UnknownSetupTokenIsRefused) {
  ExpectError(Store(CardBody(world_.simulation.ids.NewUuid())), 422, "ValidationError",
              kSpentOrOld);
  ExpectError(Store(CardBody(Uuid{})), 422, "ValidationError", kSpentOrOld);
}

TEST_F(VaultRoutesTest, RefusedCardDoesNotSpendTheSetupToken) {
  const Uuid token = SetupToken(NewOrder("credit-card"));
  ExpectError(Store(CardBody(token, kApprovedPan, "102026")), 422, "ValidationError", "expiry");
  ExpectError(Store(CardBody(token, "4111111111111112")), 422, "ValidationError", "pan");
  EXPECT_EQ(Store(CardBody(token)).status, 201);
}

TEST_F(VaultRoutesTest, CardIsGoodUntilTheEndOfItsMonth) {
  EXPECT_EQ(Store(CardBody(SetupToken(NewOrder("credit-card")), kApprovedPan, "112026")).status,
            201);
  ExpectError(Store(CardBody(SetupToken(NewOrder("credit-card")), kApprovedPan, "102026")), 422,
              "ValidationError", "expiry is past");
}

TEST_F(VaultRoutesTest, FieldsThatBreakARuleAreNamed) {
  const json::object good = GoodBody();
  const std::vector<BadField> cases{
      {"pan", std::nullopt, "pan is required"},
      {"pan", nullptr, "pan is required"},
      {"pan", "", "pan"},
      {"pan", std::int64_t{4111111111111111}, "pan must be a string"},
      {"pan", json::array{"4111111111111111"}, "pan must be a string"},
      {"pan", "4111 1111 1111 1111", "pan is not a card number"},
      {"pan", "4111111111111112", "pan is not a card number"},
      {"pan", "4111-1111-1111-1111", "pan is not a card number"},
      {"pan", "41111111111", "pan is not a card number"},
      {"pan", "4000000000000010", "pan is not one of the sandbox's test cards"},
      {"pan", std::string("4111111111111111\0", 17), "pan is not a card number"},
      {"pan", Repeated("4", 5000), "pan"},
      {"expiry", std::nullopt, "expiry is required"},
      {"expiry", std::int64_t{122030}, "expiry must be a string"},
      {"expiry", "", "expiry"},
      {"expiry", "12/2030", "expiry"},
      {"expiry", "1230", "expiry"},
      {"expiry", "132030", "expiry"},
      {"expiry", "002030", "expiry"},
      {"expiry", "-12030", "expiry"},
      {"expiry", "122020", "expiry is past"},
      {"expiry", "010000", "expiry is past"},
      {"setup_token", std::nullopt, "setup_token is required"},
      {"setup_token", "", "setup_token must be a uuid"},
      {"setup_token", "not-a-token", "setup_token must be a uuid"},
      {"setup_token", true, "setup_token must be a string"},
      {"name", std::int64_t{1}, "name must be a string"},
      {"name", json::object{}, "name must be a string"},
      {"name", Repeated("n", 257), "name is longer than 256 bytes"},
      {"name", Repeated("n", 100'000), "name must have at most"},
      {"name", "4111 1111 1111 1111", "name must not hold a card number"},
      {"cvc", "123", "cvc is not a field"},
      {"4111111111111111", "x", "is not a field"},
  };
  for (const BadField& bad : cases) {
    SCOPED_TRACE(bad.field);
    SCOPED_TRACE(bad.part_of_error);
    const http::Response response = Store(With(good, bad.field, bad.value));
    ExpectError(response, 422, "ValidationError", bad.part_of_error);
    EXPECT_EQ(response.body.find("4111111111111111"), std::string::npos);
    EXPECT_EQ(response.body.find("4000000000000010"), std::string::npos);
    EXPECT_LT(response.body.size(), 300U);
  }
  EXPECT_EQ(Store(json::serialize(good)).status, 201) << "none of them spent the setup token";
}

TEST_F(VaultRoutesTest, WhatIsNoJsonObjectIsRefused) {
  ExpectBadBodiesRefused("/vault/v1/cards/", kDemoKey);
}

}  // namespace
}  // namespace tollbridge::sandbox
