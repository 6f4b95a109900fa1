#include "services/operations/resolution.h"

#include <algorithm>
#include <cstddef>

namespace tollbridge::operations {
namespace {

using What = Resolution::What;

ports::Millis Backoff(const Settings& settings, std::uint32_t passes) {
  return settings.look_backoff[std::min<std::size_t>(passes, settings.look_backoff.size() - 1)];
}

Resolution LookAgain(std::uint32_t misses, ports::Millis next_look, bool target_missing = false) {
  return {.what = What::kLookAgain,
          .misses = misses,
          .target_missing = target_missing,
          .next_look = std::max(next_look, ports::Millis(1))};
}

ports::Millis Age(const ports::DueOperation& operation) {
  return operation.now -
         (operation.steps.empty() ? operation.since : operation.steps.back().sent_at);
}

/// Closed by absence before: only presence changes anything.
Resolution ResolveClosed(const ports::DueOperation& operation, const Finding& finding,
                         const Settings& settings) {
  if (finding.presence == Presence::kPresent) {
    return {.what = What::kExecuted, .reason = "found after it was closed: " + finding.reason};
  }
  const std::size_t looks = operation.misses + 1;
  if (finding.presence == Presence::kUndecided && looks <= settings.look_again.size()) {
    // That was no look: it would hide an effect that is there. Not for ever, though.
    const ports::Millis until =
        settings.look_again[operation.misses] + settings.review_unreadable_after;
    if (operation.now - operation.since < until) {
      return LookAgain(operation.misses, Backoff(settings, operation.passes));
    }
  }
  if (looks >= settings.look_again.size()) return {.what = What::kStopLooking};
  return LookAgain(operation.misses + 1,
                   settings.look_again[looks] - settings.look_again[looks - 1]);
}

/// Nothing is there, or not even what the step is about.
Resolution ResolveAbsent(const ports::DueOperation& operation, const StepKind& kind,
                         const Finding& finding, const Settings& settings) {
  const bool target_missing = finding.presence == Presence::kNoTarget;
  const ports::Millis age = Age(operation);
  const ports::Millis quarantine = Quarantine(settings, kind.by_search);
  if (age < quarantine) {
    return LookAgain(0, std::min(Backoff(settings, operation.passes), quarantine - age));
  }
  const std::uint32_t misses = operation.misses + 1;
  const bool always_missing = target_missing && (misses == 1 || operation.target_missing);
  if (misses < static_cast<std::uint64_t>(settings.absence_reads)) {
    return LookAgain(misses, settings.absence_read_interval, always_missing);
  }
  std::string reason = "absent after the quarantine in " + std::to_string(misses) + " reads";
  if (finding.perhaps_unmarked) reason += "; " + finding.reason;
  // Nothing can have happened to an order that the project does not have. And where nothing was
  // sent, absence is what the key would have been told to go on with.
  const bool tells_enough = always_missing || (operation.nothing_sent && !finding.perhaps_unmarked);
  if (kind.on_absence == OnAbsence::kNeedsReview && !tells_enough) {
    return {.what = What::kNeedsReview,
            .review_reason = ports::review::kAbsentNotRepeatable,
            .reason = reason};
  }
  Resolution resolution{.what = What::kNotExecuted, .reason = reason, .by_absence = true};
  if (!settings.look_again.empty()) resolution.next_look = settings.look_again.front();
  return resolution;
}

/// Not for ever: after the quarantine a person can say more than a look that never comes about. But
/// not at the first look after a time in which nobody looked.
Resolution ResolveUndecided(const ports::DueOperation& operation, bool by_search,
                            const std::string& reason, const Settings& settings) {
  if (Age(operation) >= Quarantine(settings, by_search) + settings.review_unreadable_after &&
      operation.passes >= settings.look_backoff.size()) {
    return {.what = What::kNeedsReview,
            .review_reason = ports::review::kUnreadable,
            .reason = reason.empty() ? "its evidence cannot be read" : reason};
  }
  // It may have shown what the step is about, and only not what became of it: reads that do not
  // show it count anew.
  const std::uint32_t misses = operation.target_missing ? 0 : operation.misses;
  return LookAgain(misses, operation.misses > 0 ? settings.absence_read_interval
                                                : Backoff(settings, operation.passes));
}

}  // namespace

Resolution ResolveUnread(const ports::DueOperation& operation, const Settings& settings) {
  if (operation.state == v1::OPERATION_STATE_NOT_EXECUTED) return {.what = What::kStopLooking};
  return ResolveUndecided(operation, true, "its RPC or its project is not known here", settings);
}

Resolution Resolve(const ports::DueOperation& operation, const StepKind& kind,
                   const Finding& finding, const Settings& settings) {
  if (!kind.look) {
    if (operation.state == v1::OPERATION_STATE_NOT_EXECUTED) return {.what = What::kStopLooking};
    return {.what = What::kNotExecuted, .reason = "its owner is gone; cannot be read back"};
  }
  if (operation.state == v1::OPERATION_STATE_NOT_EXECUTED) {
    return ResolveClosed(operation, finding, settings);
  }
  switch (finding.presence) {
    case Presence::kPresent:
      if (kind.completes) {
        return {.what = What::kExecuted, .reason = "found: " + finding.reason};
      }
      return {.what = What::kNotExecuted, .reason = "ended before its last step"};
    case Presence::kAbsent:
    case Presence::kNoTarget:
      return ResolveAbsent(operation, kind, finding, settings);
    case Presence::kAmbiguous:
      return {.what = What::kNeedsReview,
              .review_reason = ports::review::kAmbiguous,
              .reason = finding.reason};
    case Presence::kUndecided:
      break;
  }
  return ResolveUndecided(operation, kind.by_search, finding.reason, settings);
}

}  // namespace tollbridge::operations
