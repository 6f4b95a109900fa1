#include "services/operations/plan.h"

#include <algorithm>

#include <absl/status/status.h>

#include "services/domain/sensitivity.h"
#include "services/rpc/method.h"
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

const Step* StepThatEvidenceShows(const Plan& plan) {
  const auto shown = std::find_if(plan.steps.rbegin(), plan.steps.rend(), [](const Step& step) {
    return step.kind->completes && step.kind->look &&
           (step.kind->on_absence != OnAbsence::kNeedsReview || step.target.marked);
  });
  return shown == plan.steps.rend() ? nullptr : &*shown;
}

bool DeclaresCardData(const google::protobuf::Descriptor& response) {
  return domain::DeclaresSensitive(response, options::v1::SENSITIVITY_CARD_DATA,
                                   common::v1::Order::descriptor());
}

std::string RpcOf(const google::protobuf::Descriptor& request) {
  const google::protobuf::MethodDescriptor* method = rpc::MethodOf(request);
  if (method == nullptr) return request.full_name();
  return method->service()->full_name() + "/" + method->name();
}

PlanRegistration UnmadePlan(const google::protobuf::Descriptor& request, MutationSpec spec) {
  PlanRegistration registration;
  registration.rpc = RpcOf(request);
  registration.steps = std::move(spec.steps);
  registration.result = std::move(spec.result);
  const google::protobuf::MethodDescriptor* method = rpc::MethodOf(request);
  if (method == nullptr) return registration;
  const google::protobuf::Descriptor& type = *method->output_type();
  registration.result_holds_card_data = DeclaresCardData(type);
  const google::protobuf::Message& empty =
      *google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type);
  registration.pending =
      [&empty, field = type.FindFieldByName("pending")](const v1::PendingOperation& pending) {
        std::shared_ptr<google::protobuf::Message> response(empty.New());
        response->GetReflection()->MutableMessage(response.get(), field)->CopyFrom(pending);
        return response;
      };
  return registration;
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
