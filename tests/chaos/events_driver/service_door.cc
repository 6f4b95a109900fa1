#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <stdexcept>
#include <utility>

#include "base/core/encoding.h"
#include "tests/chaos/events_driver/doors.h"
#include "tests/chaos/lines/json_lines.h"
#include "tests/support/http_call.h"

namespace tollbridge::pipeline {
namespace {

namespace json = boost::json;

constexpr std::string_view kExpiry = "122030";

json::object Customer() {
  return {{"first_name", "Ada"},       {"last_name", "Example"},
          {"address_type", "billing"}, {"address", "Main Street 1"},
          {"postal_code", "94016"},    {"city", "Somewhere"},
          {"country", "US"},           {"state", "CA"}};
}

/// What an answer names, whatever it is of.
Made Read(const json::object& answer) {
  Made made{.ending = Ending::kDone};
  made.id = chaos::TextOf(answer, "id");
  made.url = chaos::TextOf(answer, "order_url");
  if (made.url.empty()) made.url = chaos::TextOf(answer, "payment_url");
  made.vault_token = chaos::TextOf(answer, "vault_token");
  const json::value* transactions = answer.if_contains("transactions");
  if (transactions == nullptr || transactions->as_array().empty()) return made;
  const json::object& transaction = transactions->as_array().front().as_object();
  made.transaction = chaos::TextOf(transaction, "id");
  if (made.url.empty()) made.url = chaos::TextOf(transaction, "payment_url");
  if (const json::value* details = transaction.if_contains("payment_method_details")) {
    made.setup_token = chaos::TextOf(details->as_object(), "setup_token");
  }
  return made;
}

std::string PathOf(const Made& order) {
  return "/v1/orders/" + order.id + "/transactions/" + order.transaction + "/";
}

}  // namespace

ServiceDoor::ServiceDoor(Cluster* cluster)
    : cluster_(*cluster), base_(cluster->stack().sandbox_url()) {}

Made ServiceDoor::Post(const std::string& path, const json::object& body) {
  try {
    const http::Response answer =
        test::HttpCall("POST", base_ + path, json::serialize(body),
                       {{"Authorization", "Basic " + Base64Encode("sandbox-demo-key:")},
                        {"Content-Type", "application/json"}});
    if (answer.status >= 500 || answer.status == 429) return {};
    if (answer.status >= 300) return {.ending = Ending::kRefused};
    return Read(json::parse(answer.body).as_object());
  } catch (const std::runtime_error&) {
    return {};
  }
}

Made ServiceDoor::Create(const std::string& key, const NewOrder& wanted) {
  json::object body{{"merchant_order_id", key},
                    {"amount", wanted.amount},
                    {"currency", wanted.currency},
                    {"webhook_url", cluster_.webhook_url()}};
  if (!wanted.expiration.empty()) body["expiration_period"] = wanted.expiration;
  if (wanted.method == "credit-card-oct" || wanted.account_funding) body["customer"] = Customer();
  if (!wanted.method.empty()) {
    json::object transaction{{"payment_method", wanted.method}};
    if (wanted.capture_later) transaction["capture_mode"] = "manual";
    if (wanted.account_funding) {
      transaction["payment_method_details"] = {
          {"receiver_account_number", "DE00123456780000000000"},
          {"receiver_account_number_type", "card-account"}};
    }
    body["transactions"] = json::array{std::move(transaction)};
  }
  return Post("/v1/orders/", body);
}

Made ServiceDoor::StoreCard(const std::string& /*key*/, const Made& order, std::string_view pan) {
  return Post("/vault/v1/cards/", {{"pan", pan},
                                   {"expiry", kExpiry},
                                   {"name", "A Cardholder"},
                                   {"setup_token", order.setup_token}});
}

Made ServiceDoor::Start(const Made& order, std::string_view how, const std::string& vault_token) {
  return Post(PathOf(order) + std::string(how) + "/", {{"vault_token", vault_token}});
}

Made ServiceDoor::Initiate(const std::string& /*key*/, const Made& order,
                           const std::string& vault_token) {
  return Start(order, "initiate", vault_token);
}

Made ServiceDoor::Authenticate(const std::string& /*key*/, const Made& order,
                               const std::string& vault_token) {
  return Start(order, "authenticate", vault_token);
}

Made ServiceDoor::Capture(const std::string& /*key*/, const Made& order) {
  return Post(PathOf(order) + "captures/", {});
}

Made ServiceDoor::Void(const std::string& /*key*/, const Made& order) {
  return Post(PathOf(order) + "voids/", {});
}

Made ServiceDoor::Refund(const std::string& /*key*/, const std::string& order,
                         std::int64_t amount) {
  return Post("/v1/orders/" + order + "/refunds/", {{"amount", amount}});
}

Made ServiceDoor::PayOut(const std::string& key, std::int64_t amount, std::string_view pan) {
  const Made order = Create(key, {.amount = amount, .method = "credit-card-oct"});
  if (order.ending != Ending::kDone) return order;
  const Made card = StoreCard(key, order, pan);
  if (card.ending != Ending::kDone) return card;
  Authenticate(key, order, card.vault_token);
  return order;
}

Made ServiceDoor::MakeLink(const std::string& key, std::int64_t amount) {
  return Post("/v1/paymentlinks/", {{"merchant_order_id", key},
                                    {"amount", amount},
                                    {"currency", "EUR"},
                                    {"webhook_url", cluster_.webhook_url()}});
}

bool ServiceDoor::Happen(const std::string& order, std::string_view outcome,
                         std::optional<std::int64_t> amount) {
  json::object body{{"outcome", outcome}};
  if (amount) body["amount"] = *amount;
  return Post("/_sandbox/orders/" + order + "/pay", body).ending == Ending::kDone;
}

std::string ServiceDoor::Submit(const std::string& page, const std::string& form) {
  try {
    const http::Response answer =
        test::HttpCall("POST", page, form, {{"Content-Type", "application/x-www-form-urlencoded"}});
    return answer.status == 303 ? std::string(answer.headers.Find("Location").value_or("")) : "";
  } catch (const std::runtime_error&) {
    return "";
  }
}

std::string ServiceDoor::PayOnPage(const std::string& page, std::string_view pan) {
  const std::string card_page = Submit(page, "method=credit-card");
  return card_page.empty() ? "" : EnterCard(card_page, pan);
}

std::string ServiceDoor::EnterCard(const std::string& page, std::string_view pan) {
  return Submit(page, "pan=" + std::string(pan) + "&expiry=12%2F30&cvc=123&name=A+Cardholder");
}

}  // namespace tollbridge::pipeline
