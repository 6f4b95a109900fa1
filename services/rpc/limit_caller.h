#ifndef TOLLBRIDGE_SERVICES_RPC_LIMIT_CALLER_H_
#define TOLLBRIDGE_SERVICES_RPC_LIMIT_CALLER_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <absl/status/status.h>

#include "base/core/boot_clock.h"
#include "base/core/token_bucket.h"
#include "base/telemetry/metrics.h"
#include "base/telemetry/sampler.h"
#include "services/ports/clock.h"
#include "services/rpc/access.h"
#include "services/rpc/middleware.h"

namespace tollbridge::rpc {

/// What each caller may take of a shard of which its grants say nothing.
inline constexpr CallerLimits kLimitsPerCaller{
    .calls_per_second = 0, .burst = 0, .max_in_flight = 768, .max_watchers = 7'500};

/// Link: RESOURCE_EXHAUSTED CALLER_LIMIT with RetryInfo when the caller has its fill of this shard,
/// so that no caller takes the places of the others: calls a second, calls under way, and calls
/// that wait (Call::waits). Nothing was done then: the same key is safe. A caller is its identity
/// (Caller::identity): all without a certificate are one. Stands behind Limit, so that what a full
/// shard refuses takes nothing of a caller's rate, and in front of Parse, so that a refused request
/// is not read. Belongs to one shard.
class LimitCaller : public Middleware {
 public:
  /// `standard` is for what the caller's grants in `rules` do not say.
  LimitCaller(CallerLimits standard, const AccessRules& rules, telemetry::Metrics& metrics,
              const ports::Clock& clock)
      : standard_(standard), rules_(rules), metrics_(metrics), clock_(clock) {}
  AsyncStatus Handle(Call& call, Next next) override;

 private:
  /// What one caller has taken.
  struct Taken {
    CallerLimits limits;
    /// AccessRules::generation that `limits` are of; 0 is none.
    std::uint64_t generation = 0;
    /// nullopt: its calls a second are not bounded.
    std::optional<TokenBucket> rate;
    std::int64_t in_flight = 0;
    std::int64_t watchers = 0;
    telemetry::Sampler lines{std::chrono::minutes(1)};
  };

  /// Valid while a call of the caller is under way, else until the next call.
  Taken& TakenBy(const Call& call);
  void TakeLimits(Taken& taken, const CallerLimits& limits) const;
  void MakeRoom();
  /// Takes one of its calls of this second, when it may have it.
  absl::Status Admit(const Call& call, Taken& taken);
  absl::Status Refuse(const Call& call, Taken& taken, std::string_view limit,
                      std::chrono::milliseconds retry_after);

  const CallerLimits standard_;
  const AccessRules& rules_;
  telemetry::Metrics& metrics_;
  const ports::Clock& clock_;
  std::unordered_map<std::string, Taken> callers_;
  BootTime made_room_;
  /// Shared by those who are too many to be remembered.
  Taken others_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_LIMIT_CALLER_H_
