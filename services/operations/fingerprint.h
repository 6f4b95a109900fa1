#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_FINGERPRINT_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_FINGERPRINT_H_

#include <string_view>
#include <vector>

#include <absl/status/statusor.h>
#include <google/protobuf/message.h>

#include "services/operations/keys.h"
#include "services/ports/operation_store.h"

namespace tollbridge::operations {

/// What tells two requests under one idempotency key apart: HMAC-SHA256 over the RPC's name and the
/// deterministic serialization of the request without its idempotency_key and card security codes
/// (a replay need not repeat a code, and nothing of it may be kept); card numbers are included.
/// One for each live key, the current one first.
/// INVALID_ARGUMENT when the request holds fields that this version does not know: they would be
/// left out of what is sent, but a later version would send them under the same key.
absl::StatusOr<std::vector<ports::Fingerprint>> Fingerprints(
    std::string_view rpc, const google::protobuf::Message& request, const KeyRing& keys);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_FINGERPRINT_H_
