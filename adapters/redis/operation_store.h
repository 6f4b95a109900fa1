#ifndef TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_STORE_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_STORE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/redis/connection.h"
#include "services/ports/operation_store.h"

namespace tollbridge::redis {

struct OperationStoreOptions {
  /// Put before every key.
  std::string prefix = "tb:";
  /// How long DONE and NOT_EXECUTED are kept (operations.md, rule 10).
  std::chrono::milliseconds closed_retention = std::chrono::hours(72);
  /// How long an order's entry is kept that no reader has made a snapshot beside.
  std::chrono::milliseconds entry_retention = std::chrono::days(400);
};

/// The record of operations in one Redis primary; every change is one script (scripts/*.lua).
/// Claim and Finish are one round trip each; the first Claim after a connect also reads the epoch.
/// Leases are by Redis' clock. Finish needs no epoch: a definite answer is never dropped.
class RedisOperationStore : public ports::OperationStore {
 public:
  /// `connection` outlives the store. Both live on one shard.
  RedisOperationStore(Connection& connection, OperationStoreOptions options);

  Async<ports::ClaimResult> Claim(const ports::ClaimRequest& request,
                                  const ports::Context& context) override;
  AsyncStatus BeginStep(const ports::OperationIdentity& identity, std::uint32_t attempt,
                        const std::string& owner, const ports::StepEvidence& step,
                        const ports::Context& context) override;
  Async<ports::FinishVerdict> Finish(const ports::FinishRequest& request,
                                     const ports::Context& context) override;
  Async<std::vector<ports::ExpiredOperation>> ExpireLeases(std::size_t limit,
                                                           const ports::Context& context) override;
  Async<operations::v1::Operation> Read(const Uuid& id, const ports::Context& context) override;
  Async<bool> InitializeEpoch(const Uuid& epoch, const ports::Context& context) override;

  /// For tests: added to Redis' clock from now on, so that leases end without waiting.
  void SetTimeOffset(std::chrono::milliseconds offset) { time_offset_ = offset; }

 private:
  /// Makes `epoch_` the one of the present connection. STORE_NOT_INITIALIZED when there is none.
  AsyncStatus LearnEpoch(const ports::Context& context);
  Command ClaimArguments(const ports::ClaimRequest& request) const;
  Command FinishArguments(const ports::FinishRequest& request) const;
  /// What scripts/record.lua takes from every script's arguments.
  Command CommonArguments() const;

  Connection& connection_;
  OperationStoreOptions options_;
  std::chrono::milliseconds time_offset_{0};
  std::string epoch_;
  /// Connection::generation() for which `epoch_` was read; 0 = none.
  std::uint64_t epoch_generation_ = 0;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_OPERATION_STORE_H_
