#include "services/operations/survey_of_all.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/telemetry/metric_definitions.h"

namespace tollbridge::operations {

void SurveyOfAll::Take(const std::string& project, ports::UnresolvedSurvey survey) {
  by_project_[project] = std::move(survey);
  Show();
}

void SurveyOfAll::Forget(const std::string& project) {
  if (by_project_.erase(project) == 0 || by_project_.size() + 1 < projects_) return;
  for (const std::string_view state : telemetry::kUnresolvedStates) {
    metrics_.Get(telemetry::kOperationsUnresolved, {state}).Clear();
  }
  for (const std::string_view reason : telemetry::kReviewReasons) {
    metrics_.Get(telemetry::kOperationsNeedReview, {reason}).Clear();
  }
  metrics_.Get(telemetry::kOldestUnresolvedOperation).Clear();
  metrics_.Get(telemetry::kOldestUndrainedRecord).Clear();
}

void SurveyOfAll::Show() {
  if (by_project_.size() < projects_) return;
  ports::UnresolvedSurvey all;
  for (const auto& [project, survey] : by_project_) {
    all.running += survey.running;
    all.unknown += survey.unknown;
    for (const auto& [reason, count] : survey.needs_review) all.needs_review[reason] += count;
    all.oldest = std::max(all.oldest, survey.oldest);
    all.oldest_record = std::max(all.oldest_record, survey.oldest_record);
  }
  metrics_.Get(telemetry::kOperationsUnresolved, {"running"}).Set(static_cast<double>(all.running));
  metrics_.Get(telemetry::kOperationsUnresolved, {"unknown"}).Set(static_cast<double>(all.unknown));
  for (const std::string_view reason : telemetry::kReviewReasons) {
    const double count = static_cast<double>(all.needs_review[std::string(reason)]);
    metrics_.Get(telemetry::kOperationsNeedReview, {reason}).Set(count);
  }
  const std::chrono::duration<double> oldest = all.oldest;
  metrics_.Get(telemetry::kOldestUnresolvedOperation).Set(oldest.count());
  const std::chrono::duration<double> oldest_record = all.oldest_record;
  metrics_.Get(telemetry::kOldestUndrainedRecord).Set(oldest_record.count());
}

}  // namespace tollbridge::operations
