#ifndef TOLLBRIDGE_SANDBOX_CORE_MODEL_H_
#define TOLLBRIDGE_SANDBOX_CORE_MODEL_H_

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/uuid.h"
#include "sandbox/core/clock.h"
#include "sandbox/core/result.h"
#include "sandbox/core/status.h"

/// The state of the stand-in, in the terms of docs/interface.md.
namespace tollbridge::sandbox {

/// An element of a transaction's `events`.
struct EventRecord {
  Uuid id;
  TransactionStatus event = TransactionStatus::kNew;
  Time occurred;
};

/// A transaction (docs/interface.md#transaction).
struct Transaction {
  Uuid id;
  Time created;
  /// When its status or what is authorized of it changed last.
  Time modified;
  /// As the order's, but for a partial capture and the like these are orders of their own.
  std::int64_t amount = 0;
  bool debit = false;  ///< credit_debit: money going out
  /// How long it can be paid, as an ISO 8601 duration; empty for what was made from another order.
  std::string expiration_period;
  bool is_capturable = false;
  /// Of a pre-authorization: what was captured, once, and voided so far, smallest unit.
  std::int64_t captured_amount = 0;
  std::int64_t voided_amount = 0;
  TransactionStatus status = TransactionStatus::kNew;
  std::string payment_method;
  std::string payment_method_brand;
  std::string capture_mode;      ///< "", "manual" or "delayed"; not given back
  std::string transaction_type;  ///< "", "aft" or "oct"
  /// What is given back as payment_method_details. Never a cvc or a whole card number.
  boost::json::object details;
  /// What was sent that the interface does not name (Variants::unknown_fields).
  boost::json::object unknown;
  std::vector<EventRecord> events;
  /// outcomes.processing; empty until an attempt was processed.
  std::string response_code;
  std::string response_code_description;
  std::optional<Uuid> capture_of;
  std::optional<Uuid> void_of;
  std::optional<Uuid> refund_of;
  /// The vaulted card of an attempt that waits for the customer (3-D Secure, one-click) or for the
  /// issuer.
  std::optional<Uuid> card;
  /// Executed by the merchant's server: the order stays processing for a while
  /// (docs/interface.md#states-and-transitions).
  bool own_checkout = false;

  /// A text of payment_method_details; empty when it is not there.
  std::string_view Detail(std::string_view name) const;
  /// Of a pre-authorization: what is neither captured nor voided, smallest unit.
  std::int64_t remaining_authorized() const { return amount - captured_amount - voided_amount; }
};

/// What an order that was made from another one is.
enum class Relation { kNone, kRefund, kCapture, kVoid, kChargeback, kReversal };

/// An order (docs/interface.md#order).
struct Order {
  Uuid id;
  Uuid project_id;
  Uuid merchant_id;
  bool test = false;
  /// No transaction came with create: the customer picks the method on the hosted page.
  bool customer_picks = false;
  OrderStatus status = OrderStatus::kNew;
  Time created;
  Time modified;
  std::optional<Time> completed;
  std::int64_t amount = 0;  ///< smallest currency unit
  std::string currency;
  std::string reason;
  std::optional<std::string> merchant_order_id;
  std::optional<std::string> merchant_name;
  std::optional<std::string> description;
  std::optional<std::string> expiration_period;
  std::optional<std::string> return_url;
  std::optional<std::string> failure_url;
  std::optional<std::string> webhook_url;
  std::optional<std::vector<std::string>> payment_methods;
  /// JSON texts of the objects as they were given; empty when they were not.
  std::string customer;
  std::string client;
  std::string extra;
  /// What was sent that the interface does not name (Variants::unknown_fields).
  boost::json::object unknown;
  std::vector<Transaction> transactions;

  /// What it was made from, and by what.
  Relation relation = Relation::kNone;
  std::optional<Uuid> related_order;
  /// The transaction of that order.
  std::optional<Uuid> made_of;
  std::optional<Uuid> payment_link;
  /// What was made from it, oldest first.
  std::vector<std::pair<Relation, Uuid>> children;
  std::int64_t refunded_amount = 0;
  std::int64_t charged_back_amount = 0;
  std::int64_t reversed_amount = 0;

  Transaction* FindTransaction(const Uuid& transaction_id);
  const Transaction* FindTransaction(const Uuid& transaction_id) const;
  /// Where the customer goes (docs/interface.md#order, return_url and failure_url); empty: stays on
  /// the result page.
  std::string ReturnAddress() const;
};

/// Whether somebody began to pay it, with whatever end.
bool WasStarted(const Transaction& transaction);
/// A later payment of a one-click series, with a card that the first one has stored.
bool IsOneClick(const Transaction& transaction);
/// Whether the order can still be paid: new or processing.
bool IsOpen(const Order& order);
/// Whether an attempt at it waits for the issuer.
bool IsUnderWay(const Order& order);
/// A refund that was begun and is not confirmed yet (Variants::pending_refunds).
bool IsPendingRefund(const Order& order);
/// Whether an attempt at it succeeded. In own checkout it stays open for a while after that.
bool IsPaid(const Order& order);

/// A card in the vault: what the sandbox keeps of one. Never its number or its cvc.
struct VaultCard {
  Uuid token;
  Uuid project_id;
  /// Index into TestCards().
  std::size_t test_card = 0;
  std::string truncated_pan;
  std::string expiry;  ///< MMYYYY
  std::string cardholder_name;
};

/// A payment link (docs/interface.md#payment-link).
struct PaymentLink {
  Uuid id;
  Uuid project_id;
  Uuid merchant_id;
  Time created;
  Time modified;
  std::optional<Time> completed;
  std::string merchant_order_id;
  std::int64_t amount = 0;
  std::string currency;
  std::optional<std::string> description;
  std::optional<std::vector<std::string>> payment_methods;
  std::string expiration_period;
  Time expires;
  std::optional<std::string> return_url;
  std::optional<std::string> webhook_url;
  /// What was sent that the interface does not name (Variants::unknown_fields).
  boost::json::object unknown;
  LinkStatus status = LinkStatus::kNew;
  std::string reason;
  std::optional<Uuid> completed_order;
  /// Orders made from it, oldest first.
  std::vector<Uuid> orders;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_MODEL_H_
