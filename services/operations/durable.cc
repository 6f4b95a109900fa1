#include "services/operations/durable.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "base/core/status_macros.h"
#include "services/domain/errors.h"
#include "services/rpc/call.h"

namespace tollbridge::operations {
namespace {

absl::Status Unreadable() {
  domain::ErrorDetail detail;
  detail.reason = domain::reason::kInternal;
  detail.retry = domain::Retry::kSafeSameKey;
  return domain::MakeError(absl::StatusCode::kInternal, "the outcome cannot be read", detail);
}

/// For the log and the trace: one of those of Call::set_outcome.
std::string_view OutcomeOf(const Reply& reply) {
  if (reply.pending) return "pending";
  return reply.replay ? "replayed" : "done";
}

bool IsReadable(const std::string& bytes, const google::protobuf::Descriptor* type) {
  const std::unique_ptr<google::protobuf::Message> message(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
  return message->ParseFromString(bytes);
}

}  // namespace

AsyncStatus Durable::Handle(rpc::Call& call, rpc::Next next) {
  if (call.method().effect != options::v1::EFFECT_MUTATION) {
    co_return co_await next(call);
  }
  const PlanRegistration* registration =
      plans_.Find(std::string_view(call.method().path).substr(1));
  if (registration == nullptr || call.project() == nullptr) {
    co_return absl::InternalError(call.method().full_name + ": no plan, or no project");
  }
  TB_CO_ASSIGN_OR_RETURN(Plan plan, registration->make(*call.project(), call.request()));
  plan.caller = call.caller().identity;
  plan.caller_names = call.caller().names;
  Reply reply = co_await engine_.Run(std::move(plan), call.context());
  if (reply.operation_id.has_value()) call.set_operation_id(reply.operation_id->ToString());
  call.set_order_id(std::move(reply.order_id));
  if (reply.replay) call.AddInitialMetadata(std::string(kReplayMetadata), "true");
  TB_CO_RETURN_IF_ERROR(reply.status);
  // What was stored may be another build's.
  if (reply.replay && !IsReadable(reply.response, call.method().descriptor->output_type())) {
    co_return Unreadable();
  }
  call.set_outcome(OutcomeOf(reply));
  call.AnswerBytes(std::move(reply.response));
  co_return absl::OkStatus();
}

}  // namespace tollbridge::operations
