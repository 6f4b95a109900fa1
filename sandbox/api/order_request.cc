#include "sandbox/api/order_request.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <string>
#include <utility>

#include "sandbox/api/customer_request.h"
#include "sandbox/api/transaction_request.h"
#include "sandbox/core/result.h"
#include "sandbox/wire/body_reader.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 14> kFields{
    "merchant_order_id", "merchant_name",   "description",  "currency",   "amount",
    "expiration_period", "payment_methods", "transactions", "return_url", "failure_url",
    "webhook_url",       "customer",        "client",       "extra"};

void ReadOwnFields(FieldReader& fields, Order* order) {
  fields.Require("currency");
  order->currency = fields.Currency("currency").value_or("");
  fields.Require("amount");
  order->amount = fields.Integer("amount", 0).value_or(0);
  order->merchant_order_id = fields.String("merchant_order_id");
  order->merchant_name = fields.String("merchant_name");
  order->description = fields.String("description");
  order->expiration_period = fields.Duration("expiration_period");
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

void ReadTransactions(FieldReader& fields, const CustomerFacts* customer, Order* order) {
  const json::array* list = fields.Array("transactions");
  if (list == nullptr || list->empty()) {
    order->customer_picks = true;
    return;
  }
  if (list->size() > 1) return fields.Refuse("transactions", "may have one element");
  const json::value& element = list->front();
  if (!element.is_object()) return fields.Refuse("transactions[0]", "must be an object");
  Result<Transaction> read = ReadTransaction(element.get_object(), customer);
  if (!read.ok()) return fields.Fail(read.error());
  order->transactions.push_back(*std::move(read));
}

}  // namespace

Result<OrderDraft> ReadOrderRequest(std::string_view body) {
  SB_ASSIGN_OR_RETURN(const json::object root, ParseBody(body));
  FieldReader fields(root, "", kFields);
  OrderDraft draft;
  ReadOwnFields(fields, &draft.order);
  std::optional<CustomerFacts> customer;
  if (const json::object* given = fields.Object("customer")) {
    fields.Include(ReadCustomer(*given, &customer.emplace()));
    draft.order.customer = json::serialize(*given);
  }
  ReadTransactions(fields, customer ? &*customer : nullptr, &draft.order);
  SB_RETURN_IF_ERROR(fields.Done());
  return draft;
}

}  // namespace tollbridge::sandbox
