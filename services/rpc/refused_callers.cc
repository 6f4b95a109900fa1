#include "services/rpc/refused_callers.h"

#include <chrono>
#include <utility>

#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/rpc/call.h"

namespace tollbridge::rpc {
namespace {

constexpr int kLinesPerSecond = 5;

}  // namespace

bool RefusedCallers::MayLog() {
  const BootTime now = clock_.BootNow();
  if (now - second_began_ >= std::chrono::seconds(1)) {
    second_began_ = now;
    lines_ = 0;
  }
  if (lines_ < kLinesPerSecond) {
    ++lines_;
    return true;
  }
  ++left_out_;
  return false;
}

void RefusedCallers::Tell(const Call& call, std::string_view reason, std::string_view project) {
  const MethodInfo& method = call.method();
  metrics_.Get(telemetry::kRpcRefusedCallers, {method.service, method.name, reason}).Increment();
  if (!MayLog()) return;
  telemetry::Log(telemetry::Severity::kWarning, "rpc_refused_caller",
                 {{"method", method.full_name},
                  {"reason", reason},
                  {"caller", call.caller().identity},
                  {"peer", call.peer()},
                  {"permission", method.permission},
                  {"project", project},
                  {"lines_left_out", std::exchange(left_out_, 0)},
                  telemetry::Trace(call.context().trace)});
}

}  // namespace tollbridge::rpc
