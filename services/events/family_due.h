#ifndef TOLLBRIDGE_SERVICES_EVENTS_FAMILY_DUE_H_
#define TOLLBRIDGE_SERVICES_EVENTS_FAMILY_DUE_H_

#include <optional>

#include "base/core/uuid.h"
#include "base/core/wall_time.h"
#include "services/events/family_round.h"
#include "services/events/settings.h"
#include "services/ports/family.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::events {

/// Says when a family is due that was read now, but for members that are final or were read earlier
/// in the cycle: of these `next` tells, which is saved.
std::optional<WallTime> NextDue(const FamilyRound& family, Uuid root,
                                const storage::v1::Snapshot& next, WallTime now,
                                const Settings& settings);

/// Nothing of the family would be due any more, if it could be read. One that was never read waits
/// for kLastLook after it was noticed.
bool IsSettled(const ports::FamilyState& state, WallTime now, const Settings& settings);

/// Whether the order is so old that what it was made from is at every replica. `noticed`: when it
/// was first; WallTime(): not known.
bool IsOld(const common::v1::Order& order, WallTime noticed, WallTime now);

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_FAMILY_DUE_H_
