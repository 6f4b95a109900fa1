#ifndef TOLLBRIDGE_TESTS_UNIT_SANDBOX_API_ORDER_ROUTES_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_SANDBOX_API_ORDER_ROUTES_FIXTURE_H_

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "sandbox/api/order_routes.h"
#include "tests/unit/sandbox/routes_test.h"

namespace tollbridge::sandbox {

inline constexpr std::string_view kNoUuid = "no-uuid";

/// The order routes, with short ways to what most tests need first.
class OrderRoutesTest : public RoutesTest {
 protected:
  /// Where a transaction is found.
  struct Made {
    std::string order;
    std::string transaction;
  };

  OrderRoutesTest() : RoutesTest(OrderRoutes) {}

  static std::string Text(const boost::json::value& value) {
    return std::string(value.as_string());
  }

  http::Response Post(const std::string& target, std::string_view body = "",
                      std::string_view key = kDemoKey) {
    return Ask("POST", target, key, body);
  }

  http::Response Create(std::string_view body, std::string_view key = kDemoKey) {
    return Post("/v1/orders/", body, key);
  }

  boost::json::object Created(std::string_view body, std::string_view key = kDemoKey) {
    const http::Response response = Create(body, key);
    EXPECT_EQ(response.status, 201) << response.body;
    return Object(response);
  }

  /// An order over 12.50 EUR with one card transaction.
  Made CardOrder(std::string_view more = "", std::string_view transaction_more = "",
                 std::string_view key = kDemoKey) {
    const boost::json::object order =
        Created(R"({"currency": "EUR", "amount": 1250)" + std::string(more) +
                    R"(, "transactions": [{"payment_method": "credit-card")" +
                    std::string(transaction_more) + "}]}",
                key);
    return {Text(order.at("id")), Text(order.at("transactions").at(0).at("id"))};
  }

  /// As above, authorized and not captured.
  Made Authorized() {
    Made made = CardOrder("", R"(, "capture_mode": "manual")");
    EXPECT_EQ(Post(At(made, "authenticate"), TokenBody(Card(kApprovedPan))).status, 200);
    return made;
  }

  /// As above, paid on the hosted page.
  Made Paid() {
    Made made = CardOrder();
    EXPECT_TRUE(
        world_.payments
            .PayWithCard(*Uuid::Parse(made.order), *Uuid::Parse(made.transaction),
                         {.pan = kApprovedPan, .expiry = "122030", .cardholder_name = "A B"})
            .ok());
    return made;
  }

  /// The vault token of a card stored for the demo project.
  std::string Card(std::string_view pan) {
    return world_.vault.Keep(demo().id, {.pan = pan, .expiry = "122030", .cardholder_name = "A B"})
        .token.ToString();
  }

  static std::string TokenBody(const std::string& token, std::string_view more = "") {
    return R"({"vault_token": ")" + token + "\"" + std::string(more) + "}";
  }

  static std::string At(const Made& made) { return "/v1/orders/" + made.order + "/"; }
  static std::string At(const Made& made, std::string_view step) {
    return At(made) + "transactions/" + made.transaction + "/" + std::string(step) + "/";
  }

  boost::json::object Get(const std::string& order) {
    const http::Response response = Ask("GET", "/v1/orders/" + order + "/");
    EXPECT_EQ(response.status, 200) << response.body;
    return Object(response);
  }

  boost::json::object TransactionOf(const std::string& order) {
    return Get(order).at("transactions").at(0).as_object();
  }

  /// The paths of the step with an order or a transaction that the demo project does not have.
  std::vector<std::string> ForeignPlaces(const Made& own, std::string_view step) {
    const Made foreign = CardOrder("", "", kShopKey);
    return {At({std::string(kNoUuid), own.transaction}, step),
            At({own.order, std::string(kNoUuid)}, step),
            At({std::string(kUnknownId), own.transaction}, step),
            At({own.order, std::string(kUnknownId)}, step),
            At({own.order, foreign.transaction}, step),
            At(foreign, step)};
  }
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_TESTS_UNIT_SANDBOX_API_ORDER_ROUTES_FIXTURE_H_
