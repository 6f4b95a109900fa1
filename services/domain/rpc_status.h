#ifndef TOLLBRIDGE_SERVICES_DOMAIN_RPC_STATUS_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_RPC_STATUS_H_

#include <absl/status/status.h>

#include "google/rpc/status.pb.h"

namespace tollbridge::domain {

/// The status with its payloads as google.rpc.Status, the form that is stored and that travels in
/// grpc-status-details-bin. Details are in the order of their type URLs.
google::rpc::Status ToRpcStatus(const absl::Status& status);

/// The reverse. Payloads are kept byte for byte.
absl::Status FromRpcStatus(const google::rpc::Status& status);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_RPC_STATUS_H_
