#ifndef TOLLBRIDGE_ADAPTERS_REDIS_KEY_USAGE_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_KEY_USAGE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/redis/command_executor.h"
#include "base/core/async.h"

namespace tollbridge::redis {

/// Records of operations that name a key.
struct KeyUse {
  std::int64_t open = 0;  ///< RUNNING, UNKNOWN, NEEDS_REVIEW
  std::int64_t closed = 0;
  std::int64_t tombstones = 0;  ///< of what was closed so long ago that only its key is known

  bool operator==(const KeyUse&) const = default;
};

/// By the id of the key; "" counts what names its key in a way that this version cannot read.
struct KeyUsage {
  std::map<std::string, KeyUse> fingerprints;
  std::map<std::string, KeyUse> outcomes;
};

/// How a sealed outcome names its key: in so many bytes at its beginning, read by this.
struct OutcomeHead {
  std::size_t bytes = 0;
  std::function<std::optional<std::string>(std::string_view head)> key_id;
};

/// The pattern, for SCAN, of the keys that are `beginning` and 16 bytes of an id.
std::string IdPattern(std::string_view beginning);

/// The patterns, for SCAN, of the keys that records and hashes of tombstones of a project have
/// (scripts/record.lua). `keys`: what all keys of the project begin with (keyspace.h).
std::string RecordPattern(std::string_view keys);
std::string TombstonePattern(std::string_view keys);

/// Adds to `usage` the records of a project, by SCAN and with a script that reads some of them at a
/// time, and its tombstones; changes nothing. Each command has `timeout`. A record that moves while
/// the server grows or shrinks its table may be counted twice; none is left out that was there all
/// the time. UNAVAILABLE reason STORE_UNAVAILABLE when the store cannot be asked to the end.
Async<KeyUsage> AddKeyUsage(CommandExecutor& executor, std::string keys, OutcomeHead head,
                            std::chrono::milliseconds timeout, KeyUsage usage);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_KEY_USAGE_H_
