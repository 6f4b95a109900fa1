#include "services/rpc/limit.h"

#include <optional>

#include "services/base/status_macros.h"
#include "services/domain/errors.h"
#include "services/rpc/call.h"

namespace tollbridge::rpc {
namespace {

absl::Status Refused(absl::StatusCode code, std::string_view reason, std::string_view message,
                     std::optional<std::chrono::milliseconds> retry_after = std::nullopt) {
  return domain::MakeError(code, message,
                           {.reason = reason,
                            .retry = domain::Retry::kSafeSameKey,
                            .metadata = {},
                            .retry_after = retry_after,
                            .violations = {}});
}

// Counts a call for as long as its coroutine lives, however it ends.
class Place {
 public:
  explicit Place(std::size_t& count) : count_(count) { ++count_; }
  ~Place() { --count_; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  std::size_t& count_;
};

}  // namespace

absl::Status Limit::Admit(const Call& call) const {
  if (drain_.draining()) {
    return Refused(absl::StatusCode::kUnavailable, domain::reason::kShuttingDown,
                   "this process is shutting down; another one will answer");
  }
  if (in_flight_ >= settings_.max_in_flight) {
    return Refused(absl::StatusCode::kResourceExhausted, domain::reason::kOverloaded,
                   "too many calls at once", settings_.retry_after);
  }
  if (clock_.BootNow() >= call.deadline()) {
    return Refused(absl::StatusCode::kDeadlineExceeded, domain::reason::kNotSent,
                   "the deadline was over before the call began");
  }
  return absl::OkStatus();
}

AsyncStatus Limit::Handle(Call& call, Next next) {
  TB_CO_RETURN_IF_ERROR(Admit(call));
  const Place place(in_flight_);
  absl::Status status = co_await next(call);
  co_return status;
}

}  // namespace tollbridge::rpc
