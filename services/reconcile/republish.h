#ifndef TOLLBRIDGE_SERVICES_RECONCILE_REPUBLISH_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_REPUBLISH_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/core/async.h"
#include "base/core/uuid.h"
#include "services/domain/project.h"
#include "services/ports/clock.h"
#include "services/ports/family_walk.h"
#include "services/ports/snapshot_store.h"

namespace tollbridge::reconcile {

struct RepublishSummary {
  std::uint64_t families = 0;      ///< chosen
  std::uint64_t asked = 0;         ///< the reader is asked for them
  std::uint64_t asked_before = 0;  ///< it was already
};

/// Asks the reader to tell again what was told (docs/adr/0050-told-again-by-the-reader.md).
/// Publishes nothing itself. One shard.
class Republish {
 public:
  struct Ports {
    ports::FamilyWalk& families;
    ports::SnapshotStore& snapshots;
    ports::Clock& clock;
  };
  using OnProgress = std::function<void(std::string_view what, std::uint64_t count)>;

  /// `dry_run`: chooses, and asks for nothing. `retention`: of a request that nobody reads.
  Republish(const Ports& ports, bool dry_run, ports::Millis retention, OnProgress on_progress)
      : ports_(ports),
        dry_run_(dry_run),
        retention_(retention),
        on_progress_(std::move(on_progress)) {}

  /// All that was told of the order's family. NOT_FOUND when no snapshot shows the order.
  Async<RepublishSummary> TellOrder(const domain::Project& project, const Uuid& order);
  /// What happened from `from` to `to`, of all families of the project that may have any of it.
  Async<RepublishSummary> TellPeriod(const domain::Project& project, WallTime from, WallTime to,
                                     ports::Millis baseline_window);

 private:
  AsyncStatus Ask(const ports::FamilyKey& key, WallTime from, WallTime to,
                  RepublishSummary* summary);
  ports::Context Within() const;

  Ports ports_;
  const bool dry_run_;
  const ports::Millis retention_;
  const OnProgress on_progress_;
};

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_REPUBLISH_H_
