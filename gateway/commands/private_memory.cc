#include "gateway/commands/private_memory.h"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace tollbridge::gateway {

absl::Status KeepMemoryPrivate() {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0) {
    return absl::InternalError("core files cannot be turned off");
  }
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
    return absl::InternalError("the process cannot be made undumpable");
  }
  return absl::OkStatus();
}

}  // namespace tollbridge::gateway
