#include "services/operations/durable.h"

#include <utility>

#include <absl/status/status.h>
#include <google/protobuf/descriptor.h>

#include "base/core/status_macros.h"
#include "services/domain/errors.h"
#include "services/rpc/call.h"

namespace tollbridge::operations {
namespace {

/// The method's name as operations store it: its path without the leading slash.
std::string_view RpcName(const rpc::MethodInfo& method) {
  return std::string_view(method.path).substr(1);
}

absl::Status Misfit(std::string_view rpc, std::string_view what) {
  return absl::FailedPreconditionError(std::string(rpc) + ": " + std::string(what));
}

absl::Status Unreadable() {
  domain::ErrorDetail detail;
  detail.reason = domain::reason::kInternal;
  detail.retry = domain::Retry::kSafeSameKey;
  return domain::MakeError(absl::StatusCode::kInternal, "the outcome cannot be read", detail);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Durable>> Durable::Make(const rpc::MethodTable& methods,
                                                       const PlanTable& plans, Engine& engine) {
  std::size_t used = 0;
  for (const rpc::MethodInfo& method : methods.all()) {
    if (method.effect != options::v1::EFFECT_MUTATION) continue;
    const PlanRegistration* plan = plans.Find(RpcName(method));
    if (plan == nullptr) return Misfit(RpcName(method), "is a mutation without a plan");
    if (plan->request_type != method.descriptor->input_type()) {
      return Misfit(RpcName(method), "has a plan for another request type");
    }
    ++used;
  }
  for (const auto& [rpc, plan] : plans.all()) {
    if (used == plans.all().size()) break;
    bool published = false;
    for (const rpc::MethodInfo& method : methods.all()) {
      published |= method.effect == options::v1::EFFECT_MUTATION && RpcName(method) == rpc;
    }
    if (!published) return Misfit(rpc, "has a plan but is no published mutation");
  }
  return std::unique_ptr<Durable>(new Durable(plans, engine));
}

AsyncStatus Durable::Handle(rpc::Call& call, rpc::Next next) {
  if (call.method().effect != options::v1::EFFECT_MUTATION) {
    co_return co_await next(call);
  }
  const PlanRegistration* registration = plans_.Find(RpcName(call.method()));
  if (registration == nullptr) co_return Misfit(RpcName(call.method()), "has no plan");
  TB_CO_ASSIGN_OR_RETURN(Plan plan, registration->make(call.request()));
  Reply reply = co_await engine_.Run(std::move(plan), call.context());
  if (reply.operation_id.has_value()) call.set_operation_id(reply.operation_id->ToString());
  call.set_order_id(std::move(reply.order_id));
  if (reply.replay) call.AddInitialMetadata(std::string(kReplayMetadata), "true");
  TB_CO_RETURN_IF_ERROR(reply.status);
  if (!call.response().ParseFromString(reply.response)) co_return Unreadable();
  co_return absl::OkStatus();
}

}  // namespace tollbridge::operations
