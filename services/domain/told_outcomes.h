#ifndef TOLLBRIDGE_SERVICES_DOMAIN_TOLD_OUTCOMES_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_TOLD_OUTCOMES_H_

#include <vector>

#include "base/core/uuid.h"
#include "base/core/wall_time.h"
#include "services/domain/project.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/events/v1/events.pb.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::domain {

/// That what was told of a family is to be told again, in a new stream and with the ids that it had
/// (docs/adr/0050-told-again-by-the-reader.md): each ending and the last needs_review of each
/// order, and the root's created.
struct TellAgain {
  /// Outcomes of these times, both included.
  WallTime from{};
  WallTime to = WallTime::max();
  /// The stream has begun, with what the root told; members that one round could not read, and
  /// that may be readable later, are still to come.
  bool begun = false;

  bool operator==(const TellAgain&) const = default;
};

/// An outcome that was told of an order: the last of its sort.
struct ToldOutcome {
  Uuid order;
  events::v1::EventWhat what;
  /// Of its event.
  Uuid id;
  /// What is known of the order; points into the snapshot.
  const storage::v1::OrderState* state;
};

/// The endings and the last needs_review that a snapshot says were told, of the root and all
/// members: those that DiffFamily tells again when it is asked to. Not `created`, whose kind, and
/// id with it, was that of its time.
std::vector<ToldOutcome> ToldOutcomes(const Project& project, const Uuid& root,
                                      const storage::v1::Snapshot& snapshot);

/// What a needs_review that was told is about, by what the order shows now: when that happened is
/// when it is said to have occurred.
events::v1::EventWhat ReviewIsAbout(const common::v1::Order& order,
                                    const storage::v1::OrderState& state);

/// Whether an outcome of the order was told, and not only recorded silently.
bool ToldAnOutcome(const storage::v1::OrderState& state);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_TOLD_OUTCOMES_H_
