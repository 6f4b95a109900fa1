#ifndef TOLLBRIDGE_ADAPTERS_REDIS_ERRORS_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_ERRORS_H_

#include <absl/status/status.h>

#include <string_view>

#include "adapters/redis/reply.h"

namespace tollbridge::redis {

/// UNAVAILABLE, reason STORE_UNAVAILABLE: Redis could not be asked, or its answer did not come. The
/// same call with the same key is safe.
absl::Status StoreUnavailable(std::string_view message);

/// UNAVAILABLE, reason MEMORY_LOST: there is no such record, but the store has forgotten some
/// (docs/design/operations.md#rule-12).
absl::Status MemoryLost();

/// Whether it is the error of a server that does not serve now, or does not take this command now:
/// its memory is full, its disk fails, it loads (LOADING, READONLY, OOM, MISCONF and the like).
bool IsNotServing(const Reply& reply);

/// OK unless the reply is an error. Those of a server that does not serve now are
/// StoreUnavailable; all others are a mistake of ours: INTERNAL.
absl::Status StatusOf(const Reply& reply);

/// UNAVAILABLE, reason STORE_UNAVAILABLE: the store has the keys of another version of Tollbridge.
absl::Status OtherLayout();

/// INTERNAL: Redis answered something that `what` never answers.
absl::Status UnexpectedReply(std::string_view what);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_ERRORS_H_
