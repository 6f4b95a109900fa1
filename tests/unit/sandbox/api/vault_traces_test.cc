#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/encoding.h"
#include "sandbox/api/order_routes.h"
#include "sandbox/api/wallet_b_message.h"
#include "tests/unit/sandbox/api/vault_support.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

/// A cvc, told apart from all else that an answer holds.
constexpr std::string_view kCvc = "7391";
constexpr std::string_view kExpiry = "122030";
constexpr std::string_view kCreate = "/v1/orders/";

/// Sends card data through every call that takes some, good and bad, and keeps all that was
/// answered.
class VaultTracesTest : public RoutesTest {
 protected:
  VaultTracesTest() : RoutesTest(&MakeAll) {}

  static std::vector<Route> MakeAll(World* world, const Addresses* addresses) {
    std::vector<Route> all;
    for (const MakeRoutes make :
         {&OrderRoutes, &VaultRoutes, &WalletARoutes, &WalletBRoutes, &PaymentLinkRoutes}) {
      for (Route& route : make(world, addresses)) all.push_back(std::move(route));
    }
    return all;
  }

  /// As it was answered; an empty object when that is none.
  json::object Tell(std::string_view target, const json::object& body) {
    answers_.push_back(Ask("POST", target, kDemoKey, json::serialize(body)).body);
    boost::system::error_code problem;
    const json::value value = json::parse(answers_.back(), problem);
    return !problem && value.is_object() ? value.as_object() : json::object{};
  }
  void Read(const json::value& order) {
    answers_.push_back(Ask("GET", std::string(kCreate) + std::string(order.as_string())).body);
  }

  json::object Create(std::string_view method, json::object details = {}) {
    json::object transaction;
    transaction["payment_method"] = method;
    if (!details.empty()) transaction["payment_method_details"] = std::move(details);
    json::object body;
    body["amount"] = 1000;
    body["currency"] = "EUR";
    body["transactions"] = json::array{std::move(transaction)};
    return Tell(kCreate, body);
  }
  static const json::object& FirstOf(const json::object& order) {
    return order.at("transactions").as_array().at(0).as_object();
  }
  static json::object CardFor(const json::object& order, std::string_view pan) {
    json::object card;
    card["pan"] = pan;
    card["expiry"] = kExpiry;
    card["setup_token"] = FirstOf(order).at("payment_method_details").at("setup_token");
    return card;
  }
  static std::string CallOn(const json::object& order, std::string_view call) {
    return std::string(kCreate) + std::string(order.at("id").as_string()) + "/transactions/" +
           std::string(FirstOf(order).at("id").as_string()) + "/" + std::string(call) + "/";
  }

  /// Own checkout, and every way in which the vault refuses the card before that.
  void PayInOwnCheckout(std::string_view pan) {
    const json::object order = Create("credit-card");
    json::object card = CardFor(order, pan);
    for (const std::string_view field : {"cvc", "extra"}) {
      json::object bad = card;
      bad[field] = field == "cvc" ? kCvc : pan;
      Tell("/vault/v1/cards/", bad);
    }
    json::object bad = card;
    bad["name"] = pan;
    Tell("/vault/v1/cards/", bad);
    bad = card;
    bad["expiry"] = pan;
    Tell("/vault/v1/cards/", bad);
    bad = card;
    bad["setup_token"] = pan;
    Tell("/vault/v1/cards/", bad);
    bad = card;
    bad["pan"] = std::string(pan) + "0";
    Tell("/vault/v1/cards/", bad);
    bad = card;
    bad[pan] = "1";
    Tell("/vault/v1/cards/", bad);
    const json::object stored = Tell("/vault/v1/cards/", card);
    ASSERT_TRUE(stored.contains("vault_token")) << answers_.back();
    tokens_.emplace_back(stored.at("vault_token").as_string());
    json::object body;
    body["vault_token"] = stored.at("vault_token");
    body["cvc"] = kCvc;
    Tell(CallOn(order, "authenticate"), body);
    body["pan"] = pan;
    Tell(CallOn(order, "authenticate"), body);
    Tell(CallOn(order, "initiate"), body);
    Read(order.at("id"));
    OneClick(stored.at("vault_token"));
  }

  void OneClick(const json::value& vault_token) {
    const json::object order =
        Create("credit-card",
               {{"one_click_type", "one-click"}, {"vault_token", vault_token}, {"cvc", kCvc}});
    ASSERT_TRUE(order.contains("id")) << answers_.back();
    Read(order.at("id"));
  }

  void PayWithWalletB(std::string_view pan, WalletBMethod method) {
    const json::object order = Create("wallet-b-pay");
    json::object body;
    const std::string message = MakeWalletBMessage({.pan = std::string(pan),
                                                    .expiration_month = 12,
                                                    .expiration_year = 2030,
                                                    .method = method,
                                                    .cryptogram = "c",
                                                    .eci_indicator = "05"});
    body["walletPayMessage"] = message + " ,";
    body["setupToken"] = FirstOf(order).at("payment_method_details").at("setup_token");
    body["transactionId"] = FirstOf(order).at("id");
    Tell("/wallet-b/test/tokens/", body);
    body["walletPayMessage"] = message;
    const json::object exchanged = Tell("/wallet-b/test/tokens/", body);
    ASSERT_TRUE(exchanged.contains("vaultToken")) << answers_.back();
    tokens_.emplace_back(exchanged.at("vaultToken").as_string());
    const std::string target = "/pay/" + std::string(order.at("id").as_string()) +
                               "/select-payment-method/wallet-b-pay/" +
                               std::string(FirstOf(order).at("id").as_string()) + "/";
    json::object bad = exchanged;
    bad["vaultToken"] = pan;
    Tell(target, bad);
    Tell(target, exchanged);
    Read(order.at("id"));
  }

  /// All of the state that a text can be in.
  std::vector<std::string> State() {
    std::vector<std::string> texts;
    for (const std::string& token : tokens_) {
      const VaultCard* card = world_.vault.Find(demo().id, *Uuid::Parse(token));
      if (card == nullptr) continue;
      texts.push_back(card->truncated_pan + "|" + card->expiry + "|" + card->cardholder_name);
    }
    for (const auto& [id, order] : world_.orders.by_id()) {
      texts.push_back(OrderToJson(order, addresses_));
      texts.push_back(order.customer + "|" + order.client + "|" + order.extra + "|" + order.reason);
      for (const Transaction& transaction : order.transactions) {
        texts.push_back(json::serialize(transaction.details) + "|" + transaction.response_code +
                        "|" + transaction.response_code_description);
      }
    }
    return texts;
  }

  std::vector<std::string> answers_;
  std::vector<std::string> tokens_;
};

/// A cvc is a value of its own; in ids and times the same digits mean nothing.
bool HoldsCvc(std::string_view text) {
  return text.find('"' + std::string(kCvc) + '"') != std::string_view::npos ||
         text.find("\"cvc\":") != std::string_view::npos;
}

TEST_F(VaultTracesTest, NoAnswerAndNoStateHoldsACardNumberOrACvc) {
  for (const TestCard& card : TestCards()) {
    PayInOwnCheckout(card.pan);
    PayWithWalletB(card.pan, WalletBMethod::kPanOnly);
    PayWithWalletB(card.pan, WalletBMethod::kCryptogram3ds);
  }
  Advance(std::chrono::minutes(61));
  std::vector<std::string> texts = State();
  // Three stored cards and four orders for each test card: what is looked at is really there.
  EXPECT_EQ(tokens_.size(), 3 * TestCards().size());
  EXPECT_EQ(world_.orders.by_id().size(), 4 * TestCards().size());
  EXPECT_GE(texts.size(), (3 + 4 * 3) * TestCards().size());
  texts.insert(texts.end(), answers_.begin(), answers_.end());
  for (const std::string& text : texts) {
    EXPECT_FALSE(HoldsCvc(text)) << text;
    for (const TestCard& card : TestCards()) {
      EXPECT_EQ(text.find(card.pan), std::string::npos) << text;
      EXPECT_EQ(text.find(Base64Encode(card.pan)), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
