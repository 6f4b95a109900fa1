#include "services/operations/whose_effect.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include <absl/status/statusor.h>

#include "services/domain/timestamps.h"
#include "services/operations/verdict.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::operations {
namespace {

/// As many as the store lists of an order.
constexpr std::size_t kMostOfAnOrder = 64;

/// What ended so long before a step was sent did nothing that a look finds made since: twice what
/// clocks may differ by.
constexpr std::chrono::minutes kLongBefore{2};

/// Whether an operation is about the effect that a step of these words has.
bool IsAboutTheSame(const v1::Operation& operation, const ports::StepTarget& target) {
  if (operation.steps().empty()) return false;
  const ports::StepTarget its = ports::TargetOf(*operation.steps().rbegin());
  return its.name == target.name && its.transaction_id == target.transaction_id &&
         its.amount == target.amount;
}

bool HadAnEffect(const v1::Operation& operation) {
  const auto& transitions = operation.transitions();
  return operation.state() == v1::OPERATION_STATE_DONE &&
         (transitions.empty() || !IsOfRefusal(transitions.rbegin()->evidence()));
}

bool IsAtWork(const v1::Operation& operation) {
  return operation.state() == v1::OPERATION_STATE_RUNNING ||
         operation.state() == v1::OPERATION_STATE_UNKNOWN;
}

/// When an operation came into its state, by the store's clock.
WallTime Entered(const v1::Operation& operation) {
  if (operation.transitions().empty()) return WallTime::max();
  return domain::ToWallTime(operation.transitions().rbegin()->time());
}

/// When the looker's step was sent, by the same clock; as early as can be where it is not known.
WallTime Sent(const ports::OperationPage& page, const std::string& operation) {
  const auto own = std::ranges::find(page.operations, operation, &v1::Operation::id);
  if (own == page.operations.end() || own->steps().empty()) return WallTime::min();
  return domain::ToWallTime(own->steps().rbegin()->sent_at()) - kLongBefore;
}

}  // namespace

FoundEffect FoundBy(const ports::DueOperation& operation, const StepKind& kind) {
  const ports::StepTarget& step = operation.steps.back().target;
  return {.project = operation.identity.project,
          .operation = operation.identity.id.ToString(),
          .order = step.order_id,
          .step = step,
          .once = kind.service_guards_repeat};
}

boost::asio::awaitable<Presence> WhoseEffect(ports::OperationRegistry& registry,
                                             const FoundEffect& found,
                                             const ports::Context& context) {
  if (found.step.marked || found.order.empty()) co_return Presence::kPresent;
  const absl::StatusOr<ports::OperationPage> page = co_await registry.List(
      {.project = found.project, .order_id = found.order, .limit = kMostOfAnOrder}, context);
  if (!page.ok()) co_return Presence::kUndecided;
  const WallTime since = found.once ? WallTime::min() : Sent(*page, found.operation);
  bool at_work = false;
  for (const v1::Operation& other : page->operations) {
    if (other.id() == found.operation || !IsAboutTheSame(other, found.step)) continue;
    if (HadAnEffect(other) && Entered(other) >= since) co_return Presence::kAbsent;
    at_work = at_work || IsAtWork(other);
  }
  co_return at_work ? Presence::kUndecided : Presence::kPresent;
}

}  // namespace tollbridge::operations
