#include "sandbox/api/payment_link_routes.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/sandbox/api/vault_support.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view kTarget = "/v1/paymentlinks/";
constexpr Millis kDay = std::chrono::hours(24);

class PaymentLinkRoutesTest : public CardsTest {
 protected:
  static json::object GoodBody() {
    json::object body;
    body["merchant_order_id"] = "invoice-17";
    body["amount"] = 4200;
    body["currency"] = "EUR";
    return body;
  }
  http::Response Post(std::string_view body, std::string_view key = kDemoKey) {
    return Ask("POST", kTarget, key, body);
  }
  /// Creates a link and gives its id.
  Uuid Created(const json::object& body = GoodBody()) {
    const http::Response response = Post(json::serialize(body));
    EXPECT_EQ(response.status, 201) << response.body;
    return Uuid::Parse(Object(response).at("id").as_string()).value();
  }
  static std::string TargetOf(const Uuid& id) { return std::string(kTarget) + id.ToString() + "/"; }
  json::object Get(const Uuid& id) {
    const http::Response response = Ask("GET", TargetOf(id));
    EXPECT_EQ(response.status, 200) << response.body;
    return Object(response);
  }
  /// The customer tries to pay with this card; gives the order of the attempt.
  const Order& Try(const Uuid& link, std::string_view pan) {
    const Order& order = Made(world_.links.StartAttempt(link, "credit-card"));
    const auto paid = world_.payments.PayWithCard(
        order.id, First(order).id, {.pan = pan, .expiry = kExpiry, .cardholder_name = ""});
    EXPECT_TRUE(paid.ok()) << paid.error().value;
    return order;
  }
  void ExpectStatus(const Uuid& link, std::string_view status) {
    EXPECT_EQ(Get(link).at("status").as_string(), status);
  }
};

TEST_F(PaymentLinkRoutesTest, RoutesAreForMerchantsAndOnlyCreateChangesSomething) {
  const std::vector<Route> routes = PaymentLinkRoutes(&world_, &addresses_);
  ASSERT_EQ(routes.size(), 2U);
  EXPECT_EQ(routes[0].operation, "create_payment_link");
  EXPECT_TRUE(routes[0].changes);
  EXPECT_EQ(routes[1].operation, "get_payment_link");
  EXPECT_FALSE(routes[1].changes);
  for (const Route& route : routes) EXPECT_EQ(route.access, Access::kMerchant);
}

TEST_F(PaymentLinkRoutesTest, CreatedLinkHasItsDefaults) {
  const http::Response response = Post(json::serialize(GoodBody()));
  EXPECT_EQ(response.status, 201);
  const json::object link = Object(response);
  EXPECT_EQ(link.at("merchant_order_id"), "invoice-17");
  EXPECT_EQ(link.at("amount"), 4200);
  EXPECT_EQ(link.at("currency"), "EUR");
  EXPECT_EQ(link.at("status"), "new");
  EXPECT_EQ(link.at("expiration_period"), "P30D");
  EXPECT_EQ(link.at("project_id").as_string(), demo().id.ToString());
  EXPECT_EQ(link.at("merchant_id").as_string(), demo().merchant_id.ToString());
  EXPECT_EQ(link.at("created").as_string(), kStart);
  EXPECT_EQ(link.at("orders"), json::object{});
  const Uuid id = *Uuid::Parse(link.at("id").as_string());
  EXPECT_EQ(link.at("payment_url").as_string(), addresses_.LinkPage(id));
  EXPECT_EQ(Get(id), link) << "what is read is what was answered";
}

TEST_F(PaymentLinkRoutesTest, AllRequestFieldsAreKept) {
  json::object body = GoodBody();
  body["description"] = "Two tables";
  body["payment_methods"] = json::array{"credit-card", "wallet-b-pay"};
  body["expiration_period"] = "P20D";
  body["return_url"] = "https://shop.example/back";
  body["webhook_url"] = "https://shop.example/hook";
  const json::object link = Get(Created(body));
  for (const auto& [name, value] : body) EXPECT_EQ(link.at(name), value) << name;
}

TEST_F(PaymentLinkRoutesTest, OrdersOfTheLinkCarryItsFields) {
  json::object body = GoodBody();
  body["description"] = "Two tables";
  body["return_url"] = "https://shop.example/back";
  body["webhook_url"] = "https://shop.example/hook";
  const Uuid link = Created(body);
  const Order& order = Made(world_.links.StartAttempt(link, "credit-card"));
  EXPECT_EQ(order.payment_link, link);
  EXPECT_EQ(order.amount, 4200);
  EXPECT_EQ(order.merchant_order_id, "invoice-17");
  EXPECT_EQ(order.description, "Two tables");
  EXPECT_EQ(order.return_url, "https://shop.example/back");
  EXPECT_EQ(order.webhook_url, "https://shop.example/hook");
}

TEST_F(PaymentLinkRoutesTest, OrdersOfALinkWithoutDescriptionHaveNone) {
  const Order& order = Made(world_.links.StartAttempt(Created(), "credit-card"));
  EXPECT_EQ(order.description, std::nullopt);
}

TEST_F(PaymentLinkRoutesTest, PaidLinkIsCompletedAndNamesItsOrder) {
  const Uuid link = Created();
  Advance(kDay);
  const Order& order = Try(link, kApprovedPan);
  const json::object paid = Get(link);
  EXPECT_EQ(paid.at("status"), "completed");
  EXPECT_EQ(paid.at("completed_order_id").as_string(), order.id.ToString());
  EXPECT_EQ(paid.at("completed"), "2026-11-22T08:00:00.000Z");
  EXPECT_EQ(paid.at("orders"), (json::object{{"completed", json::array{order.id.ToString()}}}));
  ASSERT_EQ(world_.simulation.ledger.entries().size(), 1U);
  EXPECT_EQ(world_.simulation.ledger.entries()[0].amount, 4200);
  Advance(30 * kDay);
  ExpectStatus(link, "completed");
}

TEST_F(PaymentLinkRoutesTest, LinkIsProcessingWhileTheCustomerPays) {
  const Uuid link = Created();
  const Order& order = Try(link, kChallengePan);
  ExpectStatus(link, "processing");
  EXPECT_EQ(Get(link).at("orders"),
            (json::object{{"processing", json::array{order.id.ToString()}}}));
  EXPECT_EQ(Made(world_.links.StartAttempt(link, "credit-card")).id, order.id)
      << "no second attempt beside an open one";
  EXPECT_TRUE(world_.payments.EndChallenge(order.id, First(order).id, true).ok());
  ExpectStatus(link, "completed");
}

TEST_F(PaymentLinkRoutesTest, DeclinedLinkCanBeTriedAgainUntilItIsPaid) {
  const Uuid link = Created();
  const Order& first = Try(link, kNoFundsPan);
  const json::object failed = Get(link);
  EXPECT_EQ(failed.at("status"), "all_unsuccessful");
  EXPECT_EQ(failed.at("reason"), "declined: insufficient funds");
  EXPECT_FALSE(failed.contains("completed_order_id"));
  EXPECT_EQ(failed.at("orders"), (json::object{{"error", json::array{first.id.ToString()}}}));
  const Order& second = Try(link, kNoFundsPan);
  ExpectStatus(link, "all_unsuccessful");
  const Order& third = Try(link, kApprovedPan);
  const json::object paid = Get(link);
  EXPECT_EQ(paid.at("status"), "completed");
  EXPECT_EQ(paid.at("completed_order_id").as_string(), third.id.ToString());
  EXPECT_EQ(paid.at("orders").at("error"),
            (json::array{first.id.ToString(), second.id.ToString()}));
  const auto fourth = world_.links.StartAttempt(link, "credit-card");
  ASSERT_FALSE(fourth.ok()) << "a paid link takes no further attempt";
  EXPECT_EQ(world_.simulation.ledger.entries().size(), 1U);
}

TEST_F(PaymentLinkRoutesTest, FurtherAttemptMakesItProcessingAgain) {
  const Uuid link = Created();
  Try(link, kNoFundsPan);
  ExpectStatus(link, "all_unsuccessful");
  Made(world_.links.StartAttempt(link, "credit-card"));
  ExpectStatus(link, "processing");
}

TEST_F(PaymentLinkRoutesTest, AttemptThatSucceedsAfterAllCompletesTheLink) {
  for (const Millis later : {Millis{0}, 30 * kDay}) {
    const Uuid link = Created();
    const Order& order = Try(link, kNoFundsPan);
    Advance(later);
    ExpectStatus(link, later == Millis{0} ? "all_unsuccessful" : "expired");
    EXPECT_TRUE(world_.payments.Approve(order.id).ok());
    ExpectStatus(link, "completed");
    EXPECT_EQ(Get(link).at("completed_order_id").as_string(), order.id.ToString());
  }
}

TEST_F(PaymentLinkRoutesTest, LinkExpiresAfter30DaysAndNoSooner) {
  const Uuid link = Created();
  Advance(30 * kDay - Millis{1});
  ExpectStatus(link, "new");
  Advance(Millis{1});
  const json::object expired = Get(link);
  EXPECT_EQ(expired.at("status"), "expired");
  EXPECT_FALSE(expired.at("reason").as_string().empty());
  EXPECT_EQ(expired.at("modified"), "2026-12-21T08:00:00.000Z");
  EXPECT_FALSE(world_.links.StartAttempt(link, "credit-card").ok());
}

TEST_F(PaymentLinkRoutesTest, LinkThatWasTriedInVainExpiresToo) {
  const Uuid link = Created();
  Try(link, kNoFundsPan);
  Advance(30 * kDay);
  ExpectStatus(link, "expired");
}

TEST_F(PaymentLinkRoutesTest, OwnExpirationPeriodCounts) {
  json::object body = GoodBody();
  body["expiration_period"] = "P1DT12H";
  const Uuid link = Created(body);
  Advance(std::chrono::hours(36) - Millis{1});
  ExpectStatus(link, "new");
  Advance(Millis{1});
  ExpectStatus(link, "expired");
}

TEST_F(PaymentLinkRoutesTest, OnlyTheOwnProjectSeesALink) {
  const Uuid link = Created();
  ExpectError(Ask("GET", TargetOf(link), kShopKey), 404, "NotFound");
  EXPECT_EQ(Ask("HEAD", TargetOf(link)).status, 200);
}

TEST_F(PaymentLinkRoutesTest, UnknownLinkIsNotFound) {
  ExpectError(Ask("GET", TargetOf(Uuid{})), 404, "NotFound");
  ExpectError(Ask("GET", "/v1/paymentlinks/17/"), 404, "NotFound");
  ExpectError(Ask("GET", "/v1/paymentlinks/%00%ff/"), 404, "NotFound");
  ExpectError(Ask("GET", std::string(kTarget) + Repeated("a", 5000)), 404, "NotFound");
}

TEST_F(PaymentLinkRoutesTest, FieldsThatBreakARuleAreNamed) {
  const std::vector<BadField> cases{
      {"merchant_order_id", std::nullopt, "merchant_order_id is required"},
      {"merchant_order_id", "", "merchant_order_id must not be empty"},
      {"merchant_order_id", std::int64_t{17}, "merchant_order_id must be a string"},
      {"merchant_order_id", Repeated("x", 5000), "merchant_order_id must have at most"},
      {"amount", std::nullopt, "amount is required"},
      {"amount", nullptr, "amount is required"},
      {"amount", std::int64_t{-1}, "amount must be an integer from 0"},
      {"amount", 12.5, "amount must be an integer"},
      {"amount", "4200", "amount must be an integer"},
      {"amount", std::numeric_limits<std::uint64_t>::max(), "amount must be an integer from 0"},
      {"currency", std::nullopt, "currency is required"},
      {"currency", "eur", "currency must match"},
      {"currency", "EURO", "currency must match"},
      {"currency", "QQQ", "currency is not supported by the project"},
      {"description", std::int64_t{1}, "description must be a string"},
      {"payment_methods", "credit-card", "payment_methods must be an array"},
      {"payment_methods", json::array{}, "payment_methods must name a method"},
      {"payment_methods", json::array{"credit-card", 1}, "payment_methods[1] must be a string"},
      {"payment_methods", json::array{"barter"}, "payment_methods[0] is not active"},
      {"expiration_period", "20 days", "expiration_period must be an ISO 8601 duration"},
      {"expiration_period", "PT0S", "expiration_period must be an ISO 8601 duration"},
      {"expiration_period", "-P1D", "expiration_period must be an ISO 8601 duration"},
      {"expiration_period", "P999999999999D", "expiration_period must be an ISO 8601 duration"},
      {"return_url", "back", "return_url must be an absolute"},
      {"return_url", "javascript:alert(1)", "return_url must be an absolute"},
      {"webhook_url", "ftp://shop.example/", "webhook_url must be an absolute"},
      {"webhook_url", json::object{}, "webhook_url must be a string"},
      {"status", "completed", "status is not a field"},
      {"id", "x", "id is not a field"},
  };
  for (const BadField& bad : cases) {
    SCOPED_TRACE(bad.part_of_error);
    ExpectError(Post(With(GoodBody(), bad.field, bad.value)), 422, "ValidationError",
                bad.part_of_error);
  }
  EXPECT_EQ(world_.links.size(), 0U);
}

TEST_F(PaymentLinkRoutesTest, WhatIsNoJsonObjectIsRefused) {
  ExpectBadBodiesRefused(kTarget, kDemoKey);
}

class FullOfLinksTest : public RoutesTest {
 protected:
  static Settings RoomForOne() {
    Settings settings;
    settings.max_orders = 1;
    return settings;
  }
  FullOfLinksTest() : RoutesTest(&PaymentLinkRoutes, RoomForOne()) {}
};

TEST_F(FullOfLinksTest, FurtherLinkIsRefusedSoThatMemoryIsBounded) {
  constexpr std::string_view kBody =
      R"({"merchant_order_id": "a", "amount": 0, "currency": "EUR"})";
  EXPECT_EQ(Ask("POST", kTarget, kDemoKey, kBody).status, 201);
  ExpectError(Ask("POST", kTarget, kDemoKey, kBody), 503, "ServerError");
}

}  // namespace
}  // namespace tollbridge::sandbox
