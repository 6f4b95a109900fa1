#ifndef TOLLBRIDGE_SERVICES_PORTS_UNRESOLVED_OPERATIONS_H_
#define TOLLBRIDGE_SERVICES_PORTS_UNRESOLVED_OPERATIONS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "base/core/async.h"
#include "base/core/uuid.h"
#include "services/ports/context.h"
#include "services/ports/operation_types.h"

namespace tollbridge::ports {

/// A step as the record keeps it.
struct StepRecord {
  StepTarget target;
  StepState state = operations::v1::STEP_STATE_SENT;
  WallTime sent_at{};
};

/// An operation whose lease ended without a result, or that nobody confirmed in time, and what it
/// became.
struct ExpiredOperation {
  Uuid id;
  std::string rpc;
  OperationState became = operations::v1::OPERATION_STATE_UNKNOWN;
};

/// An operation whose evidence is to be read now. All times are of the store's clock.
struct DueOperation {
  OperationIdentity identity;
  std::uint32_t attempt = 0;
  std::string epoch;
  /// kUnknown; or kNotExecuted that was reached by absence and is looked at again.
  OperationState state = operations::v1::OPERATION_STATE_UNKNOWN;
  std::vector<StepRecord> steps;
  /// The store has lost its memory or failed over since the attempt began: later steps may have
  /// gone with it.
  bool may_lack_steps = false;
  /// Nothing was sent in this attempt: the only step is what an earlier run may have done that the
  /// store has forgotten, at any time before that step's.
  bool nothing_sent = false;
  /// Orders that readers saw with the operation's mark (OperationRegistry::JudgeMark).
  std::vector<std::string> seen_orders;
  /// Reads in a row after the quarantine that found nothing (kUnknown), or looks after it was
  /// closed (kNotExecuted).
  std::uint32_t misses = 0;
  /// In none of them was what the step is about there at all.
  bool target_missing = false;
  /// Looks so far in this state.
  std::uint32_t passes = 0;
  WallTime since{};  ///< in this state
  WallTime now{};
};

/// A look that decided nothing.
struct NextLook {
  /// Due again after this, at once where an order has been seen meanwhile; negative takes a
  /// NOT_EXECUTED one out of the queue for good.
  Millis after{};
  /// DueOperation of the next look.
  std::uint32_t misses = 0;
  bool target_missing = false;
};

struct DueOperations {
  /// The store's clock.
  WallTime now{};
  std::vector<ExpiredOperation> expired;
  std::vector<DueOperation> to_look_at;
  /// Taken too, but their records cannot be read: of a later version, or damaged. They come again.
  std::vector<Uuid> unreadable;
};

/// What there is of a project, for metrics. Ages by the store's clock.
struct UnresolvedSurvey {
  std::size_t running = 0;
  std::size_t unknown = 0;
  std::size_t awaits_approval = 0;
  /// NEEDS_REVIEW by reason, those of review records included.
  std::map<std::string, std::size_t> needs_review;
  /// Age of the oldest in UNKNOWN, and in NEEDS_REVIEW; 0 when there is none.
  Millis oldest_unknown{};
  Millis oldest_review{};
  /// Transitions that are not on the operations topic yet: age of the oldest.
  Millis oldest_record{};
  /// For how long yet the store may have forgotten operations of the project.
  Millis doubtful_left{};
};

/// The due queue of operations, for the resolver (docs/design/operations.md#rule-4, #rule-6 and
/// #rule-9). Several processes may take from one queue. Per shard. UNAVAILABLE (reason
/// STORE_UNAVAILABLE) when the store cannot be asked.
class UnresolvedOperations {
 public:
  virtual ~UnresolvedOperations() = default;

  /// Takes up to `limit` operations of the project that are due. RUNNING whose lease has ended is
  /// closed on the way: SENT becomes UNKNOWN and is taken at once, without SENT NOT_EXECUTED. So is
  /// AWAITS_APPROVAL that is over. What
  /// is taken belongs to `token` until `lease` ends, and then it is due again: a taker that dies
  /// loses nothing.
  virtual Async<DueOperations> TakeDue(const std::string& project, std::size_t limit,
                                       const std::string& token, Millis lease,
                                       const Context& context) = 0;

  /// Nothing was decided. Compares state, epoch, attempt and token; false when another has moved it
  /// on.
  virtual Async<bool> Reschedule(const DueOperation& operation, const std::string& token,
                                 const NextLook& next, const Context& context) = 0;

  /// All UNKNOWN operations of the project are due now: the payment service answers again.
  virtual AsyncStatus PullDue(const std::string& project, const Context& context) = 0;

  virtual Async<UnresolvedSurvey> Survey(const std::string& project, const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_UNRESOLVED_OPERATIONS_H_
