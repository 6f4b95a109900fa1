#include "services/gateway/private_memory.h"

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>

// Read by jemalloc before main: what is freed is overwritten (ADR 18). Unused where another
// allocator is in place.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "junk:free";
}

namespace tollbridge::gateway {
namespace {

/// What freed memory is filled with; new memory gets its complement.
constexpr int kFill = 0x5a;

}  // namespace

absl::Status KeepMemoryPrivate() {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0) {
    return absl::InternalError("core files cannot be turned off");
  }
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
    return absl::InternalError("the process cannot be made undumpable");
  }
  mallopt(M_PERTURB, kFill);
  return absl::OkStatus();
}

}  // namespace tollbridge::gateway
