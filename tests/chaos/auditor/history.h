#ifndef TOLLBRIDGE_TESTS_CHAOS_AUDITOR_HISTORY_H_
#define TOLLBRIDGE_TESTS_CHAOS_AUDITOR_HISTORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/chaos/lines/json_lines.h"

/// What is left of a run when it is over: the auditor's input. Each part is a file of JSON lines in
/// one folder (history_file.h). Times are milliseconds since 1970, of one machine.
namespace tollbridge::chaos {

/// One call of a mutation, as its caller saw it.
struct Told {
  TimeMs at = 0;     ///< when it ended
  TimeMs began = 0;  ///< when its caller began it
  std::string key;
  std::string project;    ///< id of the caller's project
  std::string operation;  ///< id that the key names in it
  std::string rpc;        ///< "CreateOrder"
  std::string order;      ///< asked about; empty for what is not about an order that was there
  std::string transaction;
  /// What was asked for. Of a call that need not say it: what its caller means, or nothing.
  std::int64_t amount = 0;
  std::string currency;  ///< "EUR"; empty: the order's
  /// "order": there is no such order for this project; "transaction": it is not one of the order.
  std::string wrong;
  int gateway = 0;
  std::string code;       ///< "OK", "UNAVAILABLE"
  std::string reason;     ///< of ErrorInfo; empty when the product did not say anything
  std::string retry;      ///< of ErrorInfo: "SAFE_SAME_KEY"
  std::string holder;     ///< of ORDER_BUSY: the operation that holds the order
  std::string pending;    ///< "UNKNOWN" or "NEEDS_REVIEW": the pending operation was answered
  std::string result;     ///< id of the order or link in the result; of a card, a digest
  std::string knowledge;  ///< "ANSWERED" or "RECOVERED"
  std::string digest;     ///< of the result's bytes
  /// In the result, where it shows an order or a link.
  std::int64_t told_amount = 0;
  std::string told_currency;
};

/// An entry of the sandbox's ledger; or what moves no money and is kept there all the same: a card
/// that was stored for a transaction, a payment link.
struct Effect {
  TimeMs at = 0;
  std::string project;
  std::string effect;  ///< "charge", "authorize", "capture", "payout", ..., "card", "payment_link"
  std::string order;   ///< empty for a link
  std::string transaction;
  std::string result;     ///< the order that shows it; the link's id; a digest of the card's token
  std::string cause;      ///< name of the route
  std::string reference;  ///< of a link: its merchant_order_id, the key that made it
  std::int64_t amount = 0;
  std::string currency;  ///< empty for a card
};

/// An order as the payment service has it in the end.
struct KnownOrder {
  std::string id;
  std::string project;
  TimeMs created = 0;
  std::string status;
  std::string description;
  std::string mark;  ///< extra.tollbridge_operation
  std::string transaction;
  std::string transaction_status;
  std::int64_t amount = 0;
  std::string currency;
};

/// A record of the operations topic.
struct OperationLine {
  std::string operation;
  std::string rpc;
  std::int64_t number = 0;
  std::int64_t attempt = 0;
  std::string from;
  std::string to;  ///< "NOT_EXECUTED"
  TimeMs at = 0;
  std::string evidence;
  std::string order;
  std::string review_reason;
  std::string review_of;
  std::string orphan;
  TimeMs came = 0;     ///< to the topic
  std::string digest;  ///< of the whole record
};

/// A record of the events topic.
struct EventLine {
  std::string order;
  std::string stream;
  std::string type;  ///< "tollbridge.payment.completed.v1"
  std::int64_t sequence = 0;
  std::string digest;
};

/// An operation that is not closed when all is over, as ListOperations shows it.
struct OpenLine {
  std::string operation;
  std::string rpc;
  std::string state;
  std::string review_reason;
  std::string review_of;
  std::string order;
  std::string evidence;  ///< of the last transition
};

/// Something that was done to the stores: from then on less is known.
struct Disturbance {
  TimeMs at = 0;
  /// "memory_lost", "store_rolled_back", "store_failed_over" (what a replica has is kept),
  /// "store_failed", "store_restarted" (with all it had), "gateway_killed"
  std::string what;
};

struct History {
  std::vector<Told> told;
  std::vector<Effect> ledger;
  std::vector<KnownOrder> orders;
  std::vector<OperationLine> operations;
  std::vector<EventLine> events;
  std::vector<OpenLine> open;
  std::vector<Disturbance> disturbances;
};

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_AUDITOR_HISTORY_H_
