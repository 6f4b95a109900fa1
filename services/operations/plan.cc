#include "services/operations/plan.h"

#include <algorithm>

#include <absl/status/status.h>

namespace tollbridge::operations {

const StepKind* PlanRegistration::FindStep(std::string_view name) const {
  const auto found =
      std::ranges::find_if(steps, [name](const StepKind* kind) { return kind->name == name; });
  return found == steps.end() ? nullptr : *found;
}

absl::StatusOr<PlanTable> PlanTable::Of(std::vector<PlanRegistration> registrations) {
  PlanTable table;
  for (PlanRegistration& registration : registrations) {
    std::string rpc = registration.rpc;
    if (registration.steps.empty()) return absl::FailedPreconditionError(rpc + " has no steps");
    if (!table.by_rpc_.emplace(rpc, std::move(registration)).second) {
      return absl::FailedPreconditionError(rpc + ": has two plans");
    }
  }
  return table;
}

const PlanRegistration* PlanTable::Find(std::string_view rpc) const {
  const auto found = by_rpc_.find(rpc);
  return found == by_rpc_.end() ? nullptr : &found->second;
}

}  // namespace tollbridge::operations
