#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_OPERATION_METRICS_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_OPERATION_METRICS_H_

#include <string>
#include <string_view>

#include "base/telemetry/metrics.h"
#include "services/operations/plan.h"
#include "services/ports/operation_store.h"
#include "services/ports/unresolved_operations.h"

namespace tollbridge::operations {

/// The state as metrics and logs name it: "done", "not_executed", ...
std::string_view StateName(ports::OperationState state);
/// Gives the label for what became of a result: "recorded", "late_effect", ...
std::string_view FinishVerdictName(ports::FinishVerdict verdict);

/// Creates the counters of mutations at 0.
void CreateSeries(telemetry::Metrics& metrics, const PlanTable& plans);

/// Counts an operation that entered a state.
void CountOperation(telemetry::Metrics& metrics, std::string_view rpc, ports::OperationState state);

/// Shows what there is of a project.
void ShowSurvey(telemetry::Metrics& metrics, const std::string& project,
                const ports::UnresolvedSurvey& survey);
/// The store cannot be asked: what it showed last says nothing any more.
void ClearSurvey(telemetry::Metrics& metrics, const std::string& project);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_OPERATION_METRICS_H_
