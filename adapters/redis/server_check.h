#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SERVER_CHECK_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SERVER_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/redis/command_executor.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"

namespace tollbridge::redis {

struct ServerCheckOptions {
  /// Outside development: a warning is a refusal.
  bool strict = false;
  /// How many replicas must be connected to the primary (docs/design/operations.md#rule-13).
  std::size_t min_replicas{};
};

/// Whether operations can be trusted to this server (docs/design/operations.md#rule-13).
/// FAILED_PRECONDITION for a Redis Cluster, and when strict for every warning there is;
/// STORE_UNAVAILABLE when it cannot be asked. Warnings: maxmemory-policy other than noeviction, no
/// persistence, settings that may not be read, fewer replicas than claims wait for. `server` must
/// be ready.
Async<std::vector<std::string>> CheckServer(CommandExecutor& server, ServerCheckOptions options,
                                            BootTime deadline);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SERVER_CHECK_H_
