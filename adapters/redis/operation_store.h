#ifndef TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_STORE_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_STORE_H_

#include <string>

#include "adapters/redis/script_runner.h"
#include "services/ports/operation_store.h"

namespace tollbridge::redis {

/// The record of operations in one Redis primary; every change is one script (scripts/*.lua).
/// Claim, BeginStep and Finish are one round trip each; the first Claim after a connect also learns
/// the epoch. Leases are by Redis' clock. Finish needs no epoch: a definite answer is never
/// dropped.
class RedisOperationStore : public ports::OperationStore {
 public:
  /// Both runners live on its shard. What has to be SENT durably (Claim, BeginStep) goes through
  /// `claims`. With min_replicas it needs a connection of its own, since waiting for replicas holds
  /// up what is behind it; without, both may be one.
  RedisOperationStore(ScriptRunner& scripts, ScriptRunner& claims);

  Async<ports::ClaimResult> Claim(const ports::ClaimRequest& request,
                                  const ports::Context& context) override;
  AsyncStatus Release(const ports::OperationIdentity& identity, const std::string& owner,
                      const ports::Context& context) override;
  AsyncStatus BeginStep(const ports::OperationIdentity& identity, const ports::ClaimResult& claim,
                        const std::string& owner, const ports::StepTarget& step,
                        ports::Millis lease, const ports::Context& context) override;
  Async<ports::FinishVerdict> Finish(const ports::FinishRequest& request,
                                     const ports::Context& context) override;
  Async<bool> InitializeEpoch(const Uuid& epoch, const ports::Context& context) override;

 private:
  /// One script whose writes the replicas must have, where any are asked for.
  Async<ScriptRunner::Replicated> RunDurably(std::string_view name, const Script& script,
                                             const std::string& project,
                                             ScriptRunner::Arguments arguments,
                                             const ports::Context& context);

  ScriptRunner& scripts_;
  ScriptRunner& claims_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_STORE_H_
