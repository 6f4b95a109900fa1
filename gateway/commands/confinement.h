#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_CONFINEMENT_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_CONFINEMENT_H_

#include <absl/status/status.h>

namespace tollbridge::gateway {

/// Takes from this process, for good, what it never needs and whoever takes it over would: new
/// privileges by what it executes (no_new_privs), and, by a seccomp filter, executing anything, and
/// looking into or writing to other processes' memory. These calls fail with EPERM from here on.
/// For the start of the process, before there are threads: each thread has the filter of the one
/// that made it. INTERNAL when the kernel refuses.
absl::Status ConfineProcess();

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_CONFINEMENT_H_
