#include "services/rpc/meter.h"

#include <chrono>

#include "base/telemetry/metric_definitions.h"
#include "services/rpc/call.h"
#include "services/rpc/code_name.h"

namespace tollbridge::rpc {

AsyncStatus Meter::Handle(Call& call, Next next) {
  const MethodInfo& method = call.method();
  metrics_.Get(telemetry::kRpcStarted, {method.service, method.name}).Increment();
  const BootTime start = clock_.BootNow();

  absl::Status status = co_await next(call);

  const std::chrono::duration<double> seconds = clock_.BootNow() - start;
  metrics_.Get(telemetry::kRpcHandled, {method.service, method.name, CodeName(status.code())})
      .Increment();
  metrics_.Get(telemetry::kRpcSeconds, {method.service, method.name}).Observe(seconds.count());
  co_return status;
}

}  // namespace tollbridge::rpc
