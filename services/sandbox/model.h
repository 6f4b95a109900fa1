#ifndef TOLLBRIDGE_SERVICES_SANDBOX_MODEL_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_MODEL_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/base/uuid.h"
#include "services/sandbox/clock.h"

/// The state of the stand-in, in the terms of the interface document, section Resources.
namespace tollbridge::sandbox {

/// An element of a transaction's `events`.
struct EventRecord {
  Uuid id;
  std::string event;
  Time occurred;
};

/// Section Transaction.
struct Transaction {
  Uuid id;
  Time created;
  std::string payment_method;
  std::string payment_method_brand;
  boost::json::object payment_method_details;
  std::string capture_mode;
  /// "credit" = money received by the merchant, "debit" = going out.
  std::string credit_debit = "credit";
  std::string status = "new";
  bool is_capturable = false;
  std::vector<EventRecord> events;
  /// What became of the attempt; empty until it was processed.
  std::string response_code;
  std::string response_code_description;
};

/// Section Order.
struct Order {
  Uuid id;
  Uuid project_id;
  bool test = false;
  Time created;
  Time modified;
  std::optional<Time> completed;
  std::int64_t amount = 0;  ///< smallest currency unit
  std::string currency;
  std::string status = "new";
  std::string reason;
  /// Request fields that are kept and given back as they came: merchant_order_id, description,
  /// customer, extra and so on.
  boost::json::object given;
  std::string return_url;
  std::string failure_url;
  std::string webhook_url;
  /// Whether the customer picks the method on the hosted page: no transaction came with create.
  bool customer_picks = false;
  std::vector<Transaction> transactions;
};

/// Section Order statuses: no further change by itself.
bool IsFinal(const Order& order);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_MODEL_H_
