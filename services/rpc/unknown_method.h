#ifndef TOLLBRIDGE_SERVICES_RPC_UNKNOWN_METHOD_H_
#define TOLLBRIDGE_SERVICES_RPC_UNKNOWN_METHOD_H_

#include <absl/status/status.h>

namespace tollbridge::rpc {

/// UNIMPLEMENTED UNKNOWN_METHOD: the answer for a method that is not served here.
absl::Status UnknownMethod();

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_UNKNOWN_METHOD_H_
