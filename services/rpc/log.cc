#include "services/rpc/log.h"

#include <chrono>
#include <string>
#include <string_view>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "base/core/uuid.h"
#include "base/telemetry/log.h"
#include "services/domain/errors.h"
#include "services/rpc/blame.h"
#include "services/rpc/call.h"
#include "services/rpc/code_name.h"
#include "services/rpc/status.h"

namespace tollbridge::rpc {
namespace {

// The order that a request names, when it is a UUID: anything else could be any text.
std::string OrderIdOf(const google::protobuf::Message& request) {
  const google::protobuf::FieldDescriptor* field =
      request.GetDescriptor()->FindFieldByName("order_id");
  if (field == nullptr || field->is_repeated() ||
      field->type() != google::protobuf::FieldDescriptor::TYPE_STRING) {
    return {};
  }
  const auto id = Uuid::Parse(request.GetReflection()->GetString(request, field));
  return id.has_value() ? id->ToString() : std::string();
}

bool IsInternal(absl::StatusCode code) {
  return code == absl::StatusCode::kInternal || code == absl::StatusCode::kUnknown ||
         code == absl::StatusCode::kDataLoss;
}

}  // namespace

AsyncStatus Log::Handle(Call& call, Next next) {
  const BootTime start = clock_.BootNow();

  absl::Status status = co_await next(call);

  const BootTime end = clock_.BootNow();
  const std::chrono::duration<double, std::milli> duration = end - start;
  const std::string order_id =
      call.order_id().empty() ? OrderIdOf(call.request()) : call.order_id();
  const std::string reason = domain::ReasonOf(status);
  const std::string_view blame = status.ok() ? std::string_view()
                                             : BlameFor(status, {.begun = start,
                                                                 .ended = end,
                                                                 .deadline = call.deadline(),
                                                                 .cancelled = call.cancelled()})
                                                   .who;
  const bool internal = IsInternal(status.code());
  const absl::string_view message =
      internal || IsForTheLog(status) ? status.message() : absl::string_view();
  telemetry::Log(internal ? telemetry::Severity::kError : telemetry::Severity::kInfo, "rpc",
                 {{"method", call.method().full_name},
                  {"code", CodeName(status.code())},
                  telemetry::IfKnown("reason", reason),
                  telemetry::IfKnown("blame", blame),
                  telemetry::IfKnown("outcome", call.outcome()),
                  telemetry::IfKnown("message", {message.data(), message.size()}),
                  {"duration_ms", duration.count()},
                  {"cancelled", call.cancelled()},
                  telemetry::IfKnown("project", call.project_name()),
                  {"caller", call.caller().identity},
                  telemetry::IfKnown("peer", call.peer()),
                  telemetry::OperationId(call.operation_id()),
                  telemetry::OrderId(order_id),
                  telemetry::Trace(call.context().trace)});
  co_return status;
}

}  // namespace tollbridge::rpc
