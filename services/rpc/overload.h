#ifndef TOLLBRIDGE_SERVICES_RPC_OVERLOAD_H_
#define TOLLBRIDGE_SERVICES_RPC_OVERLOAD_H_

#include <chrono>
#include <string_view>

#include <absl/status/status.h>

namespace tollbridge::rpc {

/// RESOURCE_EXHAUSTED OVERLOADED with RetryInfo: nothing was done, the same key is safe.
absl::Status Overloaded(std::string_view message, std::chrono::milliseconds retry_after);

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_OVERLOAD_H_
