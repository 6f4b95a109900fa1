#ifndef TOLLBRIDGE_SERVICES_RECONCILE_SWEEP_PLAN_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_SWEEP_PLAN_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>

#include "services/ports/clock.h"
#include "services/ports/known_orders.h"
#include "services/reconcile/seen_order.h"
#include "tollbridge/common/v1/search.pb.h"
#include "tollbridge/storage/v1/sweep.pb.h"

namespace tollbridge::reconcile {

// What the search sweep does when, as pure functions.

struct SweepSettings {
  /// From the beginning of one pass over a project to that of the next. The next one asks again for
  /// as long a time before the cursor.
  ports::Millis interval = std::chrono::minutes(10);
  /// Between passes that have the last 24 hours in them.
  ports::Millis day_interval = std::chrono::hours(1);
  /// How far the search index may be behind: no period ends later than this ago.
  ports::Millis index_lag = std::chrono::minutes(1);
  /// How far back the first pass goes, beside orders that are not final.
  ports::Millis first_period = std::chrono::hours(24 * 90);
  /// In the first pass, orders that came to an end longer ago are left alone: what happened to them
  /// would not be published (events.baseline_window).
  ports::Millis baseline_window = std::chrono::hours(72);
  /// Of all projects together.
  std::int64_t pages_per_second = 5;
  std::int64_t hints_per_second = 50;
  /// How long a project is kept from other processes, by one that does not move.
  ports::Millis lease = std::chrono::seconds(30);
};

/// Begins the pass that is due at `now`, if one is: without a cursor the first pass, which sets the
/// cursor; else the next one, unless one is under way. Whether one was begun.
bool BeginDue(ports::WallTime now, const SweepSettings& settings,
              storage::v1::SweepProgress* progress);
/// The pass to go on with; nullptr when none is under way. The first pass makes way for the others.
storage::v1::SweepPass* Current(storage::v1::SweepProgress* progress);
/// How long it is from `now` until a pass is due; not negative.
ports::Millis UntilNextPass(const storage::v1::SweepProgress& progress, ports::WallTime now,
                            const SweepSettings& settings);

/// The next page of the pass. Sorted by id, since a page boundary on equal `created` values would
/// skip orders.
common::v1::OrderSearch PageOf(const storage::v1::SweepPass& pass);

/// Moves the current pass behind `page`, whose orders are dealt with: to the next page, the next
/// stage or its end, at which it is gone; whether it has come to its end. DATA_LOSS, reason
/// UPSTREAM_UNREADABLE, when the answer does not say where its next page begins; nothing is changed
/// then.
absl::StatusOr<bool> MoveOn(const common::v1::OrderSearchResult& page, ports::WallTime now,
                            storage::v1::SweepProgress* progress);

enum class SweepVerdict {
  kHint,     ///< it is to be looked at
  kKnown,    ///< the snapshot shows what the search shows, or something newer
  kSettled,  ///< it ended so long ago that nothing of it would be published
};
SweepVerdict Judge(const SeenOrder& seen, const ports::KnownOrder& known,
                   const storage::v1::SweepPass& pass, const SweepSettings& settings);

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_SWEEP_PLAN_H_
