#include "adapters/payment_service/order_lists.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "adapters/payment_service/codec.h"

namespace tollbridge::payment_service {
namespace {

namespace json = boost::json;

const json::value* Member(const json::value& value, std::string_view name) {
  return value.is_object() ? value.as_object().if_contains(name) : nullptr;
}

/// The last element of what is an array that has any; nullptr for anything else.
const json::value* Last(const json::value* value) {
  if (value == nullptr || !value->is_array() || value->as_array().empty()) return nullptr;
  return &value->as_array().back();
}

/// Null when it is no JSON.
json::value Parse(std::string_view body) {
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  boost::system::error_code error;
  json::value root = json::parse(body, error, {}, options);
  return error ? json::value() : root;
}

}  // namespace

bool ListsOrders(std::string_view body, std::size_t count) {
  const json::value root = Parse(body);
  const json::value* const list = root.is_array() ? &root : Member(root, "orders");
  if (list == nullptr || list->is_null()) return count == 0;
  return list->is_array() && list->as_array().size() == count;
}

std::optional<std::string> SortOfLastOrder(std::string_view body) {
  const json::value root = Parse(body);
  const json::value* const order = Last(Member(root, "orders"));
  if (order == nullptr) return std::nullopt;
  const json::value* sort = Member(*order, "sort");
  if (sort != nullptr && sort->is_array() && sort->as_array().size() == 1) sort = Last(sort);
  if (sort == nullptr) return std::nullopt;
  if (sort->is_string()) return std::string(std::string_view(sort->as_string()));
  if (sort->is_int64()) return std::to_string(sort->as_int64());
  if (sort->is_uint64()) return std::to_string(sort->as_uint64());
  return std::nullopt;
}

}  // namespace tollbridge::payment_service
