#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_PRIVATE_MEMORY_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_PRIVATE_MEMORY_H_

#include <absl/status/status.h>

namespace tollbridge::gateway {

/// Keeps what card numbers have been in this process's memory out of core files and away from other
/// processes of the same user (docs/architecture.md#security): no core file (RLIMIT_CORE 0), not
/// dumpable (nobody but root attaches or reads /proc/PID/mem). What is freed is overwritten from
/// the start (base/memory, ADR 18). For the start of the process, before there are threads.
/// INTERNAL when the kernel refuses.
absl::Status KeepMemoryPrivate();

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_PRIVATE_MEMORY_H_
