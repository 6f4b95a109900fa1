#include "services/operations/operation_metrics.h"

#include "base/telemetry/metric_definitions.h"

namespace tollbridge::operations {

std::string_view StateName(ports::OperationState state) {
  switch (state) {
    case v1::OPERATION_STATE_RUNNING:
      return "running";
    case v1::OPERATION_STATE_DONE:
      return "done";
    case v1::OPERATION_STATE_UNKNOWN:
      return "unknown";
    case v1::OPERATION_STATE_NOT_EXECUTED:
      return "not_executed";
    case v1::OPERATION_STATE_NEEDS_REVIEW:
      return "needs_review";
    default:
      return "unknown";
  }
}

std::string_view FinishVerdictName(ports::FinishVerdict verdict) {
  switch (verdict) {
    case ports::FinishVerdict::kRecorded:
      return "recorded";
    case ports::FinishVerdict::kAlreadyClosed:
      return "already_closed";
    case ports::FinishVerdict::kLateEffect:
      return "late_effect";
    case ports::FinishVerdict::kNotOurs:
      return "not_ours";
  }
  return "not_ours";
}

void CreateSeries(telemetry::Metrics& metrics, const PlanTable& plans) {
  for (const auto& [rpc, plan] : plans.all()) {
    for (const std::string_view state : telemetry::kOperationStates) {
      metrics.Get(telemetry::kOperations, {rpc, state});
    }
    metrics.Get(telemetry::kOperationsReplayed, {rpc});
    metrics.Get(telemetry::kLateEffects, {rpc});
  }
}

void CountOperation(telemetry::Metrics& metrics, std::string_view rpc,
                    ports::OperationState state) {
  metrics.Get(telemetry::kOperations, {rpc, StateName(state)}).Increment();
}

}  // namespace tollbridge::operations
