#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_AUDITOR_HISTORY_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_AUDITOR_HISTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/chaos/lines/json_lines.h"

/// What is left of a run of the way from webhook to event when it is over: the auditor's input.
/// Each part is a file of JSON lines in one folder (history_file.h). Statuses, kinds and whats are
/// written as on the wire: "see-transactions", "account_funding", "needs_review".
namespace tollbridge::pipeline {

using chaos::TimeMs;

/// An order at the payment service.
struct OrderLine {
  std::string order;
  std::string project;  ///< name
  /// The merchant's own name of it, which orders made from it have too.
  std::string merchant_order_id;
  TimeMs created = 0;
  /// What it is of `origin`: "capture", "void", "refund", "chargeback" or "reversal"; both empty:
  /// a root.
  std::string relation;
  std::string origin;
  std::string transaction_type;  ///< "aft", "oct" or empty
  /// It carries the mark of an operation of the gateway.
  int marked = 0;
  /// In the smallest unit of the currency.
  std::int64_t amount = 0;
  std::string currency;
  /// 1: it is in a test project.
  int test = 0;
  /// Its size as the payment service writes it.
  std::int64_t bytes = 0;
};

/// That an order, or a transaction of it, took a status.
struct StatusLine {
  std::string order;
  std::string transaction;  ///< empty: the order itself
  std::string status;
  TimeMs at = 0;
};

/// What the driver asked for: only that which decides what events must say.
struct CallLine {
  std::string order;
  /// "created", "capture_mode", "own_checkout".
  std::string what;
  /// 1: through the gateway; 0: straight at the payment service.
  int gateway = 0;
  /// 1: it has an answer that says that it was done; 0: nobody knows.
  int known = 0;
};

/// An attempt at a webhook.
struct DeliveryLine {
  std::string order;
  std::string project;  ///< name
  TimeMs at = 0;
  int status = 0;  ///< of the answer; 0: none
};

/// A record of the topic of hints.
struct HintLine {
  std::string order;
  std::string member;
  std::string project;
  std::string source;  ///< "WEBHOOK"
  TimeMs noticed_at = 0;
};

/// A record of the topic of events. In the file, those of one partition are in their order.
struct EventLine {
  int partition = 0;
  std::int64_t offset = 0;
  std::string key;
  std::string id;
  std::string root;
  std::string order;
  std::string kind;
  std::string what;
  std::string stream;
  std::int64_t sequence = 0;
  std::int64_t occurrence = 0;
  TimeMs occurred_at = 0;
  TimeMs noticed_at = 0;
  std::string status;      ///< the order's
  std::string decided_by;  ///< "ORDER" or "TRANSACTION"
  std::string published_what;
  std::string observed_what;
  std::string digest;        ///< of the whole record: key, headers and value
  TimeMs published_at = 0;   ///< the record's own time
  std::int64_t amount = -1;  ///< -1: none
  std::string currency;
  std::string merchant_order_id;
  std::string parent;
  int is_outcome = 0;
  int test = 0;
  /// The headers ce_isoutcome and test.
  std::string outcome_header;
  std::string test_header;
  int order_omitted = 0;
  int has_order = 0;
  /// Of the order that the event holds; -1: none.
  std::int64_t shown_amount = -1;
};

/// An effect on money at the payment service: its ledger.
struct MoneyLine {
  TimeMs at = 0;
  std::string effect;  ///< "charge", "authorize", "capture", ...
  std::string order;   ///< the one that shows it
  std::int64_t amount = 0;
  std::string currency;
};

/// How often an order was read at the payment service.
struct ReadsLine {
  std::string order;
  std::int64_t reads = 0;
};

/// What the ledger of a consumer has of an order.
struct BookingLine {
  std::string book;  ///< "Python", "Go"
  std::string order;
  std::string outcome;
  std::int64_t booked = 0;
  /// 1: left to a person.
  int review = 0;
};

/// What the ledger of a consumer says beside its orders.
struct BookNoteLine {
  std::string book;
  /// "kept": it is there; "balance", "gap", "alarm".
  std::string note;
  std::string subject;  ///< the currency, or the root
  std::int64_t amount = 0;
};

/// A heartbeat on the topic of events.
struct HeartbeatLine {
  int partition = 0;
  std::int64_t offset = 0;
  /// All events noticed before this time were published; 0: the heartbeat does not say.
  TimeMs published_before = 0;
};

/// Something that was done to the processes and stores.
struct DisturbanceLine {
  TimeMs at = 0;
  /// "memory_lost": Redis was emptied; "store_rolled_back": it came back without its last writes.
  std::string disturbance;
  /// When it was over; 0: that stands in a line of its own, or it was over at once.
  TimeMs until = 0;
  /// 1: as long as it lasted nothing could be published.
  int stops = 0;
  /// Not empty: only reads of this order were disturbed.
  std::string order;
};

struct History {
  std::vector<OrderLine> orders;
  std::vector<StatusLine> statuses;
  std::vector<CallLine> calls;
  std::vector<DeliveryLine> deliveries;
  std::vector<HintLine> hints;
  std::vector<EventLine> events;
  std::vector<HeartbeatLine> heartbeats;
  std::vector<DisturbanceLine> disturbances;
  std::vector<MoneyLine> money;
  std::vector<ReadsLine> reads;
  std::vector<BookingLine> bookings;
  std::vector<BookNoteLine> book_notes;
};

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_AUDITOR_HISTORY_H_
