#include "services/rpc/trace.h"

#include <string>
#include <string_view>

#include "base/telemetry/span.h"
#include "services/domain/errors.h"
#include "services/rpc/call.h"
#include "services/rpc/code_name.h"

namespace tollbridge::rpc {
namespace {

// Codes that mean that the server failed; the others are the caller's and leave its span without an
// error, as the semantic conventions of OpenTelemetry have it.
bool IsServerFailure(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDataLoss:
      return true;
    default:
      return false;
  }
}

}  // namespace

AsyncStatus Trace::Handle(Call& call, Next next) {
  const MethodInfo& method = call.method();
  telemetry::Span span = telemetry::StartSpan(method.path.substr(1), call.context().trace,
                                              telemetry::SpanKind::kServer);
  span.SetAttribute("rpc.system.name", "grpc");
  span.SetAttribute("rpc.method", std::string_view(method.path).substr(1));
  call.set_trace(span.context());

  absl::Status status = co_await next(call);

  span.SetAttribute("rpc.response.status_code", CodeName(status.code()));
  if (!call.project_name().empty()) span.SetAttribute("tollbridge.project", call.project_name());
  if (!call.outcome().empty()) span.SetAttribute("tollbridge.outcome", call.outcome());
  if (call.outcome() == "pending") span.Keep();
  if (!call.operation_id().empty()) {
    span.SetAttribute("tollbridge.operation_id", call.operation_id());
  }
  if (!call.order_id().empty()) span.SetAttribute("tollbridge.order_id", call.order_id());
  if (IsServerFailure(status.code())) {
    const std::string reason = domain::ReasonOf(status);
    span.SetErrorType(reason.empty() ? CodeName(status.code()) : std::string_view(reason));
  }
  co_return status;
}

}  // namespace tollbridge::rpc
