#include "adapters/redis/server_info.h"

#include <algorithm>
#include <cstddef>

#include "adapters/redis/errors.h"
#include "adapters/redis/reply.h"
#include "base/core/status_macros.h"

namespace tollbridge::redis {

std::string InfoValue(std::string_view info, std::string_view name) {
  std::size_t at = 0;
  while (at < info.size()) {
    const std::size_t end = std::min(info.find("\r\n", at), info.size());
    const std::string_view line = info.substr(at, end - at);
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ':') {
      return std::string(line.substr(name.size() + 1));
    }
    at = end + 2;
  }
  return {};
}

Async<MemoryUse> ReadMemoryUse(CommandExecutor& server, BootTime deadline) {
  TB_CO_ASSIGN_OR_RETURN(const Reply info, co_await server.Execute({"INFO", "memory"}, deadline));
  TB_CO_RETURN_IF_ERROR(StatusOf(info));
  co_return MemoryUse{.used_bytes = ParseInteger(InfoValue(info.text, "used_memory")).value_or(0),
                      .max_bytes = ParseInteger(InfoValue(info.text, "maxmemory")).value_or(0),
                      .policy = InfoValue(info.text, "maxmemory_policy")};
}

}  // namespace tollbridge::redis
