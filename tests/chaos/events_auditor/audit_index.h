#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_AUDITOR_AUDIT_INDEX_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_AUDITOR_AUDIT_INDEX_H_

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/chaos/events_auditor/audit.h"
#include "tests/chaos/events_auditor/history.h"

namespace tollbridge::pipeline {

/// Whether something is so.
enum class Sure { kNo, kMaybe, kYes };

/// When all is over.
inline constexpr TimeMs kEnd = std::numeric_limits<TimeMs>::max();

/// All that is known of one order.
struct OrderView {
  const OrderLine* line = nullptr;
  std::string root;
  /// Statuses of the order itself, by time.
  std::vector<const StatusLine*> statuses;
  /// Statuses of its transactions, by time; by transaction.
  std::map<std::string, std::vector<const StatusLine*>> transactions;
  /// Tollbridge sent its initiate, authenticate or wallet execute.
  Sure own_checkout = Sure::kNo;
  /// The create sent capture_mode; and whether an operation left that with the order.
  bool capture_mode = false;
  Sure capture_mode_left = Sure::kNo;
  /// What operations left with the order was there for who published before this time; behind it
  /// Redis has lost memory.
  TimeMs kept_before = kEnd;
  /// It may have been read before what its create left with it was there.
  bool recorded_late = false;
  bool has_captures_or_voids = false;
  /// The create of an operation that nobody was told the result of.
  bool maybe_orphan = false;
  /// Calls through the gateway that it was named by, each try.
  std::size_t gateway_calls = 0;
  /// Effects on money that it shows.
  std::vector<const MoneyLine*> money;
  /// Of the order, without exact repeats, as on the topic.
  std::vector<const EventLine*> events;

  bool EverHad(std::string_view status, TimeMs by) const;
  bool TransactionEverHad(std::string_view status, TimeMs by) const;
  bool EverPaid() const;
  std::string LastStatus() const { return statuses.empty() ? "" : statuses.back()->status; }
  /// What the transaction decides, as an event's what; empty when there is not exactly one that is
  /// final.
  std::string TransactionOutcome() const;
  /// The outcomes that consumers may know last, in the end; empty: none is promised. With "" among
  /// them none is fine too.
  std::set<std::string> Endings() const;
  /// What the kind of its outcomes published then may be; in the end: any of them.
  std::set<std::string> Kinds(TimeMs published_at = kEnd) const;
  /// What the kind of an event that is no outcome may be.
  std::set<std::string> KindsBefore() const;
  /// A person has to look when the order shows another kind than it was told as: it may be told as
  /// another one where what was kept with it was lost for a while. That says nothing of its end.
  bool MayBeReviewOfKind(const EventLine& event) const;
};

/// A history by order, family and stream. Refers to the history.
struct AuditIndex {
  explicit AuditIndex(const History& history);

  const History* history = nullptr;
  std::map<std::string, OrderView> orders;
  /// Events without exact repeats, by (root, stream), as on the topic.
  std::map<std::pair<std::string, std::string>, std::vector<const EventLine*>> streams;
  /// When Redis has lost memory, in order.
  std::vector<TimeMs> losses;
  std::size_t repeats = 0;

  /// Whether what was kept from `from` on may have been away at some time until `until`.
  bool MayHaveForgotten(TimeMs from, TimeMs until) const;
};

/// An event's what for an order's status; empty for one that is none.
std::string WhatOfStatus(std::string_view status);
/// completed, failed, cancelled, expired, needs_review.
bool IsOutcome(std::string_view what);
/// What consumers know after the event: `observed_what` where two values are told.
const std::string& Effective(const EventLine& event);

/// The auditor's questions, a group a file. Each adds what it finds.
void CheckLost(const AuditIndex& index, Report* report);
void CheckInvented(const AuditIndex& index, Report* report);
void CheckOrder(const AuditIndex& index, const AuditOptions& options, Report* report);
void CheckHeartbeats(const AuditIndex& index, Report* report);
void CheckHints(const AuditIndex& index, Report* report);
/// Amounts, currencies, references and flags of events, and whether the money moved.
void CheckContents(const AuditIndex& index, Report* report);
/// How soon outcomes were published.
void CheckLate(const AuditIndex& index, const AuditOptions& options, Report* report);
void CheckOwnCheckouts(const AuditIndex& index, Report* report);
void CheckReads(const AuditIndex& index, Report* report);
/// The ledgers of consumers against that of the payment service.
void CheckBooks(const AuditIndex& index, Report* report);

/// Since when a read could show what the event says; nullopt when nothing tells.
std::optional<TimeMs> ShownSince(const AuditIndex& index, const EventLine& event);

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_AUDITOR_AUDIT_INDEX_H_
