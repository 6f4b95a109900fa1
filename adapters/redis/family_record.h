#ifndef TOLLBRIDGE_ADAPTERS_REDIS_FAMILY_RECORD_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_FAMILY_RECORD_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string>

#include "adapters/redis/reply.h"
#include "adapters/redis/settled_family.h"
#include "base/core/wall_time.h"
#include "services/ports/snapshot_store.h"

/// What a family's keys hold (scripts/family_state.lua), as the ports have it.
namespace tollbridge::redis {

/// What stays of a family that is settled, from its value; false when that is none of ours.
bool TakeSettled(const Reply& value, ports::FamilyState& state);

/// As load_family.lua answers it.
absl::StatusOr<ports::FamilyState> ReadFamily(const ports::FamilyKey& key, const Reply& reply);

/// A time as scripts take it, milliseconds since 1970; empty for none.
std::string TimeText(const std::optional<WallTime>& time);

/// As tell_again.lua has it; empty for none.
std::string TellAgainText(const std::optional<ports::TellAgain>& request);

/// Fields and values of a snapshot by turns, as save_snapshot.lua takes them.
void AppendFields(const storage::v1::Snapshot& snapshot, Command& arguments);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_FAMILY_RECORD_H_
