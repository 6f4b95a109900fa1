#include "tests/fuzz/obliging_service.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "adapters/payment_service/codec.h"
#include "base/http/serialize.h"
#include "base/http/url.h"
#include "tests/fuzz/finding.h"

namespace tollbridge::fuzz {
namespace {

namespace json = boost::json;

constexpr const char* kNewOrder = "7c2a3e4f-9b6d-4e2c-9f75-4b8b8e3b5c32";
constexpr const char* kTransaction = "9e4c5a6b-1d8f-4a4e-9b97-6dad0a5d7e54";
constexpr const char* kToken = "8d3b4f5a-0c7e-4f3d-8a86-5c9c9f4c6d43";

/// The body, read by another reader than the one that a test of the codec would use.
json::object BodyOf(const http::Request& request) {
  if (request.body.empty()) return {};
  if (request.headers.Find("Content-Type") != "application/json") Found("a body without its type");
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = payment_service::kMaxJsonDepth;
  json::value value = json::parse(request.body, error, {}, options);
  if (error) Found("a body that is no JSON: " + error.message());
  if (!value.is_object()) Found("a body that is no object");
  return std::move(value.get_object());
}

/// The path's parts. Everything in it that a caller gave is a part of its own, or has been escaped.
std::vector<std::string> PartsOf(const http::Request& request) {
  const absl::StatusOr<http::Url> origin = http::ParseUrl("https://payments.test");
  if (!http::SerializeRequest(request, *origin, "fuzz").ok()) {
    Found("a request that cannot be written: " + request.target);
  }
  const auto target = http::ParseTarget(request.target);
  if (!target.ok()) Found("a target that cannot be read: " + request.target);
  return {target->segments.begin(), target->segments.end()};
}

/// What was asked for is what is answered, so that amounts and names go the whole way.
json::object OrderLike(const json::object& asked, std::string_view id) {
  json::object order{{"id", id}, {"status", "new"}};
  for (const char* name : {"amount", "currency", "merchant_order_id", "description", "extra"}) {
    if (const json::value* value = asked.if_contains(name)) order[name] = *value;
  }
  const json::value* transactions = asked.if_contains("transactions");
  json::object transaction{{"id", kTransaction}, {"status", "new"}};
  transaction["payment_method_details"] = json::object{{"setup_token", kToken}};
  if (transactions != nullptr && transactions->is_array() && !transactions->get_array().empty() &&
      transactions->get_array().front().is_object()) {
    const json::object& first = transactions->get_array().front().get_object();
    if (const json::value* method = first.if_contains("payment_method")) {
      transaction["payment_method"] = *method;
    }
  }
  order["transactions"] = json::array{std::move(transaction)};
  return order;
}

json::value AnswerTo(std::string_view operation, const std::vector<std::string>& parts,
                     const json::object& asked) {
  if (operation == "create_order" || operation == "capture_transaction" ||
      operation == "void_transaction" || operation == "create_refund" ||
      operation == "create_payment_link") {
    return OrderLike(asked, kNewOrder);
  }
  // v1, orders or paymentlinks, and the id.
  const std::string id = parts.size() > 2 ? parts[2] : "";
  if (operation == "initiate_transaction" || operation == "authenticate_transaction" ||
      operation == "get_order" || operation == "get_payment_link") {
    return OrderLike(asked, id);
  }
  if (operation == "store_card") return json::object{{"vault_token", kToken}};
  if (operation == "exchange_wallet_b_token") return json::object{{"vaultToken", kToken}};
  if (operation == "execute_wallet_b_payment") return json::object{{"is_successful", true}};
  if (operation == "create_wallet_a_session") return json::object{{"sessionData", json::object()}};
  if (operation == "list_refunds") return json::array();
  if (operation == "list_currencies") return json::array{"EUR"};
  if (operation == "search_orders") return json::object{{"hits", 0}, {"orders", json::array()}};
  Found("an operation that nobody knows: " + std::string(operation));
}

}  // namespace

http::Response Oblige(const payment_service::Exchange& exchange) {
  const std::vector<std::string> parts = PartsOf(exchange.request);
  const json::object asked = BodyOf(exchange.request);
  http::Response response;
  response.status = 200;
  response.body = exchange.operation == "read_report"
                      ? "id,amount\r\n"
                      : json::serialize(AnswerTo(exchange.operation, parts, asked));
  return response;
}

}  // namespace tollbridge::fuzz
