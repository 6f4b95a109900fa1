#include "gateway/commands/open_files.h"

#include <sys/resource.h>

#include <algorithm>

namespace tollbridge::gateway {
namespace {

/// What else is open, at most: connections to other systems, files of the libraries.
constexpr std::uint64_t kOtherFiles = 1024;

}  // namespace

std::uint64_t RaiseOpenFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0) return limit.rlim_max;
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

std::uint64_t ConnectionsWithin(std::uint64_t allowed, std::uint64_t wanted) {
  const std::uint64_t others = std::min(kOtherFiles, allowed / 2);
  return std::min(wanted, allowed - others);
}

}  // namespace tollbridge::gateway
