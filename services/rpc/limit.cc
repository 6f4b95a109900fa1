#include "services/rpc/limit.h"

#include <string_view>

#include "base/core/place.h"
#include "base/core/status_macros.h"
#include "services/domain/errors.h"
#include "services/rpc/call.h"
#include "services/rpc/overload.h"

namespace tollbridge::rpc {
namespace {

absl::Status Refused(absl::StatusCode code, std::string_view reason, std::string_view message) {
  return domain::MakeError(code, message,
                           {.reason = reason,
                            .retry = domain::Retry::kSafeSameKey,
                            .metadata = {},
                            .retry_after = std::nullopt,
                            .violations = {}});
}

}  // namespace

absl::Status Limit::Admit(const Call& call) const {
  if (drain_.draining()) {
    return Refused(absl::StatusCode::kUnavailable, domain::reason::kShuttingDown,
                   "this process is shutting down; another one will answer");
  }
  if (call.waits() && watchers_ >= settings_.max_watchers) {
    return Overloaded("too many watchers at once", settings_.retry_after);
  }
  if (!call.waits() && in_flight_ >= settings_.max_in_flight) {
    return Overloaded("too many calls at once", settings_.retry_after);
  }
  if (clock_.BootNow() >= call.deadline()) {
    return Refused(absl::StatusCode::kDeadlineExceeded, domain::reason::kNotSent,
                   "the deadline was over before the call began");
  }
  return absl::OkStatus();
}

AsyncStatus Limit::Handle(Call& call, Next next) {
  TB_CO_RETURN_IF_ERROR(Admit(call));
  const Place place(call.waits() ? watchers_ : in_flight_);
  co_return co_await next(call);
}

}  // namespace tollbridge::rpc
