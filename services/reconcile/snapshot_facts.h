#ifndef TOLLBRIDGE_SERVICES_RECONCILE_SNAPSHOT_FACTS_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_SNAPSHOT_FACTS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "base/core/wall_time.h"
#include "services/ports/snapshot_store.h"

/// What an audit of events takes from a snapshot and an outbox.
namespace tollbridge::reconcile {

/// When the life of the family's snapshot began: nothing was told of it before.
WallTime LifeOf(const ports::FamilyState& family);

/// Whether all that was ever told of the family stands in its present stream.
bool AllIsInPresentStream(const storage::v1::Snapshot& snapshot);

/// nullopt where the service sent none.
std::optional<WallTime> ModifiedOf(const storage::v1::OrderState& state);

std::set<std::string> IdsOf(const std::optional<storage::v1::Outbox>& outbox);

/// When the outbox was decided; nullopt for one that cannot be read.
std::optional<WallTime> DecidedAt(const storage::v1::Outbox& outbox);

/// Last number of the snapshot's stream that is not in its outbox.
std::uint32_t LastPublished(const ports::FamilyState& family);

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_SNAPSHOT_FACTS_H_
