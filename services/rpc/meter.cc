#include "services/rpc/meter.h"

#include <chrono>
#include <memory>
#include <string>

#include "base/telemetry/metric_definitions.h"
#include "base/telemetry/under_way.h"
#include "services/rpc/blame.h"
#include "services/rpc/call.h"
#include "services/rpc/code_name.h"

namespace tollbridge::rpc {

Meter::Meter(telemetry::Metrics& metrics, const ports::Clock& clock, std::size_t shard)
    : metrics_(metrics),
      clock_(clock),
      in_flight_(metrics.Get(telemetry::kRpcInFlight, {std::to_string(shard)})) {
  in_flight_.Set(0);
}

AsyncStatus Meter::Handle(Call& call, Next next) {
  const MethodInfo& method = call.method();
  metrics_.Get(telemetry::kRpcStarted, {method.service, method.name}).Increment();
  const telemetry::UnderWay under_way(in_flight_);
  const BootTime start = clock_.BootNow();
  // A stream lasts as long as its caller likes.
  const auto waited = method.server_streaming ? nullptr : std::make_shared<ports::Waited>();
  call.set_waited(waited);

  absl::Status status = co_await next(call);

  const BootTime end = clock_.BootNow();
  const std::chrono::duration<double> seconds = end - start;
  metrics_.Get(telemetry::kRpcHandled, {method.service, method.name, CodeName(status.code())})
      .Increment();
  metrics_.Get(telemetry::kRpcSeconds, {method.service, method.name}).Observe(seconds.count());
  if (waited != nullptr) {
    const std::chrono::duration<double> own = end - start - waited->Until(end);
    metrics_.Get(telemetry::kRpcOwnSeconds, {method.service, method.name}).Observe(own.count());
  }
  if (!status.ok()) {
    const Blame blame = BlameFor(
        status,
        {.begun = start, .ended = end, .deadline = call.deadline(), .cancelled = call.cancelled()});
    metrics_.Get(telemetry::kRpcFailures, {blame.reason, blame.who}).Increment();
  }
  co_return status;
}

}  // namespace tollbridge::rpc
