#include "services/rpc/series.h"

#include <string_view>

#include "base/telemetry/metric_definitions.h"
#include "services/rpc/blame.h"

namespace tollbridge::rpc {

void CreateSeries(telemetry::Metrics& metrics, const MethodTable& methods) {
  for (const std::string_view cause : telemetry::kUnrecordedCauses) {
    metrics.Get(telemetry::kRpcRefusalsUnrecorded, {cause});
  }
  for (const std::string_view limit : telemetry::kCallerLimitNames) {
    metrics.Get(telemetry::kRpcCallerLimited, {limit});
  }
  for (const Blame& blame : AllBlames()) {
    metrics.Get(telemetry::kRpcFailures, {blame.reason, blame.who});
  }
  for (const MethodInfo& method : methods.all()) {
    metrics.Get(telemetry::kRpcStarted, {method.service, method.name});
    metrics.Get(telemetry::kRpcUnparsable, {method.service, method.name});
    metrics.Get(telemetry::kRpcHandled, {method.service, method.name, "OK"});
    for (const std::string_view code : telemetry::kServerFaults) {
      metrics.Get(telemetry::kRpcHandled, {method.service, method.name, code});
    }
    for (const std::string_view reason : telemetry::kCallerRefusals) {
      metrics.Get(telemetry::kRpcRefusedCallers, {method.service, method.name, reason});
    }
  }
}

}  // namespace tollbridge::rpc
