#ifndef TOLLBRIDGE_SERVICES_EVENTS_REFUSED_EVENTS_H_
#define TOLLBRIDGE_SERVICES_EVENTS_REFUSED_EVENTS_H_

#include <absl/status/status.h>

#include "base/telemetry/metrics.h"
#include "base/telemetry/sampler.h"
#include "services/ports/clock.h"
#include "services/ports/family.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::events {

/// Raises the alarm about events that the log will not take as it is now: their outboxes stay, and
/// their families wait, until the topic is mended (ADR 47). Counts each try, and names a family in
/// the log once in ten seconds. One shard.
class RefusedEvents {
 public:
  RefusedEvents(ports::Clock& clock, telemetry::Metrics& metrics)
      : clock_(clock), metrics_(metrics) {}

  /// `error`: of publishing `entry`. What can pass by itself is no alarm.
  void Note(const ports::FamilyKey& family, const storage::v1::OutboxEntry& entry,
            const absl::Status& error);

 private:
  ports::Clock& clock_;
  telemetry::Metrics& metrics_;
  telemetry::Sampler sampler_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_REFUSED_EVENTS_H_
