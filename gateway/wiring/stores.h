#ifndef TOLLBRIDGE_GATEWAY_WIRING_STORES_H_
#define TOLLBRIDGE_GATEWAY_WIRING_STORES_H_

#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adapters/redis/connection.h"
#include "adapters/redis/due_queue.h"
#include "adapters/redis/family_walk.h"
#include "adapters/redis/known_orders.h"
#include "adapters/redis/operation_outbox.h"
#include "adapters/redis/operation_registry.h"
#include "adapters/redis/operation_store.h"
#include "adapters/redis/order_changes.h"
#include "adapters/redis/refused_calls.h"
#include "adapters/redis/script_runner.h"
#include "adapters/redis/snapshot_store.h"
#include "adapters/redis/sweep_state.h"
#include "adapters/redis/unresolved_operations.h"
#include "base/core/async.h"
#include "base/core/live_text.h"
#include "base/net/tls.h"
#include "base/telemetry/metrics.h"
#include "gateway/config/config.h"
#include "gateway/config/secrets.h"
#include "gateway/config/stores.h"
#include "gateway/wiring/store_routes.h"
#include "services/domain/project.h"
#include "services/ports/clock.h"
#include "services/ports/rng.h"

namespace tollbridge::gateway {

/// What the stores of a shard are made from. All outlive them.
struct StoreDependencies {
  boost::asio::any_io_executor executor;
  const Config& config;
  const Secrets& secrets;
  const domain::Projects& projects;
  telemetry::Metrics& metrics;
  ports::Clock& clock;
  ports::Rng& rng;
};

/// One store as one shard uses it: connections of its own, and the ports over them.
class ShardStore {
 public:
  static absl::StatusOr<std::unique_ptr<ShardStore>> Create(const Store& store,
                                                            const StoreDependencies& dependencies);

  /// Begins to connect; `with_changes`: also the subscription to changes of orders.
  void Start(bool with_changes);
  void Stop();
  /// Until what operations need is connected; the error of what is not by then.
  AsyncStatus WaitConnected(BootTime by) const;
  /// Whether the password or the files of TLS are others than at the last look. To be asked at one
  /// shard, each second at most.
  bool HasNewCredentials();
  /// Has the connections made anew with what is in force, one after the other and without a loss.
  void Renew();

  const std::string& name() const { return name_; }
  const domain::Projects& kept() const { return kept_; }
  redis::Connection& connection() { return *connection_; }

 private:
  friend class ShardStores;
  ShardStore(const Store& store, const domain::Projects& kept, redis::ConnectionOptions options,
             const StoreDependencies& dependencies);

  const std::string name_;
  const domain::Projects kept_;
  const redis::Keyspace keyspace_;
  const LiveText password_;
  const std::shared_ptr<const net::TlsContext> tls_;
  std::string seen_password_;
  std::uint64_t seen_tls_ = 0;
  std::unique_ptr<redis::Connection> connection_;
  /// For claims that wait for a replica (docs/design/operations.md#rule-13); null where none is
  /// asked for, and so are the scripts over it.
  std::unique_ptr<redis::Connection> claims_connection_;
  std::unique_ptr<redis::ScriptRunner> scripts_;
  std::unique_ptr<redis::ScriptRunner> claims_;
  std::unique_ptr<redis::RedisOperationStore> operations_;
  std::unique_ptr<redis::RedisUnresolvedOperations> unresolved_;
  std::unique_ptr<redis::RedisOperationRegistry> registry_;
  std::unique_ptr<redis::RedisOperationOutbox> outbox_;
  std::unique_ptr<redis::RedisRefusedCalls> refused_calls_;
  std::unique_ptr<redis::RedisSnapshotStore> snapshots_;
  std::unique_ptr<redis::RedisFamilyWalk> family_walk_;
  std::unique_ptr<redis::RedisOrderChanges> changes_;
  std::unique_ptr<redis::RedisDueQueue> due_queue_;
  std::unique_ptr<redis::RedisKnownOrders> known_orders_;
  std::unique_ptr<redis::RedisSweepState> sweep_state_;
};

/// All stores as one shard uses them: a call about a project goes to the one that keeps it.
class ShardStores {
 public:
  static absl::StatusOr<std::unique_ptr<ShardStores>> Create(const StoreDependencies& dependencies);

  void Start(bool with_changes);
  void Stop();
  /// Until each store is connected; an error when one is not by then.
  AsyncStatus WaitConnected(BootTime by) const;
  const std::vector<std::unique_ptr<ShardStore>>& all() const { return stores_; }

  ports::OperationStore& operations() { return operations_; }
  ports::UnresolvedOperations& unresolved() { return unresolved_; }
  ports::OperationRegistry& registry() { return registry_; }
  ports::OperationOutbox& outbox() { return outbox_; }
  ports::RefusedCalls& refused_calls() { return refused_calls_; }
  ports::SnapshotStore& snapshots() { return snapshots_; }
  ports::FamilyWalk& family_walk() { return family_walk_; }
  ports::OrderChanges& changes() { return changes_; }
  ports::DueQueue& due_queue() { return due_queue_; }
  ports::KnownOrders& known_orders() { return known_orders_; }
  ports::SweepState& sweep_state() { return sweep_state_; }

 private:
  void Add(std::unique_ptr<ShardStore> store);
  /// Has each know the others, which it tells of a project that came to it.
  void Introduce();

  std::vector<std::unique_ptr<ShardStore>> stores_;
  OperationStoreRoute operations_;
  UnresolvedRoute unresolved_;
  RegistryRoute registry_;
  OutboxRoute outbox_;
  RefusedCallsRoute refused_calls_;
  SnapshotRoute snapshots_;
  FamilyWalkRoute family_walk_;
  OrderChangesRoute changes_;
  DueQueueRoute due_queue_;
  KnownOrdersRoute known_orders_;
  SweepStateRoute sweep_state_;
};

/// Looks at a store once, on its shard: FAILED_PRECONDITION for one that may not be used. One that
/// is not there by then or does not answer within two seconds, and settings that are better
/// changed, are lines of the log.
AsyncStatus CheckStore(const Config& config, const Store& configured, ShardStore& store,
                       BootTime by);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_STORES_H_
