#ifndef TOLLBRIDGE_SERVICES_RPC_STATUS_H_
#define TOLLBRIDGE_SERVICES_RPC_STATUS_H_

#include <absl/status/status.h>

#include "base/wire/codec.h"

namespace tollbridge::rpc {

/// A status as callers get to see it. One made by domain::MakeError stays as it is. One without
/// ErrorInfo gets it with reason INTERNAL, and if its code is INTERNAL or UNKNOWN it becomes
/// INTERNAL with a fixed message: what a library said stays in the log.
absl::Status Published(const absl::Status& status);

/// Published(status) with its payloads as google.rpc.Status details (trailer
/// grpc-status-details-bin). The message is at most 1 KiB: it travels in a header.
wire::CallStatus ToCallStatus(const absl::Status& status);

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_STATUS_H_
