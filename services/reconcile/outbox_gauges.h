#ifndef TOLLBRIDGE_SERVICES_RECONCILE_OUTBOX_GAUGES_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_OUTBOX_GAUGES_H_

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "base/telemetry/metrics.h"
#include "services/ports/clock.h"
#include "services/ports/snapshot_store.h"

namespace tollbridge::reconcile {

/// Shows what of each project was decided and is not known to be published, whoever is to publish
/// it: readers that are away show nothing. One shard.
class OutboxGauges : public std::enable_shared_from_this<OutboxGauges> {
 public:
  /// All outlive the gauges and what they started: they go after the shard has stopped.
  struct Ports {
    ports::SnapshotStore& snapshots;
    ports::Clock& clock;
    telemetry::Metrics& metrics;
  };

  static std::shared_ptr<OutboxGauges> Create(const Ports& ports) {
    return std::shared_ptr<OutboxGauges>(new OutboxGauges(ports));
  }

  /// Measures a project until Stop; ends at most one interval later.
  boost::asio::awaitable<void> Run(std::string project);
  void Stop() { stopping_ = true; }
  /// Asks the store once. The gauges are left out while it cannot be asked.
  boost::asio::awaitable<void> Measure(const std::string& project);

 private:
  explicit OutboxGauges(const Ports& ports) : ports_(ports) {}

  Ports ports_;
  bool stopping_ = false;
};

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_OUTBOX_GAUGES_H_
