#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SERVER_CHECK_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SERVER_CHECK_H_

#include <string>
#include <vector>

#include "adapters/redis/connection.h"
#include "services/base/async.h"
#include "services/base/boot_clock.h"

namespace tollbridge::redis {

struct ServerCheckOptions {
  /// Outside development: a warning is a refusal.
  bool strict = false;
};

/// Whether operations can be trusted to this server (operations.md, rule 13). FAILED_PRECONDITION
/// for a Redis Cluster, and when strict for every warning there is; STORE_UNAVAILABLE when it
/// cannot be asked. Warnings: maxmemory-policy other than noeviction, no persistence, settings that
/// may not be read. `connection` must be ready.
Async<std::vector<std::string>> CheckServer(Connection& connection, ServerCheckOptions options,
                                            BootTime deadline);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SERVER_CHECK_H_
