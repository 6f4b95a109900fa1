#include "sandbox/api/order_request.h"

#include <array>
#include <boost/json/serialize.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/api/customer_request.h"
#include "sandbox/api/transaction_request.h"
#include "sandbox/core/result.h"
#include "sandbox/wire/json_reader.h"
#include "sandbox/wire/order_json.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 14> kFields{
    "merchant_order_id", "merchant_name",   "description",  "currency",   "amount",
    "expiration_period", "payment_methods", "transactions", "return_url", "failure_url",
    "webhook_url",       "customer",        "client",       "extra"};

void ReadOwnFields(JsonReader& fields, Order* order) {
  fields.Require({"currency", "amount"});
  order->currency = fields.Currency("currency").value_or("");
  order->amount = fields.Integer("amount", 0).value_or(0);
  order->merchant_order_id = fields.String("merchant_order_id");
  order->merchant_name = fields.String("merchant_name");
  order->description = fields.String("description");
  if (fields.Duration("expiration_period")) {
    order->expiration_period = fields.String("expiration_period");
  }
  order->payment_methods = fields.Strings("payment_methods");
  if (order->payment_methods && order->payment_methods->empty()) {
    fields.Refuse("payment_methods", "must name a method, or be absent for all");
  }
  order->return_url = fields.PageUrl("return_url");
  order->failure_url = fields.PageUrl("failure_url");
  order->webhook_url = fields.Url("webhook_url");
  order->client = fields.FreeObject("client").value_or("");
  order->extra = fields.FreeObject("extra").value_or("");
}

void ReadTransactions(JsonReader& fields, const CustomerFacts* customer, Order* order) {
  std::vector<JsonReader> list = fields.Objects("transactions");
  order->customer_picks = list.empty();
  if (list.size() > 1) return fields.Refuse("transactions", "may have one element");
  if (list.size() == 1) order->transactions.push_back(ReadTransaction(list.front(), customer));
}

}  // namespace

Result<OrderDraft> ReadOrderRequest(std::string_view body, Unknown unknown) {
  JsonReader fields(ParseBody(body), kFields, unknown);
  OrderDraft draft;
  ReadOwnFields(fields, &draft.order);
  std::optional<CustomerFacts> customer;
  if (std::optional<JsonReader> given = fields.Object("customer")) {
    ReadCustomer(*given, &customer.emplace());
    draft.order.customer = json::serialize(given->object());
  }
  ReadTransactions(fields, customer ? &*customer : nullptr, &draft.order);
  draft.order.unknown = fields.Kept(kFields, MembersOfOrders());
  SB_RETURN_IF_ERROR(fields.Done());
  return draft;
}

Result<void> ReadOrderUpdate(std::string_view body, Unknown unknown, Order* order) {
  std::vector<std::string_view> known(kFields.begin(), kFields.end());
  known.insert(known.end(), MembersOfOrders().begin(), MembersOfOrders().end());
  JsonReader fields(ParseBody(body), known, unknown);
  const auto keep = [&fields](std::string_view name, bool same) {
    if (fields.Has(name) && !same) fields.Refuse(name, "cannot be changed");
  };
  keep("currency", fields.Currency("currency") == order->currency);
  keep("amount", fields.Integer("amount", 0) == order->amount);
  keep("expiration_period", fields.String("expiration_period") == order->expiration_period);
  keep("payment_methods", fields.Strings("payment_methods") == order->payment_methods);
  const auto take = [](auto value, auto* target) {
    if (value) *target = *std::move(value);
  };
  take(fields.String("merchant_order_id"), &order->merchant_order_id);
  take(fields.String("merchant_name"), &order->merchant_name);
  take(fields.String("description"), &order->description);
  take(fields.PageUrl("return_url"), &order->return_url);
  take(fields.PageUrl("failure_url"), &order->failure_url);
  take(fields.Url("webhook_url"), &order->webhook_url);
  take(fields.FreeObject("client"), &order->client);
  take(fields.FreeObject("extra"), &order->extra);
  if (std::optional<JsonReader> given = fields.Object("customer")) {
    CustomerFacts facts;
    ReadCustomer(*given, &facts);
    order->customer = json::serialize(given->object());
  }
  for (json::key_value_pair& field : fields.Kept(kFields, MembersOfOrders())) {
    order->unknown[field.key()] = std::move(field.value());
  }
  return fields.Done();
}

}  // namespace tollbridge::sandbox
