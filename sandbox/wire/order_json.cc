#include "sandbox/wire/order_json.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>

#include "sandbox/wire/json_text.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::array<std::string_view, 22> kOfOrders{"id",
                                                     "project_id",
                                                     "merchant_id",
                                                     "status",
                                                     "reason",
                                                     "flags",
                                                     "created",
                                                     "modified",
                                                     "completed",
                                                     "order_url",
                                                     "refunded_amount",
                                                     "refund_of_order_id",
                                                     "capture_of_order_id",
                                                     "void_of_order_id",
                                                     "chargeback_of_order_id",
                                                     "reversal_of_order_id",
                                                     "related_order_id",
                                                     "refund_orders",
                                                     "chargeback_orders",
                                                     "reversal_orders",
                                                     "related_orders",
                                                     "related_payment_link_id"};
constexpr std::array<std::string_view, 18> kOfTransactions{"id",
                                                           "order_id",
                                                           "created",
                                                           "modified",
                                                           "currency",
                                                           "amount",
                                                           "credit_debit",
                                                           "expiration_period",
                                                           "is_capturable",
                                                           "payment_method_brand",
                                                           "payment_url",
                                                           "status",
                                                           "transaction_type",
                                                           "capture_of_transaction_id",
                                                           "void_of_transaction_id",
                                                           "refund_of_transaction_id",
                                                           "events",
                                                           "outcomes"};
constexpr std::array<std::string_view, 11> kOfDetails{"setup_token",
                                                      "truncated_pan",
                                                      "card_expiry",
                                                      "cardholder_name",
                                                      "liability_shift",
                                                      "network_transaction_id",
                                                      "approval_code",
                                                      "authorization_iso_response_code",
                                                      "consumer_country",
                                                      "ani_results",
                                                      "external_authentication_details"};
constexpr std::array<std::string_view, 11> kOfLinks{
    "id",     "project_id", "merchant_id",        "payment_url", "status",   "reason",
    "orders", "created",    "completed_order_id", "modified",    "completed"};

/// What was sent beside what the interface names.
void WriteUnknown(const boost::json::object& unknown, JsonText* json) {
  for (const boost::json::key_value_pair& field : unknown) {
    json->Raw(field.key(), boost::json::serialize(field.value()));
  }
}

/// The member that names the original order.
std::string_view OriginMember(Relation relation) {
  switch (relation) {
    case Relation::kRefund:
      return "refund_of_order_id";
    case Relation::kCapture:
      return "capture_of_order_id";
    case Relation::kVoid:
      return "void_of_order_id";
    case Relation::kChargeback:
      return "chargeback_of_order_id";
    case Relation::kReversal:
      return "reversal_of_order_id";
    case Relation::kNone:
      break;
  }
  return "";
}

bool HasChild(const Order& order, Relation relation) {
  return std::ranges::any_of(order.children,
                             [relation](const auto& child) { return child.first == relation; });
}

void WriteTexts(std::string_view name, const std::optional<std::vector<std::string>>& texts,
                JsonText* json) {
  if (!texts) return;
  json->Open('[', name);
  for (const std::string& text : *texts) json->Element(text);
  json->Close(']');
}

/// Ids of the orders that were made from this one, kNone: of all of them.
void WriteChildren(const Order& order, std::string_view name, Relation relation, JsonText* json) {
  json->Open('[', name);
  for (const auto& [how, id] : order.children) {
    if (relation == Relation::kNone || how == relation) json->Element(id);
  }
  json->Close(']');
}

void WriteEvents(const Transaction& transaction, JsonText* json) {
  json->Open('[', "events");
  for (const EventRecord& record : transaction.events) {
    json->Open('{');
    json->Text("event", Text(record.event));
    json->Id("id", record.id);
    json->When("occurred", record.occurred);
    json->When("noticed", record.occurred);
    json->Text("source", "set_status");
    json->Close('}');
  }
  json->Close(']');
}

void WriteTransaction(const Transaction& transaction, const Order& order,
                      const Addresses& addresses, JsonText* json) {
  json->Open('{');
  json->Id("id", transaction.id);
  json->Id("order_id", order.id);
  json->When("created", transaction.created);
  json->When("modified", transaction.modified);
  json->Text("currency", order.currency);
  json->Number("amount", transaction.amount);
  json->Text("credit_debit", transaction.debit ? "debit" : "credit");
  if (!transaction.expiration_period.empty()) {
    json->Text("expiration_period", transaction.expiration_period);
  }
  json->Boolean("is_capturable", transaction.is_capturable);
  json->Text("payment_method", transaction.payment_method);
  if (!transaction.payment_method_brand.empty()) {
    json->Text("payment_method_brand", transaction.payment_method_brand);
  }
  json->Raw("payment_method_details", boost::json::serialize(transaction.details));
  if (order.relation == Relation::kNone) {
    json->Text("payment_url", addresses.TransactionPage(order.id, transaction.id));
  }
  json->Text("status", Text(transaction.status));
  if (!transaction.transaction_type.empty()) {
    json->Text("transaction_type", transaction.transaction_type);
  }
  json->MaybeId("capture_of_transaction_id", transaction.capture_of);
  json->MaybeId("void_of_transaction_id", transaction.void_of);
  json->MaybeId("refund_of_transaction_id", transaction.refund_of);
  WriteEvents(transaction, json);
  if (!transaction.response_code.empty()) {
    json->Open('{', "outcomes");
    json->Open('{', "processing");
    json->Text("status", Text(transaction.status));
    json->Text("response_code", transaction.response_code);
    json->Text("response_code_description", transaction.response_code_description);
    json->Close('}');
    json->Close('}');
  }
  WriteUnknown(transaction.unknown, json);
  json->Close('}');
}

void WriteRelations(const Order& order, JsonText* json) {
  if (order.related_order) {
    json->Id(OriginMember(order.relation), *order.related_order);
    json->Id("related_order_id", *order.related_order);
  }
  if (order.relation == Relation::kNone || !order.children.empty()) {
    WriteChildren(order, "refund_orders", Relation::kRefund, json);
    WriteChildren(order, "chargeback_orders", Relation::kChargeback, json);
    WriteChildren(order, "reversal_orders", Relation::kReversal, json);
    WriteChildren(order, "related_orders", Relation::kNone, json);
  }
  json->MaybeId("related_payment_link_id", order.payment_link);
}

}  // namespace

std::span<const std::string_view> MembersOfOrders() { return kOfOrders; }
std::span<const std::string_view> MembersOfTransactions() { return kOfTransactions; }
std::span<const std::string_view> MembersOfDetails() { return kOfDetails; }
std::span<const std::string_view> MembersOfLinks() { return kOfLinks; }

std::string Addresses::OrderPage(const Uuid& order) const {
  return base_url + "/pay/" + order.ToString() + "/";
}

std::string Addresses::TransactionPage(const Uuid& order, const Uuid& transaction) const {
  return OrderPage(order) + transaction.ToString() + "/";
}

std::string Addresses::ChallengePage(const Uuid& order, const Uuid& transaction) const {
  return TransactionPage(order, transaction) + "challenge/";
}

std::string Addresses::ResultPage(const Uuid& order) const { return OrderPage(order) + "result/"; }

std::string Addresses::AfterExecution(const Order& order, const Transaction& transaction) const {
  if (transaction.status == TransactionStatus::kPending) {
    return ChallengePage(order.id, transaction.id);
  }
  std::string address = order.ReturnAddress();
  return address.empty() ? ResultPage(order.id) : address;
}

std::string Addresses::LinkPage(const Uuid& link) const {
  return base_url + "/pay/link/" + link.ToString() + "/";
}

std::vector<std::string_view> Flags(const Order& order) {
  std::vector<std::string_view> flags;
  if (order.test) flags.emplace_back("is-test");
  if (order.relation == Relation::kRefund) flags.emplace_back("is-refund");
  if (HasChild(order, Relation::kRefund)) flags.emplace_back("has-refunds");
  if (HasChild(order, Relation::kCapture)) flags.emplace_back("has-captures");
  if (HasChild(order, Relation::kVoid)) flags.emplace_back("has-voids");
  return flags;
}

void AppendOrder(const Order& order, const Addresses& addresses, std::string* out) {
  JsonText json(out);
  json.Open('{');
  json.Id("id", order.id);
  json.Id("project_id", order.project_id);
  json.Id("merchant_id", order.merchant_id);
  json.MaybeText("merchant_order_id", order.merchant_order_id);
  json.MaybeText("merchant_name", order.merchant_name);
  json.MaybeText("description", order.description);
  json.Text("currency", order.currency);
  json.Number("amount", order.amount);
  json.Text("status", Text(order.status));
  if (!order.reason.empty()) json.Text("reason", order.reason);
  json.Open('[', "flags");
  for (const std::string_view flag : Flags(order)) json.Element(flag);
  json.Close(']');
  json.When("created", order.created);
  json.When("modified", order.modified);
  if (order.completed) json.When("completed", *order.completed);
  json.MaybeText("expiration_period", order.expiration_period);
  WriteTexts("payment_methods", order.payment_methods, &json);
  json.Open('[', "transactions");
  for (const Transaction& transaction : order.transactions) {
    WriteTransaction(transaction, order, addresses, &json);
  }
  json.Close(']');
  if (order.customer_picks) json.Text("order_url", addresses.OrderPage(order.id));
  json.MaybeText("return_url", order.return_url);
  json.MaybeText("failure_url", order.failure_url);
  json.MaybeText("webhook_url", order.webhook_url);
  if (!order.customer.empty()) json.Raw("customer", order.customer);
  if (!order.client.empty()) json.Raw("client", order.client);
  if (!order.extra.empty()) json.Raw("extra", order.extra);
  json.Number("refunded_amount", order.refunded_amount);
  WriteRelations(order, &json);
  WriteUnknown(order.unknown, &json);
  json.Close('}');
}

std::string OrderToJson(const Order& order, const Addresses& addresses) {
  constexpr std::size_t kUsual = 2048;
  std::string out;
  out.reserve(kUsual);
  AppendOrder(order, addresses, &out);
  return out;
}

std::string LinkToJson(const PaymentLink& link, const Orders& orders, const Addresses& addresses) {
  std::string out;
  JsonText json(&out);
  json.Open('{');
  json.Id("id", link.id);
  json.Id("project_id", link.project_id);
  json.Id("merchant_id", link.merchant_id);
  json.Text("merchant_order_id", link.merchant_order_id);
  json.Number("amount", link.amount);
  json.Text("currency", link.currency);
  json.MaybeText("description", link.description);
  WriteTexts("payment_methods", link.payment_methods, &json);
  json.Text("expiration_period", link.expiration_period);
  json.MaybeText("return_url", link.return_url);
  json.MaybeText("webhook_url", link.webhook_url);
  json.Text("payment_url", addresses.LinkPage(link.id));
  json.Text("status", Text(link.status));
  if (!link.reason.empty()) json.Text("reason", link.reason);
  json.MaybeId("completed_order_id", link.completed_order);
  json.Open('{', "orders");
  for (int i = 0; i <= static_cast<int>(OrderStatus::kSeeTransactions); ++i) {
    const auto status = static_cast<OrderStatus>(i);
    bool open = false;
    for (const Uuid& id : link.orders) {
      const Order* order = orders.Find(id);
      if (order == nullptr || order->status != status) continue;
      if (!open) json.Open('[', Text(status));
      open = true;
      json.Element(id);
    }
    if (open) json.Close(']');
  }
  json.Close('}');
  json.When("created", link.created);
  json.When("modified", link.modified);
  if (link.completed) json.When("completed", *link.completed);
  WriteUnknown(link.unknown, &json);
  json.Close('}');
  return out;
}

}  // namespace tollbridge::sandbox
