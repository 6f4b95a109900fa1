#include "services/operations/plan.h"

#include <algorithm>

#include <absl/status/status.h>

#include "services/domain/sensitivity.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::operations {

const StepKind* PlanRegistration::FindStep(std::string_view name) const {
  const auto found =
      std::ranges::find_if(steps, [name](const StepKind* kind) { return kind->name == name; });
  return found == steps.end() ? nullptr : *found;
}

const StepKind* PlanRegistration::FindEvidence(std::string_view name, bool may_have_gone_on) const {
  const StepKind* kind = FindStep(name);
  if (kind == nullptr || kind->completes || !may_have_gone_on) return kind;
  const auto completing = std::find_if(steps.rbegin(), steps.rend(),
                                       [](const StepKind* step) { return step->completes; });
  return completing == steps.rend() ? kind : *completing;
}

bool DeclaresCardData(const google::protobuf::Descriptor& response) {
  return domain::DeclaresSensitive(response, options::v1::SENSITIVITY_CARD_DATA,
                                   common::v1::Order::descriptor());
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
