#include "sandbox/search/csv_report.h"

#include <array>
#include <boost/json/value.hpp>
#include <optional>

#include "sandbox/core/clock.h"
#include "sandbox/core/customer_text.h"
#include "sandbox/core/money.h"
#include "sandbox/core/status.h"
#include "sandbox/wire/order_json.h"

namespace tollbridge::sandbox {
namespace {

/// What a row is made of.
struct Row {
  const Order& order;
  /// nullptr: the order has none, and the columns of transactions are not asked for.
  const Transaction* transaction;
  CustomerText& customer;
};

struct Column {
  /// Columns of the transaction begin with `transaction.`.
  std::string_view name;
  std::string (*value)(const Row& row);

  bool of_transaction() const { return name.starts_with("transaction."); }
};

std::string TextOf(const std::optional<Uuid>& id) { return id ? id->ToString() : ""; }

std::string RelatedBy(const Row& row, Relation relation) {
  return row.order.relation == relation ? TextOf(row.order.related_order) : "";
}

std::string Detail(const Row& row, std::string_view name) {
  const boost::json::value* value = row.transaction->details.if_contains(name);
  if (value == nullptr || !value->is_string()) return "";
  return std::string(value->get_string());
}

bool Settled(const Row& row) { return row.transaction->status == TransactionStatus::kCompleted; }

std::string SettledCurrency(const Row& row) { return Settled(row) ? row.order.currency : ""; }

std::string CustomerField(const Row& row, std::string_view name) {
  return std::string(row.customer.Find(name).value_or(""));
}

std::string JoinedFlags(const Row& row) {
  std::string text;
  for (const std::string_view flag : Flags(row.order)) {
    if (!text.empty()) text += ' ';
    text += flag;
  }
  return text;
}

constexpr auto kColumns = std::to_array<Column>({
    // As documented.
    {"id", [](const Row& row) { return row.order.id.ToString(); }},
    {"merchant_order_id", [](const Row& row) { return row.order.merchant_order_id.value_or(""); }},
    {"created", [](const Row& row) { return FormatTime(row.order.created); }},
    {"completed",
     [](const Row& row) { return row.order.completed ? FormatTime(*row.order.completed) : ""; }},
    {"currency", [](const Row& row) { return row.order.currency; }},
    {"amount", [](const Row& row) { return std::to_string(row.order.amount); }},
    {"status", [](const Row& row) { return std::string(Text(row.order.status)); }},
    {"transaction.id", [](const Row& row) { return row.transaction->id.ToString(); }},
    {"transaction.status",
     [](const Row& row) { return std::string(Text(row.transaction->status)); }},
    {"transaction.payment_method", [](const Row& row) { return row.transaction->payment_method; }},
    {"transaction.payment_method_brand",
     [](const Row& row) { return row.transaction->payment_method_brand; }},
    {"transaction.amount_with_decimals",
     [](const Row& row) { return WithDecimals(row.transaction->amount, row.order.currency); }},
    {"transaction.credit_debit",
     [](const Row& row) { return std::string(row.transaction->debit ? "debit" : "credit"); }},
    {"transaction.refund_of_transaction_id",
     [](const Row& row) { return TextOf(row.transaction->refund_of); }},
    {"transaction.payment_method_details.truncated_pan",
     [](const Row& row) { return Detail(row, "truncated_pan"); }},
    {"transaction.settlement_currency", SettledCurrency},
    {"transaction.settlement_amount",
     [](const Row& row) { return Settled(row) ? std::to_string(row.transaction->amount) : ""; }},
    {"transaction.fee_currency", SettledCurrency},
    {"transaction.fee_amount",
     [](const Row& row) {
       if (!Settled(row)) return std::string();
       return std::to_string(Fee(row.transaction->amount, row.order.currency));
     }},
    {"customer.merchant_customer_id",
     [](const Row& row) { return CustomerField(row, "merchant_customer_id"); }},
    {"merchant_id", [](const Row& row) { return row.order.merchant_id.ToString(); }},
    {"project_id", [](const Row& row) { return row.order.project_id.ToString(); }},
    // Beyond these.
    {"modified", [](const Row& row) { return FormatTime(row.order.modified); }},
    {"description", [](const Row& row) { return row.order.description.value_or(""); }},
    {"reason", [](const Row& row) { return row.order.reason; }},
    {"flags", JoinedFlags},
    {"refunded_amount", [](const Row& row) { return std::to_string(row.order.refunded_amount); }},
    {"refund_of_order_id", [](const Row& row) { return RelatedBy(row, Relation::kRefund); }},
    {"capture_of_order_id", [](const Row& row) { return RelatedBy(row, Relation::kCapture); }},
    {"void_of_order_id", [](const Row& row) { return RelatedBy(row, Relation::kVoid); }},
    {"chargeback_of_order_id",
     [](const Row& row) { return RelatedBy(row, Relation::kChargeback); }},
    {"reversal_of_order_id", [](const Row& row) { return RelatedBy(row, Relation::kReversal); }},
    {"related_payment_link_id", [](const Row& row) { return TextOf(row.order.payment_link); }},
    {"transaction.created", [](const Row& row) { return FormatTime(row.transaction->created); }},
    {"transaction.amount", [](const Row& row) { return std::to_string(row.transaction->amount); }},
    {"transaction.transaction_type",
     [](const Row& row) { return row.transaction->transaction_type; }},
    {"transaction.capture_of_transaction_id",
     [](const Row& row) { return TextOf(row.transaction->capture_of); }},
    {"transaction.void_of_transaction_id",
     [](const Row& row) { return TextOf(row.transaction->void_of); }},
    {"transaction.payment_method_details.card_expiry",
     [](const Row& row) { return Detail(row, "card_expiry"); }},
    {"transaction.payment_method_details.approval_code",
     [](const Row& row) { return Detail(row, "approval_code"); }},
});

constexpr std::string_view kRowEnd = "\r\n";

void AppendRow(const Row& row, std::string* out) {
  bool first = true;
  for (const Column& column : kColumns) {
    if (!first) *out += ',';
    first = false;
    if (row.transaction == nullptr && column.of_transaction()) continue;
    AppendCsvField(column.value(row), out);
  }
  *out += kRowEnd;
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

void AppendCsvField(std::string_view value, std::string* out) {
  const bool plain = value.find_first_of(",\"\r\n") == std::string_view::npos &&
                     (value.empty() || (!IsBlank(value.front()) && !IsBlank(value.back())));
  if (plain) {
    *out += value;
    return;
  }
  *out += '"';
  for (const char c : value) {
    if (c == '"') *out += '"';
    *out += c;
  }
  *out += '"';
}

void AppendCsvHeader(std::string* out) {
  bool first = true;
  for (const Column& column : kColumns) {
    if (!first) *out += ',';
    first = false;
    *out += column.name;
  }
  *out += kRowEnd;
}

void AppendCsvRows(const Order& order, std::string* out) {
  CustomerText customer(order);
  if (order.transactions.empty()) AppendRow({order, nullptr, customer}, out);
  for (const Transaction& transaction : order.transactions) {
    AppendRow({order, &transaction, customer}, out);
  }
}

}  // namespace tollbridge::sandbox
