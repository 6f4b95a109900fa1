#include "services/sandbox/order_json.h"

#include <string>
#include <utility>

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

// The merchant that all projects of the sandbox belong to.
constexpr std::string_view kMerchantId = "99999999-9999-4999-8999-999999999999";

json::array EventsToJson(const Transaction& transaction) {
  json::array out;
  for (const EventRecord& record : transaction.events) {
    json::object row;
    row["event"] = record.event;
    row["id"] = record.id.ToString();
    row["occurred"] = FormatTime(record.occurred);
    row["noticed"] = FormatTime(record.occurred);
    row["source"] = "set_status";
    out.push_back(std::move(row));
  }
  return out;
}

json::object ToJson(const Transaction& transaction, const Order& order, std::string_view base_url) {
  json::object out;
  out["id"] = transaction.id.ToString();
  out["order_id"] = order.id.ToString();
  out["created"] = FormatTime(transaction.created);
  out["currency"] = order.currency;
  out["amount"] = order.amount;
  out["credit_debit"] = transaction.credit_debit;
  out["is_capturable"] = transaction.is_capturable;
  out["payment_method"] = transaction.payment_method;
  if (!transaction.payment_method_brand.empty()) {
    out["payment_method_brand"] = transaction.payment_method_brand;
  }
  out["payment_method_details"] = transaction.payment_method_details;
  out["payment_url"] =
      std::string(base_url) + "/pay/" + order.id.ToString() + "/" + transaction.id.ToString() + "/";
  out["status"] = transaction.status;
  out["events"] = EventsToJson(transaction);
  if (!transaction.response_code.empty()) {
    json::object processing;
    processing["status"] = transaction.status;
    processing["response_code"] = transaction.response_code;
    processing["response_code_description"] = transaction.response_code_description;
    out["outcomes"] = json::object{{"processing", std::move(processing)}};
  }
  return out;
}

}  // namespace

json::object ToJson(const Order& order, std::string_view base_url) {
  json::object out = order.given;
  out["id"] = order.id.ToString();
  out["project_id"] = order.project_id.ToString();
  out["merchant_id"] = kMerchantId;
  out["currency"] = order.currency;
  out["amount"] = order.amount;
  out["status"] = order.status;
  if (!order.reason.empty()) out["reason"] = order.reason;
  json::array flags;
  if (order.test) flags.emplace_back("is-test");
  out["flags"] = std::move(flags);
  out["created"] = FormatTime(order.created);
  out["modified"] = FormatTime(order.modified);
  if (order.completed) out["completed"] = FormatTime(*order.completed);
  out["refunded_amount"] = 0;
  if (order.customer_picks) {
    out["order_url"] = std::string(base_url) + "/pay/" + order.id.ToString() + "/";
  }
  json::array transactions;
  for (const Transaction& transaction : order.transactions) {
    transactions.push_back(ToJson(transaction, order, base_url));
  }
  out["transactions"] = std::move(transactions);
  return out;
}

}  // namespace tollbridge::sandbox
