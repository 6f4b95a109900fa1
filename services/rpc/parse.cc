#include "services/rpc/parse.h"

#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "services/rpc/call.h"

namespace tollbridge::rpc {

AsyncStatus Parse::Handle(Call& call, Next next) {
  absl::Status parsed = call.Parse();
  if (!parsed.ok()) {
    metrics_.Get(telemetry::kRpcUnparsable, {call.method().service, call.method().name})
        .Increment();
    co_return parsed;
  }
  co_return co_await next(call);
}

}  // namespace tollbridge::rpc
