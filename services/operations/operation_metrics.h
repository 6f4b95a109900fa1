#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_OPERATION_METRICS_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_OPERATION_METRICS_H_

#include <string>
#include <string_view>

#include "base/telemetry/metrics.h"
#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/ports/operation_store.h"
#include "services/ports/unresolved_operations.h"

namespace tollbridge::operations {

/// The state as metrics and logs name it: "done", "not_executed", ...
std::string_view StateName(ports::OperationState state);
/// Gives the label for what became of a result: "recorded", "late_effect", ...
std::string_view FinishVerdictName(ports::FinishVerdict verdict);

/// Creates the counters of mutations at 0, for each project where they are counted by project.
void CreateSeries(telemetry::Metrics& metrics, const PlanTable& plans,
                  const domain::Projects& projects);

/// Creates the counters of the resolver of a project at 0.
void CreateSeriesOf(const std::string& project, telemetry::Metrics& metrics);

/// Counts an operation that entered a state.
void CountOperation(telemetry::Metrics& metrics, std::string_view project, std::string_view rpc,
                    ports::OperationState state);

/// How long it took until outcomes were known, by what showed them.
class SettledTimes {
 public:
  explicit SettledTimes(telemetry::Metrics& metrics);
  /// What a call or the resolver has recorded. Nothing for a state that is no outcome.
  void Note(const ports::FinishRequest& finish) const;
  /// A person has closed what was sent so long ago.
  void NotePerson(ports::Millis sent_ago) const;

 private:
  telemetry::Histogram answered_;
  telemetry::Histogram recovered_;
  telemetry::Histogram absence_;
  telemetry::Histogram person_;
};

/// Shows what there is of a project.
void ShowSurvey(telemetry::Metrics& metrics, const std::string& project,
                const ports::UnresolvedSurvey& survey);
/// The store cannot be asked: what it showed last says nothing any more.
void ClearSurvey(telemetry::Metrics& metrics, const std::string& project);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_OPERATION_METRICS_H_
