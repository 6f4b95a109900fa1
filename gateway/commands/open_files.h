#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_OPEN_FILES_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_OPEN_FILES_H_

#include <cstdint>

namespace tollbridge::gateway {

/// Lets the process open as many files as its hard limit allows, connections among them: the soft
/// limit is 1024 in many places, which the ingress alone may need several times. Answers how many.
std::uint64_t RaiseOpenFiles();

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_OPEN_FILES_H_
