#ifndef TOLLBRIDGE_SERVICES_RPC_STATUS_H_
#define TOLLBRIDGE_SERVICES_RPC_STATUS_H_

#include <absl/status/status.h>

#include "base/wire/codec.h"

namespace tollbridge::rpc {

/// A status as callers get to see it. One made by domain::MakeError stays as it is, but for the
/// reasons STORE_UNAVAILABLE, NOT_SENT, INTERNAL and UPSTREAM_*, but what the payment service says
/// of a request that it refused: of their messages the part behind the first colon is left out, and
/// what to do is said in its place. One without ErrorInfo gets it with reason INTERNAL and a fixed
/// message, and INTERNAL for the code UNKNOWN. So what Redis, the system or a library said, which
/// may name what is internal, stays in the log.
absl::Status Published(const absl::Status& status);

/// Whether Published leaves out something of the message: the log has to say it.
bool IsForTheLog(const absl::Status& status);

/// Published(status) with its payloads as google.rpc.Status details (trailer
/// grpc-status-details-bin). The message is at most 1 KiB: it travels in a header.
wire::CallStatus ToCallStatus(const absl::Status& status);

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_STATUS_H_
