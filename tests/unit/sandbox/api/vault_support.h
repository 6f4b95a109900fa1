#ifndef TOLLBRIDGE_TESTS_UNIT_SANDBOX_API_VAULT_SUPPORT_H_
#define TOLLBRIDGE_TESTS_UNIT_SANDBOX_API_VAULT_SUPPORT_H_

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sandbox/api/payment_link_routes.h"
#include "sandbox/api/vault_routes.h"
#include "sandbox/api/wallet_a_routes.h"
#include "sandbox/api/wallet_b_routes.h"
#include "sandbox/core/result.h"
#include "tests/unit/sandbox/routes_test.h"

namespace tollbridge::sandbox {

/// Routes of the vault, the wallets and payment links, over orders that the world makes itself.
class CardsTest : public RoutesTest {
 protected:
  static constexpr std::string_view kChallengePan = "4000000000003220";
  static constexpr std::string_view kNoFundsPan = "4000000000000515";
  static constexpr std::string_view kExpiry = "122030";

  CardsTest() : RoutesTest(&MakeRoutesOfCards) {}

  static std::vector<Route> MakeRoutesOfCards(World* world, const Addresses* addresses) {
    std::vector<Route> all;
    for (const MakeRoutes make :
         {&VaultRoutes, &WalletARoutes, &WalletBRoutes, &PaymentLinkRoutes}) {
      for (Route& route : make(world, addresses)) all.push_back(std::move(route));
    }
    return all;
  }

  const Project& shop() const { return world_.simulation.settings.projects[1]; }

  /// An order over 12.50 EUR with one transaction.
  const Order& NewOrder(std::string_view method, const Project& project) {
    OrderDraft draft;
    draft.order.amount = 1250;
    draft.order.currency = "EUR";
    draft.order.return_url = "https://shop.example/back";
    draft.order.failure_url = "https://shop.example/failed";
    Transaction transaction;
    transaction.payment_method = method;
    draft.order.transactions.push_back(std::move(transaction));
    return Made(world_.payments.Create(project, std::move(draft)));
  }
  const Order& NewOrder(std::string_view method) { return NewOrder(method, demo()); }

  static const Order& Made(const Result<const Order*>& made) {
    if (!made.ok()) ADD_FAILURE() << made.error().value;
    return **made;
  }

  static const Transaction& First(const Order& order) { return order.transactions.front(); }
  static Uuid SetupToken(const Order& order) {
    return Uuid::Parse(First(order).details.at("setup_token").as_string()).value();
  }

  static std::string CardBody(const Uuid& setup_token, std::string_view pan = kApprovedPan,
                              std::string_view expiry = kExpiry) {
    boost::json::object body;
    body["pan"] = pan;
    body["expiry"] = expiry;
    body["setup_token"] = setup_token.ToString();
    return boost::json::serialize(body);
  }
  http::Response Store(std::string_view body, std::string_view key = kDemoKey) {
    return Ask("POST", "/vault/v1/cards/", key, body);
  }
  /// Stores a card for the order and gives its vault token.
  Uuid Stored(const Order& order, std::string_view pan = kApprovedPan,
              std::string_view key = kDemoKey) {
    const http::Response response = Store(CardBody(SetupToken(order), pan), key);
    EXPECT_EQ(response.status, 201) << response.body;
    return Uuid::Parse(Object(response).at("vault_token").as_string()).value();
  }

  /// The body with one field changed, or removed where `value` is nullopt.
  static std::string With(boost::json::object body, std::string_view field,
                          const std::optional<boost::json::value>& value) {
    if (value) {
      body[field] = *value;
    } else {
      body.erase(field);
    }
    return boost::json::serialize(body);
  }

  static std::string Repeated(std::string_view text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
  }

  /// Fails unless each of these bodies is refused as no JSON, or as no object.
  void ExpectBadBodiesRefused(std::string_view target, std::string_view key) {
    const std::vector<std::string> not_json{"",
                                            "{",
                                            "nul",
                                            R"({"a": 1,})",
                                            "{} {}",
                                            "\xff\xfe",
                                            "{\"a\": \"\xc3(\"}",
                                            "a=1&b=2",
                                            Repeated("[", 100'000),
                                            Repeated("{\"a\":", 10'000)};
    for (const std::string& body : not_json) {
      SCOPED_TRACE(body.substr(0, 20));
      ExpectError(Ask("POST", target, key, body), 400, "ValidationError", "the body");
    }
    for (const std::string_view body : {"[]", "null", "1", "\"text\"", "true"}) {
      SCOPED_TRACE(body);
      ExpectError(Ask("POST", target, key, body), 422, "ValidationError", "must be an object");
    }
  }
};

/// A change to a good body, and what the error then says.
struct BadField {
  /// `to`: std::nullopt removes the field.
  template <typename T>
  BadField(std::string_view name, const T& to, std::string_view part)
      : field(name), value(ToValue(to)), part_of_error(part) {}

  template <typename T>
  static std::optional<boost::json::value> ToValue(const T& to) {
    if constexpr (std::is_same_v<T, std::nullopt_t>) {
      return std::nullopt;
    } else if constexpr (!std::is_null_pointer_v<T> &&
                         std::is_convertible_v<const T&, std::string_view>) {
      return boost::json::value(std::string_view(to));
    } else {
      return boost::json::value(to);
    }
  }

  std::string_view field;
  std::optional<boost::json::value> value;
  std::string_view part_of_error;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_TESTS_UNIT_SANDBOX_API_VAULT_SUPPORT_H_
