#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_RESOLUTION_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_RESOLUTION_H_

#include <cstdint>
#include <string>

#include "services/operations/evidence.h"
#include "services/operations/plan.h"
#include "services/operations/settings.h"
#include "services/ports/clock.h"
#include "services/ports/unresolved_operations.h"

namespace tollbridge::operations {

/// What a look at a due operation comes to.
struct Resolution {
  enum class What {
    kExecuted,     ///< it happened: DONE with what was found
    kNotExecuted,  ///< it did not: the key may run again
    kNeedsReview,  ///< a person decides, for `review_reason`
    kLookAgain,    ///< nothing is decided: due after `next_look`, with these `misses`
    kStopLooking,  ///< closed, and not looked at any more
  };
  What what = What::kLookAgain;
  std::string review_reason;
  std::uint32_t misses = 0;
  /// kLookAgain: ports::NextLook::target_missing.
  bool target_missing = false;
  ports::Millis next_look{};
  /// Says why, for the transition.
  std::string reason;
  /// kNotExecuted: concluded from absence.
  bool by_absence = false;
};

/// Presence counts at once, absence only after the quarantine and several reads; what cannot be
/// read for long after it is for a person (docs/design/operations.md#rule-4). A pure function of
/// the record, of what the look at its last step showed, and of the settings.
Resolution Resolve(const ports::DueOperation& operation, const StepKind& kind,
                   const Finding& finding, const Settings& settings);

/// The same where this process has no way to look: it does not know the RPC or the project.
Resolution ResolveUnread(const ports::DueOperation& operation, const Settings& settings);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_RESOLUTION_H_
