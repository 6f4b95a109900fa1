#ifndef TOLLBRIDGE_GATEWAY_WIRING_SHARD_H_
#define TOLLBRIDGE_GATEWAY_WIRING_SHARD_H_

#include <absl/status/statusor.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "adapters/payment_service/http_transport.h"
#include "adapters/redis/connection.h"
#include "adapters/redis/order_changes.h"
#include "adapters/redis/script_runner.h"
#include "adapters/system/system_clock.h"
#include "adapters/system/system_rng.h"
#include "base/core/shard.h"
#include "base/telemetry/metrics.h"
#include "gateway/config/config.h"
#include "gateway/config/needs.h"
#include "gateway/config/secrets.h"
#include "services/operations/conclusion.h"
#include "services/operations/engine.h"
#include "services/operations/plan.h"
#include "services/operations/settings.h"
#include "services/ports/due_queue.h"
#include "services/ports/known_orders.h"
#include "services/ports/operation_outbox.h"
#include "services/ports/operation_registry.h"
#include "services/ports/operation_store.h"
#include "services/ports/payment_service.h"
#include "services/ports/snapshot_store.h"
#include "services/ports/sweep_state.h"
#include "services/ports/unresolved_operations.h"
#include "services/rpc/dispatcher.h"

namespace tollbridge::gateway {

/// What belongs to one shard, and is used on it only. What the roles of the process do not need is
/// null.
struct ShardParts {
  system::SystemClock clock;
  system::SystemRng rng;
  std::unique_ptr<redis::Connection> redis;
  /// For claims that wait for a replica (docs/design/operations.md#rule-13); null where none is
  /// asked for.
  std::unique_ptr<redis::Connection> redis_claims;
  std::unique_ptr<redis::ScriptRunner> operations;
  std::unique_ptr<redis::ScriptRunner> claims;  ///< null as redis_claims
  std::unique_ptr<ports::OperationStore> operation_store;
  std::unique_ptr<ports::UnresolvedOperations> unresolved;
  std::unique_ptr<ports::OperationRegistry> registry;
  std::unique_ptr<ports::OperationOutbox> outbox;
  std::unique_ptr<ports::SnapshotStore> snapshot_store;
  std::unique_ptr<redis::RedisOrderChanges> order_changes;
  std::unique_ptr<ports::DueQueue> due_queue;
  std::unique_ptr<ports::KnownOrders> known_orders;
  std::unique_ptr<ports::SweepState> sweep_state;
  payment_service::OriginClients http_clients;
  std::unique_ptr<ports::PaymentService> payment_service;
  std::unique_ptr<operations::Conclusions> conclusions;
  std::unique_ptr<operations::Engine> engine;
  std::unique_ptr<rpc::Dispatcher> dispatcher;
};

/// What every shard is made from. All outlive the shards.
struct ShardDependencies {
  const Config& config;
  const Needs& needs;
  Secrets& secrets;
  const operations::PlanTable& plans;
  const domain::Projects& projects;
  telemetry::Metrics& metrics;
  /// The payment service answers again after it did not. On the shard that noticed.
  std::function<void()> on_service_back;
};

/// Makes all but the dispatcher. `index` of the shard among
/// the others.
absl::StatusOr<std::unique_ptr<ShardParts>> MakeShardParts(Shard& shard, std::size_t index,
                                                           const ShardDependencies& dependencies);

/// The keys of operations as their files have them; for who needs them.
operations::KeySource KeysOf(const Secrets& secrets);

/// Runs a coroutine on a shard from outside, and waits for it.
template <typename Awaitable>
auto RunOn(Shard& shard, Awaitable awaitable) {
  return boost::asio::co_spawn(shard.executor(), std::move(awaitable), boost::asio::use_future)
      .get();
}

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_SHARD_H_
