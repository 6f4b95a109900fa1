#ifndef TOLLBRIDGE_SERVICES_GATEWAY_PRIVATE_MEMORY_H_
#define TOLLBRIDGE_SERVICES_GATEWAY_PRIVATE_MEMORY_H_

#include <absl/status/status.h>

namespace tollbridge::gateway {

/// Keeps what card numbers have been in this process's memory out of core files, away from other
/// processes of the same user, and out of memory that is free (design.md, Security): no core file
/// (RLIMIT_CORE 0), not dumpable (nobody but root attaches or reads /proc/PID/mem), and the C
/// library overwrites what is freed (M_PERTURB; under a sanitizer, whose allocator takes its place,
/// nothing does). For the start of the process, before there are threads. INTERNAL when the kernel
/// refuses.
absl::Status KeepMemoryPrivate();

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_SERVICES_GATEWAY_PRIVATE_MEMORY_H_
