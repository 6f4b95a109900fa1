#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_AUDITOR_AUDIT_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_AUDITOR_AUDIT_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tests/chaos/events_auditor/history.h"
#include "tests/chaos/lines/findings.h"

namespace tollbridge::pipeline {

using chaos::Finding;

/// The rules, each of which a finding can say to be broken (docs/design/events.md,
/// docs/reliability.md). By what stands before the colon they are counted in the last line.
namespace rule {
// What the payment service shows in the end has no event.
inline constexpr const char* kNoOutcome = "lost: no outcome was published";
inline constexpr const char* kOtherOutcome = "lost: the last outcome is another one";
inline constexpr const char* kNotCreated = "lost: nothing says that the order was created";
inline constexpr const char* kNotCreatedFirst = "lost: a stream does not begin with created";
// An event says what never was so.
inline constexpr const char* kUnknownOrder = "invented: there is no such order";
inline constexpr const char* kNeverSo = "invented: the order never was that";
inline constexpr const char* kWrongStatus = "invented: the order never had that status";
inline constexpr const char* kWrongKind = "invented: the order is of another kind";
inline constexpr const char* kKindChanged = "invented: the kind changed after the first outcome";
inline constexpr const char* kWrongRoot = "invented: the root is another one";
inline constexpr const char* kWrongTime = "invented: it did not happen then";
inline constexpr const char* kWrongDecider = "invented: the transaction does not decide";
inline constexpr const char* kNoContradiction = "invented: needs_review without a contradiction";
inline constexpr const char* kToldTwice = "invented: one outcome was told twice";
inline constexpr const char* kWrongAmount = "invented: amount or currency is another one";
inline constexpr const char* kNoMoney = "invented: it completed, and no such money moved";
inline constexpr const char* kWrongFlag = "invented: a flag says otherwise";
inline constexpr const char* kWrongReference = "invented: it names another parent or reference";
// Order, numbers, repeats.
inline constexpr const char* kGap = "misordered: a sequence number is missing";
inline constexpr const char* kTwoContents = "misordered: a sequence number has two contents";
inline constexpr const char* kTwoPlaces = "misordered: an id has two places in a stream";
inline constexpr const char* kIdOfTwo = "misordered: an id stands for two events";
inline constexpr const char* kTwoIds = "misordered: an event has two ids";
inline constexpr const char* kWrongKey = "misordered: the key is not the root";
inline constexpr const char* kTwoPartitions = "misordered: a family is on two partitions";
inline constexpr const char* kSharedStream = "misordered: two families share a stream";
inline constexpr const char* kNotByTime = "misordered: last outcomes are not in order of time";
inline constexpr const char* kBehindHeartbeat = "misordered: it comes behind a heartbeat for it";
// Webhooks.
inline constexpr const char* kNoHint = "unacked_hints: a webhook was answered 200 without a hint";
// The ledgers of consumers.
inline constexpr const char* kOtherBooking = "ledgers: an order is booked otherwise";
inline constexpr const char* kOtherBalance = "ledgers: the balance is another one";
inline constexpr const char* kLeftToAPerson = "ledgers: left to a person without a reason";
inline constexpr const char* kBookAlarm = "ledgers: a gap or an alarm";
// Time and effort.
inline constexpr const char* kLate = "late: an outcome was published late";
inline constexpr const char* kOnlyByOrder = "late: own checkouts are told by their orders alone";
inline constexpr const char* kManyReads = "reads: an order was read too often";
}  // namespace rule

/// The gateways' intervals that say how soon an outcome is published.
struct PollIntervals {
  TimeMs shortest = 1'000;  ///< events.shortest_read_interval
  TimeMs longest = 20'000;  ///< events.longest_read_interval
  TimeMs sweep = 15'000;    ///< reconcile.sweep_day_interval
};

struct AuditOptions {
  /// How old what a read showed may have been (replicas lag), in milliseconds: outcomes that came
  /// about within so short a time of each other may have been seen in the other order.
  TimeMs read_lag = 0;
  PollIntervals intervals = {};
  /// What an outcome may take beside the intervals: reads, their repeats, a rebalance.
  TimeMs slack = 10'000;
};

/// Figures of Report: events that lie before a heartbeat for them, and those that do not yet.
inline constexpr const char* kVouchedFor = "events that heartbeats vouch for";
inline constexpr const char* kNotVouchedFor = "events that no heartbeat vouches for yet";

struct Report {
  std::vector<Finding> findings;
  std::map<std::string, std::size_t> figures;

  /// Of consumers whose ledgers were compared.
  std::size_t books = 0;

  /// Findings of the rules of a group: "lost", "invented", "misordered", "unacked_hints",
  /// "ledgers", "late", "reads".
  std::size_t Count(const std::string& group) const;
  bool ok() const { return findings.empty(); }
};

/// Compares what the payment service has been through with what was published. Pure. Knows the
/// contract of docs/design/events.md by itself and uses none of the product's decisions.
Report Audit(const History& history, const AuditOptions& options = {});

/// `lost=0 invented=0 misordered=0 unacked_hints=0 ledgers=equal`. In place of `equal`: how many
/// findings there are about ledgers, or `none` where no consumer was there. `late=N` and `reads=N`
/// follow where there are such findings.
std::string LastLine(const Report& report);
/// All of it but the last line; at most `each` findings of a rule are written out, 0: all.
std::string Text(const Report& report, std::size_t each);

/// The last outcome of every order as consumers know it, and for every family the orders in the
/// order of their last outcomes: what must not depend on what happens to webhooks. By root; each
/// "<order> <kind>.<what>".
std::map<std::string, std::vector<std::string>> LastOutcomes(const History& history);

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_AUDITOR_AUDIT_H_
