#include "services/sandbox/order_request.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <utility>

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth = 32;

enum class Shape { kText, kInteger, kObject, kArray };

struct FieldSpec {
  std::string_view name;
  Shape shape;
};

// Section Order: request fields. currency, amount and transactions are read one by one.
constexpr std::array<FieldSpec, 14> kOrderFields{{
    {"merchant_order_id", Shape::kText},
    {"merchant_name", Shape::kText},
    {"description", Shape::kText},
    {"currency", Shape::kText},
    {"amount", Shape::kInteger},
    {"expiration_period", Shape::kText},
    {"payment_methods", Shape::kArray},
    {"transactions", Shape::kArray},
    {"return_url", Shape::kText},
    {"failure_url", Shape::kText},
    {"webhook_url", Shape::kText},
    {"customer", Shape::kObject},
    {"client", Shape::kObject},
    {"extra", Shape::kObject},
}};

// Section POST /v1/orders/: what a transaction element carries.
constexpr std::array<FieldSpec, 3> kTransactionFields{{
    {"payment_method", Shape::kText},
    {"payment_method_details", Shape::kObject},
    {"capture_mode", Shape::kText},
}};

std::string_view ShapeName(Shape shape) {
  switch (shape) {
    case Shape::kText:
      return "a string";
    case Shape::kInteger:
      return "an integer";
    case Shape::kObject:
      return "an object";
    case Shape::kArray:
      return "an array";
  }
  return "";
}

bool Fits(const json::value& value, Shape shape) {
  switch (shape) {
    case Shape::kText:
      return value.is_string();
    case Shape::kInteger:
      return value.is_int64() || value.is_uint64();
    case Shape::kObject:
      return value.is_object();
    case Shape::kArray:
      return value.is_array();
  }
  return false;
}

ApiError Invalid(std::string what) { return {422, "ValidationError", std::move(what)}; }

template <std::size_t N>
std::optional<ApiError> CheckFields(const json::object& object,
                                    const std::array<FieldSpec, N>& specs,
                                    const std::string& path) {
  for (const auto& [name, value] : object) {
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const FieldSpec& s) {
      return s.name == std::string_view(name);
    });
    if (spec == specs.end()) return Invalid(path + std::string(name) + " is not a request field");
    if (!Fits(value, spec->shape)) {
      return Invalid(path + std::string(name) + " must be " + std::string(ShapeName(spec->shape)));
    }
  }
  return std::nullopt;
}

std::string Text(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : "";
}

bool IsCurrency(std::string_view text) {
  return text.size() == 3 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::optional<ApiError> ReadTransactions(const json::object& body, Order* order) {
  const json::value* list = body.if_contains("transactions");
  if (list == nullptr || list->as_array().empty()) {
    order->customer_picks = true;
    return std::nullopt;
  }
  if (list->as_array().size() > 1) return Invalid("transactions may have one element");
  const json::value& element = list->as_array().front();
  if (!element.is_object()) return Invalid("transactions[0] must be an object");
  const json::object& fields = element.as_object();
  if (auto error = CheckFields(fields, kTransactionFields, "transactions[0].")) return error;
  Transaction transaction;
  transaction.payment_method = Text(fields, "payment_method");
  if (transaction.payment_method.empty()) {
    return ApiError{422, "MissingInformationToCreateTransaction",
                    "transactions[0].payment_method is required"};
  }
  transaction.capture_mode = Text(fields, "capture_mode");
  if (!transaction.capture_mode.empty() && transaction.capture_mode != "manual" &&
      transaction.capture_mode != "delayed") {
    return Invalid("transactions[0].capture_mode must be manual or delayed");
  }
  if (const json::value* details = fields.if_contains("payment_method_details")) {
    transaction.payment_method_details = details->as_object();
    // "never to be stored by the merchant": the stand-in does not keep it either.
    transaction.payment_method_details.erase("cvc");
  }
  order->transactions.push_back(std::move(transaction));
  return std::nullopt;
}

}  // namespace

std::variant<Order, ApiError> ReadOrderRequest(std::string_view body) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::system::error_code problem;
  const json::value root = json::parse(body, problem, {}, options);
  if (problem) return ApiError{400, "ValidationError", "the body is not JSON"};
  if (!root.is_object()) return Invalid("the body must be an object");
  const json::object& fields = root.as_object();
  if (auto error = CheckFields(fields, kOrderFields, "")) return *error;

  Order order;
  order.currency = Text(fields, "currency");
  if (!IsCurrency(order.currency)) return Invalid("currency is required and must match ^[A-Z]{3}$");
  const json::value* amount = fields.if_contains("amount");
  if (amount == nullptr) return Invalid("amount is required");
  if (!amount->is_int64() || amount->as_int64() < 0) return Invalid("amount must be 0 or more");
  order.amount = amount->as_int64();
  order.return_url = Text(fields, "return_url");
  order.failure_url = Text(fields, "failure_url");
  order.webhook_url = Text(fields, "webhook_url");
  if (auto error = ReadTransactions(fields, &order)) return *error;
  order.given = fields;
  for (const std::string_view own : {"currency", "amount", "transactions"}) order.given.erase(own);
  return order;
}

}  // namespace tollbridge::sandbox
