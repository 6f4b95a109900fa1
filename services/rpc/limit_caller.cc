#include "services/rpc/limit_caller.h"

#include <cstddef>

#include <absl/strings/str_cat.h>

#include "base/core/place.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "services/rpc/call.h"

namespace tollbridge::rpc {
namespace {

constexpr std::size_t kMostCallers = 10'000;
constexpr std::chrono::seconds kBetweenRooms{1};
/// RetryInfo of a call that was one too many at a time: nobody knows when one of them ends.
constexpr std::chrono::milliseconds kUntilOneEnds{500};

double BurstOf(const CallerLimits& limits) {
  return static_cast<double>(limits.burst > 0 ? limits.burst : limits.calls_per_second);
}

bool IsPassed(std::int64_t taken, std::int64_t most) { return most > 0 && taken >= most; }

}  // namespace

void LimitCaller::TakeLimits(Taken& taken, const CallerLimits& limits) const {
  taken.generation = rules_.generation();
  taken.limits = limits;
  const auto per_second = static_cast<double>(limits.calls_per_second);
  if (limits.calls_per_second <= 0) {
    taken.rate.reset();
  } else if (taken.rate) {
    taken.rate->Change(per_second, BurstOf(limits), clock_.BootNow());
  } else {
    taken.rate.emplace(per_second, BurstOf(limits));
  }
}

LimitCaller::Taken& LimitCaller::TakenBy(const Call& call) {
  const std::string& identity = call.caller().identity;
  auto found = callers_.find(identity);
  if (found == callers_.end()) {
    if (callers_.size() >= kMostCallers) MakeRoom();
    if (callers_.size() >= kMostCallers) {
      if (others_.generation == 0) TakeLimits(others_, standard_);
      return others_;
    }
    found = callers_.try_emplace(identity).first;
  }
  Taken& taken = found->second;
  if (taken.generation != rules_.generation()) {
    TakeLimits(taken, rules_.LimitsOf(call.caller(), standard_));
  }
  return taken;
}

void LimitCaller::MakeRoom() {
  const BootTime now = clock_.BootNow();
  if (now - made_room_ < kBetweenRooms) return;
  made_room_ = now;
  std::erase_if(callers_, [now](const auto& entry) {
    const Taken& taken = entry.second;
    return taken.in_flight == 0 && taken.watchers == 0 && (!taken.rate || taken.rate->IsFull(now));
  });
}

absl::Status LimitCaller::Refuse(const Call& call, Taken& taken, std::string_view limit,
                                 std::chrono::milliseconds retry_after) {
  metrics_.Get(telemetry::kRpcCallerLimited, {limit}).Increment();
  if (const auto calls = taken.lines.Count(clock_.BootNow())) {
    telemetry::Log(telemetry::Severity::kWarning, "rpc_caller_limited",
                   {{"caller", call.caller().identity},
                    {"limit", limit},
                    {"method", call.method().full_name},
                    {"calls", *calls},
                    telemetry::Trace(call.context().trace)});
  }
  return domain::MakeError(absl::StatusCode::kResourceExhausted,
                           absl::StrCat("this caller has its fill: ", std::string(limit)),
                           {.reason = domain::reason::kCallerLimit,
                            .retry = domain::Retry::kSafeSameKey,
                            .metadata = {{"limit", std::string(limit)}},
                            .retry_after = retry_after,
                            .violations = {}});
}

absl::Status LimitCaller::Admit(const Call& call, Taken& taken) {
  const CallerLimits& limits = taken.limits;
  if (call.waits() && IsPassed(taken.watchers, limits.max_watchers)) {
    return Refuse(call, taken, "max_watchers", kUntilOneEnds);
  }
  if (!call.waits() && IsPassed(taken.in_flight, limits.max_in_flight)) {
    return Refuse(call, taken, "max_in_flight", kUntilOneEnds);
  }
  const BootTime now = clock_.BootNow();
  if (!taken.rate || taken.rate->Take(now)) return absl::OkStatus();
  return Refuse(call, taken, "calls_per_second",
                std::chrono::ceil<std::chrono::milliseconds>(taken.rate->Wait(now)));
}

AsyncStatus LimitCaller::Handle(Call& call, Next next) {
  Taken& taken = TakenBy(call);
  TB_CO_RETURN_IF_ERROR(Admit(call, taken));
  const Place place(call.waits() ? taken.watchers : taken.in_flight);
  co_return co_await next(call);
}

}  // namespace tollbridge::rpc
