#ifndef TOLLBRIDGE_SERVICES_EVENTS_MEMBER_HINT_H_
#define TOLLBRIDGE_SERVICES_EVENTS_MEMBER_HINT_H_

#include "services/events/reader.h"
#include "services/ports/clock.h"
#include "services/ports/family.h"
#include "services/ports/snapshot_store.h"
#include "tollbridge/events/v1/hint.pb.h"

namespace tollbridge::events {

/// What `request`, for an order of which the store says `state`, is passed on as to the root of its
/// family. It is as old as the hints that ask, and counts as noticed when the order does.
v1::Hint MemberHint(const ReadRequest& request, const ports::FamilyState& state,
                    const ports::FamilyKey& root, Uuid member, WallTime now);

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_MEMBER_HINT_H_
