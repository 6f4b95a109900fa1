#ifndef TOLLBRIDGE_SERVICES_RECONCILE_SWEEP_PLAN_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_SWEEP_PLAN_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>

#include "services/ports/clock.h"
#include "services/ports/known_orders.h"
#include "services/reconcile/seen_order.h"
#include "services/reconcile/settings.h"
#include "tollbridge/common/v1/search.pb.h"
#include "tollbridge/storage/v1/sweep.pb.h"

namespace tollbridge::reconcile {

// What the search sweep does when, as pure functions.

/// A pass by where it stands in the progress.
enum class SweepPlace {
  kNew,    ///< over what is new since the last one
  kDay,    ///< over the last 24 hours, or what lies behind the cursor and is owed
  kFirst,  ///< the first one
};
bool IsUnderWay(SweepPlace place, const storage::v1::SweepProgress& progress);
/// The pass that is under way there.
storage::v1::SweepPass* PassAt(SweepPlace place, storage::v1::SweepProgress* progress);

/// Begins what is due at `now` and not under way: without a cursor the first pass, which sets the
/// cursor; else the next one over what is new, of a bounded period however far the cursor is
/// behind, and the one over the day. Whether any was begun.
bool BeginDue(WallTime now, const SweepSettings& settings, storage::v1::SweepProgress* progress);
/// Where the page after so many `pages` is from, of what is under way and not `left_out`; nullopt
/// when nothing is. Every other page is for what is new; the first pass and the day's make way
/// for it, but are never held up for ever by it, nor by each other.
std::optional<SweepPlace> PlaceOfPage(std::uint64_t pages,
                                      const storage::v1::SweepProgress& progress,
                                      const std::set<SweepPlace>& left_out = {});
/// How long it is from `now` until a pass is due; not negative. One is due where the last one began
/// ahead of `now`, by a clock that was.
ports::Millis UntilNextPass(const storage::v1::SweepProgress& progress, WallTime now,
                            const SweepSettings& settings);

/// Passes that a process with a clock ahead of `now` began or ended count as of now: what ended
/// within the baseline of the right time is not left alone, and no pass shows as of later.
void BringBackPasses(WallTime now, storage::v1::SweepProgress* progress);

/// When what the pass finds was noticed: what happened since would have been found by a sweep that
/// was never late. The first pass takes what it finds as of its beginning, however long it takes.
WallTime NoticedBy(const storage::v1::SweepPass& pass);

/// The next page of the pass. Sorted by id, since a page boundary on equal `created` values would
/// skip orders.
common::v1::OrderSearch PageOf(const storage::v1::SweepPass& pass);

/// Moves the pass at `place`, which is under way, behind `page`, whose orders are dealt with: to
/// the next page, the next stage or its end, at which it is gone; whether it has come to its end.
/// DATA_LOSS, reason UPSTREAM_UNREADABLE, when the answer does not say where its next page begins;
/// nothing is changed then.
absl::StatusOr<bool> MoveOn(const common::v1::OrderSearchResult& page, WallTime now,
                            SweepPlace place, storage::v1::SweepProgress* progress);

/// The next page of the pass at `place`, which is under way, failed: what stays away holds up
/// nothing else. A pass over what is new that fails for long is given up, and what it asked for is
/// owed. The others go on with the rest, while other pages are answered: a stage is put off, a
/// period is divided until what fails is a short one, which is put off. Of what is divided already
/// something else is asked for in any case, to see whether that is answered. Nothing is given up:
/// what the day's pass asked for in vain the next one asks for again, and a first pass never ends
/// before all of it was answered. Whether there is something else to ask for at that place now.
bool NoteFailure(WallTime now, SweepPlace place, storage::v1::SweepProgress* progress);

enum class SweepVerdict {
  kHint,     ///< it is to be looked at
  kKnown,    ///< the snapshot shows what the search shows, or something newer
  kWaiting,  ///< an earlier pass has hinted at it, and the poller does until somebody reads it
  kSettled,  ///< it ended so long ago that nothing of it would be published
};
SweepVerdict Judge(const SeenOrder& seen, const ports::KnownOrder& known,
                   const storage::v1::SweepPass& pass, WallTime now, const SweepSettings& settings);
/// Whether it is kWaiting. Not one that is due later than the poller ever puts off: whoever did
/// that did not know that the order is there.
bool IsWaitedFor(const ports::KnownOrder& known, WallTime now, const SweepSettings& settings);

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_SWEEP_PLAN_H_
