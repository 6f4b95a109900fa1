#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SERVER_INFO_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SERVER_INFO_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/redis/command_executor.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"

namespace tollbridge::redis {

/// The value of a line `name:value` of INFO; empty where there is none.
std::string InfoValue(std::string_view info, std::string_view name);

struct MemoryUse {
  std::int64_t used_bytes = 0;
  /// 0: it has no bound.
  std::int64_t max_bytes = 0;
  /// What it does at the bound; operations want noeviction (docs/design/operations.md#rule-13).
  std::string policy;
};
/// As the server says; an error of StatusOf where it may not be asked.
Async<MemoryUse> ReadMemoryUse(CommandExecutor& server, BootTime deadline);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SERVER_INFO_H_
