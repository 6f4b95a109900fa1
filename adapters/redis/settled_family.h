#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SETTLED_FAMILY_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SETTLED_FAMILY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "services/ports/snapshot_store.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::redis {

/// What stays of a family whose last planned read is over and that has no members: its snapshot in
/// some 25 bytes, without stream, sequence, epoch and topic, since what is published of it later
/// begins a stream of its own (scripts/settled.lua; docs/adr/0041-settled-families.md). nullopt for
/// one that has more to it than is usual; then it stays as it is.
std::optional<std::string> PackSettled(const storage::v1::Snapshot& snapshot,
                                       std::uint64_t version);

struct SettledFamily {
  std::uint64_t version = 0;
  storage::v1::Snapshot snapshot;
};

/// The reverse of PackSettled, of what settled.lua has put the day before. nullopt for what is none
/// of ours.
std::optional<SettledFamily> UnpackSettled(std::string_view value);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SETTLED_FAMILY_H_
