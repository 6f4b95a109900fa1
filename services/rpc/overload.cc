#include "services/rpc/overload.h"

#include "services/domain/errors.h"

namespace tollbridge::rpc {

absl::Status Overloaded(std::string_view message, std::chrono::milliseconds retry_after) {
  return domain::MakeError(absl::StatusCode::kResourceExhausted, message,
                           {.reason = domain::reason::kOverloaded,
                            .retry = domain::Retry::kSafeSameKey,
                            .metadata = {},
                            .retry_after = retry_after,
                            .violations = {}});
}

}  // namespace tollbridge::rpc
