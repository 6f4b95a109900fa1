#ifndef TOLLBRIDGE_SERVICES_EVENTS_ORPHANS_H_
#define TOLLBRIDGE_SERVICES_EVENTS_ORPHANS_H_

#include <absl/status/statusor.h>

#include "base/core/async.h"
#include "base/telemetry/metrics.h"
#include "base/telemetry/span.h"
#include "services/ports/clock.h"
#include "services/ports/family.h"
#include "services/ports/operation_registry.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::events {

/// Keeps orders out that carry the mark of an operation and are not its outcome
/// (docs/design/operations.md#evidence). One shard.
class OrphanFilter {
 public:
  struct Ports {
    ports::OperationRegistry& registry;
    ports::Clock& clock;
    telemetry::Metrics& metrics;
  };

  explicit OrphanFilter(const Ports& ports) : ports_(ports) {}

  /// Whether the order, of which nothing is known yet, is an orphan that nobody has paid: nothing
  /// is published of it. An orphan that is paid is no less an order. Errors of the registry.
  Async<bool> IsUnpaidOrphan(ports::FamilyKey key, const common::v1::Order& order,
                             telemetry::TraceContext trace);

 private:
  Ports ports_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_ORPHANS_H_
