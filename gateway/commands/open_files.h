#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_OPEN_FILES_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_OPEN_FILES_H_

#include <cstdint>

namespace tollbridge::gateway {

/// Lets the process open as many files as its hard limit allows, connections among them: the soft
/// limit is 1024 in many places, which the ingress alone may need several times. Answers how many.
std::uint64_t RaiseOpenFiles();

/// How many of `wanted` connections of callers fit when the process may open `allowed` files: all
/// but 1024, or half of them where that is more, are for these connections. The rest is for what
/// calls need: the payment service, the stores, Kafka.
std::uint64_t ConnectionsWithin(std::uint64_t allowed, std::uint64_t wanted);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_OPEN_FILES_H_
