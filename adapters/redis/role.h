#ifndef TOLLBRIDGE_ADAPTERS_REDIS_ROLE_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_ROLE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>

#include "adapters/redis/reply.h"

namespace tollbridge::redis {

/// How many replicas of a primary are connected and in step, from its answer to ROLE.
/// FAILED_PRECONDITION "not the primary" when a replica or a Sentinel answered; the error of
/// StatusOf when ROLE was refused.
absl::StatusOr<std::size_t> ReplicasOfPrimary(const Reply& role);

/// OK when the answer to ROLE is a primary's; else as ReplicasOfPrimary.
absl::Status CheckIsPrimary(const Reply& role);

/// OK unless the reply is an error that only a replica gives: what was a primary was demoted.
/// UNAVAILABLE then.
absl::Status CheckNotDemoted(const Reply& reply);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_ROLE_H_
