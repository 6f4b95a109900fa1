#include "services/events/refused_events.h"

#include <string>

#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/events/read_result.h"

namespace tollbridge::events {

void RefusedEvents::Note(const ports::FamilyKey& family, const storage::v1::OutboxEntry& entry,
                         const absl::Status& error) {
  if (OutcomeOfInfrastructure(error) == ReadOutcome::kOutage) return;
  const char* const cause = absl::IsInvalidArgument(error) ? "too_large" : "refused";
  metrics_.Get(telemetry::kEventsRefused, {cause}).Increment();
  const BootTime now = clock_.BootNow();
  if (told_at_ && now - *told_at_ < kRefusalLogInterval) {
    ++not_told_;
    return;
  }
  telemetry::Log(telemetry::Severity::kError, "event_refused",
                 {telemetry::OrderId(family.root.ToString()),
                  {"project", family.project},
                  {"event_id", entry.id()},
                  {"sequence", entry.sequence()},
                  {"bytes", entry.payload().size()},
                  {"cause", cause},
                  {"reason", std::string(error.message())},
                  {"others_since", not_told_}});
  told_at_ = now;
  not_told_ = 0;
}

}  // namespace tollbridge::events
