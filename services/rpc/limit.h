#ifndef TOLLBRIDGE_SERVICES_RPC_LIMIT_H_
#define TOLLBRIDGE_SERVICES_RPC_LIMIT_H_

#include <chrono>
#include <cstdint>

#include "services/ports/clock.h"
#include "services/rpc/drain.h"
#include "services/rpc/middleware.h"

namespace tollbridge::rpc {

struct LimitSettings {
  /// Most calls behind this link at once, on one shard; those that wait are not among them.
  std::int64_t max_in_flight = 2048;
  /// Most calls that wait (Call::waits), on one shard.
  std::int64_t max_watchers = 10'000;
  /// RetryInfo of a call that was one too many.
  std::chrono::milliseconds retry_after{500};
};

/// Link: refuses what cannot be served. RESOURCE_EXHAUSTED OVERLOADED with RetryInfo when the shard
/// has its fill of calls or of watchers, UNAVAILABLE SHUTTING_DOWN while the process drains,
/// DEADLINE_EXCEEDED NOT_SENT when the caller's deadline is over already. Nothing was done then:
/// each may be repeated with the same key.
class Limit : public Middleware {
 public:
  Limit(LimitSettings settings, const Drain& drain, const ports::Clock& clock)
      : settings_(settings), drain_(drain), clock_(clock) {}
  AsyncStatus Handle(Call& call, Next next) override;

 private:
  absl::Status Admit(const Call& call) const;

  LimitSettings settings_;
  const Drain& drain_;
  const ports::Clock& clock_;
  std::int64_t in_flight_ = 0;
  std::int64_t watchers_ = 0;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_LIMIT_H_
