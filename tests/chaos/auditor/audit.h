#ifndef TOLLBRIDGE_TESTS_CHAOS_AUDITOR_AUDIT_H_
#define TOLLBRIDGE_TESTS_CHAOS_AUDITOR_AUDIT_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tests/chaos/auditor/history.h"
#include "tests/chaos/lines/findings.h"

namespace tollbridge::chaos {

struct AuditOptions {
  /// Effects that come later than the service is assumed to be able to were planted: each must have
  /// been found as LATE_EFFECT or orphan, and there must be some.
  bool late_beyond_bound = false;
};

/// Kinds of contradictions.
namespace contradiction {
/// One key, more than one effect.
inline constexpr const char* kDouble = "double";
/// An effect that everybody was told not to be there, or that a caller was told so who called after
/// its result had been told.
inline constexpr const char* kDenied = "denied_effect";
/// An operation that is still RUNNING or UNKNOWN.
inline constexpr const char* kUnresolved = "unresolved";
/// A result was told, and the payment service has nothing of it.
inline constexpr const char* kToldWithoutEffect = "told_without_effect";
/// One key, two results that are not the same bytes.
inline constexpr const char* kReplayDiffers = "replay_differs";
/// One key, results with different orders.
inline constexpr const char* kTwoResults = "two_results";
/// An effect of another amount or currency than any call that can be its own asked for.
inline constexpr const char* kOtherAmountDone = "other_amount_done";
/// A result of another amount or currency than its call asked for.
inline constexpr const char* kOtherAmountTold = "other_amount_told";
/// One effect that two keys were told to be the service's answer to each of them.
inline constexpr const char* kSharedEffect = "shared_effect";
/// An effect that no call of a caller explains.
inline constexpr const char* kEffectWithoutOperation = "effect_without_operation";
/// Something of one project in another one: an effect, an order, an operation that a caller was
/// told to hold its order.
inline constexpr const char* kOtherProject = "other_project";
/// A call whose ids are wrong was told a result.
inline constexpr const char* kWrongIdDone = "wrong_id_done";
/// A key whose calls were all the same was told to be another request's.
inline constexpr const char* kKeyTaken = "key_taken";
/// One key, refused by the service in the one call and done in a later one, or the other way.
inline constexpr const char* kAnsweredAnew = "answered_anew";
/// An attempt that began when no call of its key was under way.
inline constexpr const char* kClaimedForNobody = "claimed_for_nobody";
/// An order that carries a mark and is not the outcome, of which nothing says that it is an orphan.
inline constexpr const char* kOrphanNotNoted = "orphan_not_noted";
/// The operations topic: numbers are missing, one number has two contents, or the end is missing.
inline constexpr const char* kRecordGap = "record_gap";
inline constexpr const char* kRecordDiffers = "record_differs";
inline constexpr const char* kLostOperation = "lost_operation";
/// The events topic.
inline constexpr const char* kEventWithoutOperation = "event_without_operation";
inline constexpr const char* kEventWithoutEffect = "event_without_effect";
inline constexpr const char* kEventOfOrphan = "event_of_orphan";
inline constexpr const char* kEventDiffers = "event_differs";
/// An operation that wants a person, for a reason that what happened does not explain.
inline constexpr const char* kUnexplainedReview = "unexplained_review";
/// An effect that came after its operation was closed as not executed: nobody noticed, or it was
/// within the time that the quarantine has to cover.
inline constexpr const char* kLateEffectMissed = "late_effect_missed";
inline constexpr const char* kQuarantineTooShort = "quarantine_too_short";
/// Late effects were to be planted, and there is none.
inline constexpr const char* kNoLateEffect = "no_late_effect";
}  // namespace contradiction

struct Report {
  std::vector<Finding> contradictions;
  /// Operations that want a person, each with its explanation.
  std::vector<Finding> reviews;
  /// What is as it may be and yet worth saying: shared effects, orphans, late effects, operations
  /// that were forgotten with the store's memory.
  std::vector<Finding> notes;
  std::map<std::string, std::size_t> figures;
  std::size_t needs_review = 0;

  std::size_t Count(const std::string& contradiction_kind) const;
  bool ok() const { return contradictions.empty(); }
};

/// Compares what callers were told, what the payment service has done, and both topics. Pure.
Report Audit(const History& history, const AuditOptions& options = {});

/// `double=0 denied_effects=0 unresolved=0 needs_review=<n>`.
std::string LastLine(const Report& report);
/// All of it but the last line; at most `each` findings of a kind are written out, 0: all.
std::string Text(const Report& report, std::size_t each);

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_AUDITOR_AUDIT_H_
