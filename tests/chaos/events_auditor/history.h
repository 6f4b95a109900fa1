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
  std::string digest;  ///< of the whole record: key, headers and value
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
};

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_AUDITOR_HISTORY_H_
