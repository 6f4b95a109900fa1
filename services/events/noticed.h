#ifndef TOLLBRIDGE_SERVICES_EVENTS_NOTICED_H_
#define TOLLBRIDGE_SERVICES_EVENTS_NOTICED_H_

#include <optional>

#include "services/ports/clock.h"
#include "services/ports/due_queue.h"
#include "services/ports/snapshot_store.h"

namespace tollbridge::events {

/// When the family was first noticed, or made by us; max(): not known. `by_hints`: by those that
/// ask for it now; WallTime(): they do not say.
WallTime FirstNoticed(WallTime by_hints, const ports::FamilyState& state);

/// What is to be kept of an order while it cannot be read; nullopt: nothing, or no more than is.
/// `trusted`: somebody whom we trust has seen it now.
std::optional<ports::Noticed> NoticeToKeep(WallTime by_hints, bool trusted,
                                           const ports::FamilyState& state);

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_NOTICED_H_
