#include "services/operations/operation_metrics.h"

#include <chrono>
#include <cstddef>

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
    case v1::OPERATION_STATE_AWAITS_APPROVAL:
      return "awaits_approval";
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

void CreateSeries(telemetry::Metrics& metrics, const PlanTable& plans,
                  const domain::Projects& projects) {
  metrics.Get(telemetry::kResultsUnrecorded);
  metrics.Get(telemetry::kResultsRefused);
  for (const std::string_view kind : telemetry::kMoneyKinds) {
    for (const std::string_view measure : telemetry::kMoneyMeasures) {
      metrics.Get(telemetry::kMoneyLimited, {kind, measure});
    }
  }
  for (const auto& [rpc, plan] : plans.all()) {
    for (const std::string_view state : telemetry::kOperationStates) {
      for (const domain::Project& project : projects.all()) {
        metrics.Get(telemetry::kOperations, {rpc, state, project.name});
      }
    }
    metrics.Get(telemetry::kOperationsReplayed, {rpc});
    metrics.Get(telemetry::kLateEffects, {rpc});
  }
}

void CreateSeriesOf(const std::string& project, telemetry::Metrics& metrics) {
  metrics.Get(telemetry::kResolverPasses, {project});
  metrics.Get(telemetry::kStoreClockSteps, {project});
  metrics.Get(telemetry::kDescriptionMarksLost, {project});
}

void CountOperation(telemetry::Metrics& metrics, std::string_view project, std::string_view rpc,
                    ports::OperationState state) {
  metrics.Get(telemetry::kOperations, {rpc, StateName(state), project}).Increment();
}

SettledTimes::SettledTimes(telemetry::Metrics& metrics)
    : answered_(metrics.Get(telemetry::kOperationSettled, {"answered"})),
      recovered_(metrics.Get(telemetry::kOperationSettled, {"recovered"})),
      absence_(metrics.Get(telemetry::kOperationSettled, {"absence"})),
      person_(metrics.Get(telemetry::kOperationSettled, {"person"})) {}

void SettledTimes::Note(const ports::FinishRequest& finish) const {
  const bool known =
      finish.to == v1::OPERATION_STATE_DONE || finish.to == v1::OPERATION_STATE_NOT_EXECUTED;
  if (!known) return;
  const std::chrono::duration<double> took = finish.sent_ago;
  if (finish.by_absence) {
    absence_.Observe(took.count());
  } else if (finish.by_resolver || finish.knowledge == v1::KNOWLEDGE_RECOVERED) {
    recovered_.Observe(took.count());
  } else {
    answered_.Observe(took.count());
  }
}

void SettledTimes::NotePerson(ports::Millis sent_ago) const {
  person_.Observe(std::chrono::duration<double>(sent_ago).count());
}

void ShowSurvey(telemetry::Metrics& metrics, const std::string& project,
                const ports::UnresolvedSurvey& survey) {
  const auto count = [&](std::string_view state, std::size_t operations) {
    metrics.Get(telemetry::kOperationsUnresolved, {project, state})
        .Set(static_cast<double>(operations));
  };
  count("running", survey.running);
  count("unknown", survey.unknown);
  count("awaits_approval", survey.awaits_approval);
  for (const std::string_view reason : telemetry::kReviewReasons) {
    const auto found = survey.needs_review.find(std::string(reason));
    metrics.Get(telemetry::kOperationsNeedReview, {project, reason})
        .Set(found == survey.needs_review.end() ? 0 : static_cast<double>(found->second));
  }
  const auto seconds = [&](const telemetry::GaugeDef& gauge, std::chrono::duration<double> age) {
    metrics.Get(gauge, {project}).Set(age.count());
  };
  const auto age = [&](std::string_view state, std::chrono::duration<double> oldest) {
    metrics.Get(telemetry::kOldestUnresolvedOperation, {project, state}).Set(oldest.count());
  };
  age("unknown", survey.oldest_unknown);
  age("needs_review", survey.oldest_review);
  seconds(telemetry::kOldestUndrainedRecord, survey.oldest_record);
  seconds(telemetry::kStoreDoubt, survey.doubtful_left);
}

void ClearSurvey(telemetry::Metrics& metrics, const std::string& project) {
  for (const std::string_view state : telemetry::kUnresolvedStates) {
    metrics.Get(telemetry::kOperationsUnresolved, {project, state}).Clear();
  }
  for (const std::string_view reason : telemetry::kReviewReasons) {
    metrics.Get(telemetry::kOperationsNeedReview, {project, reason}).Clear();
  }
  for (const std::string_view state : telemetry::kAgingStates) {
    metrics.Get(telemetry::kOldestUnresolvedOperation, {project, state}).Clear();
  }
  metrics.Get(telemetry::kOldestUndrainedRecord, {project}).Clear();
  metrics.Get(telemetry::kStoreDoubt, {project}).Clear();
}

}  // namespace tollbridge::operations
