#include "services/events/refused_events.h"

#include <cstdint>
#include <optional>
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
  const std::optional<std::uint64_t> count = sampler_.Count(clock_.BootNow());
  if (!count) return;
  telemetry::Log(telemetry::Severity::kError, "event_refused",
                 {telemetry::OrderId(family.root.ToString()),
                  {"project", family.project},
                  {"event_id", entry.id()},
                  {"sequence", entry.sequence()},
                  {"bytes", entry.payload().size()},
                  {"cause", cause},
                  {"reason", std::string(error.message())},
                  {"others_since", *count - 1}});
}

}  // namespace tollbridge::events
