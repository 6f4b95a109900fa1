#include "services/operations/resolution.h"

#include <algorithm>
#include <cstddef>

namespace tollbridge::operations {
namespace {

using What = Resolution::What;

ports::Millis Backoff(const Settings& settings, std::uint32_t passes) {
  return settings.look_backoff[std::min<std::size_t>(passes, settings.look_backoff.size() - 1)];
}

Resolution LookAgain(std::uint32_t misses, ports::Millis next_look) {
  return {.what = What::kLookAgain,
          .misses = misses,
          .next_look = std::max(next_look, ports::Millis(1))};
}

/// Closed by absence before: only presence changes anything.
Resolution ResolveClosed(const ports::DueOperation& operation, const Finding& finding,
                         const Settings& settings) {
  if (finding.presence == Presence::kPresent) {
    return {.what = What::kExecuted, .reason = "found after it was closed: " + finding.reason};
  }
  const std::size_t looks = operation.misses + 1;
  if (looks >= settings.look_again.size()) return {.what = What::kStopLooking};
  return LookAgain(operation.misses + 1,
                   settings.look_again[looks] - settings.look_again[looks - 1]);
}

Resolution ResolveAbsent(const ports::DueOperation& operation, const StepKind& kind,
                         const Settings& settings) {
  const ports::Millis age = operation.now - operation.steps.back().sent_at;
  const ports::Millis quarantine = Quarantine(settings, kind.by_search);
  if (age < quarantine) {
    return LookAgain(0, std::min(Backoff(settings, operation.passes), quarantine - age));
  }
  const std::uint32_t misses = operation.misses + 1;
  if (misses < static_cast<std::uint64_t>(settings.absence_reads)) {
    return LookAgain(misses, settings.absence_read_interval);
  }
  const std::string reason = "absent after the quarantine in " + std::to_string(misses) + " reads";
  if (kind.on_absence == OnAbsence::kNeedsReview) {
    return {.what = What::kNeedsReview,
            .review_reason = ports::review::kAbsentNotRepeatable,
            .reason = reason};
  }
  Resolution resolution{.what = What::kNotExecuted, .reason = reason, .by_absence = true};
  if (!settings.look_again.empty()) resolution.next_look = settings.look_again.front();
  return resolution;
}

}  // namespace

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
      return ResolveAbsent(operation, kind, settings);
    case Presence::kAmbiguous:
      return {.what = What::kNeedsReview,
              .review_reason = ports::review::kAmbiguous,
              .reason = finding.reason};
    case Presence::kUndecided:
      break;
  }
  return LookAgain(operation.misses, operation.misses > 0 ? settings.absence_read_interval
                                                          : Backoff(settings, operation.passes));
}

}  // namespace tollbridge::operations
