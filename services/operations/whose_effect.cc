#include "services/operations/whose_effect.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/statusor.h>
#include <google/protobuf/message.h>

#include "base/core/uuid.h"
#include "services/domain/timestamps.h"
#include "services/operations/verdict.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::operations {
namespace {

/// As many as the store lists of an order.
constexpr std::size_t kMostOfAnOrder = 64;

/// What ended so long before a step was sent did nothing that a look finds made since: twice what
/// clocks may differ by.
constexpr std::chrono::minutes kLongBefore{2};

/// Whether an operation is about the effect that a step of these words has.
bool IsAboutTheSame(const v1::Operation& operation, const FoundEffect& found) {
  if (operation.steps().empty()) return false;
  const ports::StepTarget its = ports::TargetOf(*operation.steps().rbegin());
  if (its.transaction_id != found.step.transaction_id) return false;
  const std::vector<std::string>& same = found.kind.same_effect;
  if (std::ranges::find(same, its.name) != same.end()) return true;
  return its.name == found.step.name && its.amount == found.step.amount;
}

/// The order that was found, where the effect is one of its own; else empty.
std::string MadeOrder(const FoundEffect& found) {
  const auto* order =
      google::protobuf::DynamicCastToGenerated<common::v1::Order>(found.finding.result.get());
  if (order == nullptr) return {};
  const std::optional<Uuid> id = Uuid::Parse(order->id());
  if (!id.has_value() || id->ToString() == found.order) return {};
  return id->ToString();
}

/// One that was refused is DONE as well. Of what is in review only some have an outcome, and that
/// is an effect.
bool HadAnEffect(const v1::Operation& operation) {
  if (operation.state() == v1::OPERATION_STATE_NEEDS_REVIEW) {
    return operation.knowledge() != v1::KNOWLEDGE_UNSPECIFIED;
  }
  if (operation.state() != v1::OPERATION_STATE_DONE) return false;
  const auto& transitions = operation.transitions();
  return transitions.empty() || operation.knowledge() != v1::KNOWLEDGE_ANSWERED ||
         !IsOfRefusal(transitions.rbegin()->evidence());
}

bool IsUndecided(const v1::Operation& operation) {
  return operation.state() == v1::OPERATION_STATE_RUNNING ||
         operation.state() == v1::OPERATION_STATE_UNKNOWN ||
         operation.state() == v1::OPERATION_STATE_NEEDS_REVIEW;
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

FoundEffect FoundBy(const ports::DueOperation& operation, const StepKind& kind,
                    const Finding& finding) {
  const ports::StepTarget& step = operation.steps.back().target;
  return {.project = operation.identity.project,
          .operation = operation.identity.id.ToString(),
          .order = step.order_id,
          .step = step,
          .kind = kind,
          .finding = finding};
}

boost::asio::awaitable<Presence> WhoseEffect(ports::OperationRegistry& registry,
                                             const FoundEffect& found,
                                             const ports::Context& context) {
  if (found.step.marked || found.order.empty()) co_return Presence::kPresent;
  const absl::StatusOr<ports::OperationPage> page = co_await registry.List(
      {.project = found.project, .order_id = found.order, .limit = kMostOfAnOrder}, context);
  if (!page.ok()) co_return Presence::kUndecided;
  const std::string made = MadeOrder(found);
  const bool once = found.kind.service_guards_repeat;
  const WallTime since = once ? WallTime::min() : Sent(*page, found.operation);
  bool undecided = false;
  for (const v1::Operation& other : page->operations) {
    if (other.id() == found.operation) continue;
    const bool had_effect = HadAnEffect(other);
    // Also of a step of another name: a part that no mark tells from the whole.
    if (had_effect && !made.empty() && other.order_id() == made) co_return Presence::kAbsent;
    if (!IsAboutTheSame(other, found)) continue;
    if (had_effect && Entered(other) >= since) co_return Presence::kAbsent;
    undecided = undecided || (!had_effect && IsUndecided(other));
  }
  co_return undecided ? Presence::kUndecided : Presence::kPresent;
}

}  // namespace tollbridge::operations
