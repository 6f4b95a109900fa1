#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_SURVEY_OF_ALL_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_SURVEY_OF_ALL_H_

#include <cstddef>
#include <map>
#include <string>

#include "base/telemetry/metrics.h"
#include "services/ports/unresolved_operations.h"

namespace tollbridge::operations {

/// Shows in metrics what there is in all projects together: sums, and the oldest. Per shard.
class SurveyOfAll {
 public:
  SurveyOfAll(telemetry::Metrics& metrics, std::size_t projects)
      : metrics_(metrics), projects_(projects) {}

  void Take(const std::string& project, ports::UnresolvedSurvey survey);
  /// The store cannot be asked: what it showed last says nothing any more, and without this project
  /// nothing is shown.
  void Forget(const std::string& project);

 private:
  void Show();

  telemetry::Metrics& metrics_;
  std::size_t projects_;
  std::map<std::string, ports::UnresolvedSurvey> by_project_;
};

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_SURVEY_OF_ALL_H_
