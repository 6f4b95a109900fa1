#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_WHOSE_EFFECT_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_WHOSE_EFFECT_H_

#include <string>

#include <boost/asio/awaitable.hpp>

#include "services/operations/evidence.h"
#include "services/ports/context.h"
#include "services/ports/operation_registry.h"
#include "services/ports/operation_types.h"
#include "services/ports/unresolved_operations.h"

namespace tollbridge::operations {

/// What an operation's look has found.
struct FoundEffect {
  std::string project;
  std::string operation;  ///< whose look it was
  std::string order;      ///< that the step is about; empty for one that the plan made itself
  ports::StepTarget step;
  /// Where the service does it once only, it does not matter when another did it.
  const StepKind& kind;
  const Finding& finding;
};

/// By the look at an operation's last step. All outlive what is answered.
FoundEffect FoundBy(const ports::DueOperation& operation, const StepKind& kind,
                    const Finding& finding);

/// Whose an effect is that was found by its transaction, amount and time, and may be that of any
/// operation about the order. kPresent: that of who looked, or of nobody whom the store knows.
/// kAbsent: another did it, or is in review with it; where it can be done again, not long before
/// the looker's own step was sent. kUndecided: another is at work on it, a person has to decide
/// about another, or the store cannot be asked. What carries a mark is the looker's, and so is what
/// is about no order that a caller could name.
boost::asio::awaitable<Presence> WhoseEffect(ports::OperationRegistry& registry,
                                             const FoundEffect& found,
                                             const ports::Context& context);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_WHOSE_EFFECT_H_
