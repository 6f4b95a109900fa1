#include "gateway/wiring/shard.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "adapters/redis/due_queue.h"
#include "adapters/redis/known_orders.h"
#include "adapters/redis/operation_outbox.h"
#include "adapters/redis/operation_registry.h"
#include "adapters/redis/operation_store.h"
#include "adapters/redis/snapshot_store.h"
#include "adapters/redis/sweep_state.h"
#include "adapters/redis/unresolved_operations.h"
#include "base/core/status_macros.h"
#include "base/telemetry/metric_definitions.h"
#include "gateway/config/adapter_settings.h"
#include "gateway/wiring/payment_service.h"

namespace tollbridge::gateway {
namespace {

absl::Status MakeStores(Shard& shard, const ShardDependencies& dependencies, ShardParts& parts) {
  const Config& config = dependencies.config;
  TB_ASSIGN_OR_RETURN(const redis::ConnectionOptions redis,
                      RedisOptions(config, dependencies.secrets));
  redis::OperationStoreOptions options = config.redis.store;
  options.entry_retention = config.events.snapshot_retention;
  options.strict_server = config.process.environment == "production";
  parts.redis = std::make_unique<redis::Connection>(shard.executor(), redis, dependencies.metrics);
  const redis::Keyspace keyspace(config.redis.key_prefix, dependencies.projects);
  parts.operations = std::make_unique<redis::ScriptRunner>(*parts.redis, keyspace, options,
                                                           parts.clock, parts.rng);
  if (options.min_replicas > 0) {
    parts.redis_claims =
        std::make_unique<redis::Connection>(shard.executor(), redis, dependencies.metrics);
    parts.claims = std::make_unique<redis::ScriptRunner>(*parts.redis_claims, keyspace, options,
                                                         parts.clock, parts.rng);
  }
  redis::ScriptRunner& claims = parts.claims ? *parts.claims : *parts.operations;
  parts.operation_store = std::make_unique<redis::RedisOperationStore>(*parts.operations, claims);
  parts.unresolved = std::make_unique<redis::RedisUnresolvedOperations>(*parts.operations);
  parts.registry = std::make_unique<redis::RedisOperationRegistry>(*parts.operations);
  parts.outbox = std::make_unique<redis::RedisOperationOutbox>(
      *parts.operations, config.process.name + "/" + parts.rng.NewUuid().ToString());
  parts.snapshot_store = std::make_unique<redis::RedisSnapshotStore>(*parts.redis, keyspace);
  parts.order_changes = std::make_unique<redis::RedisOrderChanges>(shard.executor(), redis,
                                                                   keyspace, dependencies.metrics);
  parts.due_queue = std::make_unique<redis::RedisDueQueue>(*parts.redis, keyspace);
  parts.known_orders = std::make_unique<redis::RedisKnownOrders>(*parts.redis, keyspace);
  parts.sweep_state = std::make_unique<redis::RedisSweepState>(*parts.redis, keyspace);
  return absl::OkStatus();
}

absl::Status MakeService(Shard& shard, const ShardDependencies& dependencies, ShardParts& parts) {
  TB_ASSIGN_OR_RETURN(parts.payment_service,
                      MakePaymentService({.executor = shard.executor(),
                                          .config = dependencies.config,
                                          .secrets = dependencies.secrets,
                                          .clock = parts.clock,
                                          .metrics = dependencies.metrics,
                                          .on_service_back = dependencies.on_service_back},
                                         parts.http_clients));
  return absl::OkStatus();
}

void MakeEngine(Shard& shard, const ShardDependencies& dependencies, ShardParts& parts) {
  const operations::KeySource keys = KeysOf(dependencies.secrets);
  parts.conclusions = std::make_unique<operations::Conclusions>(keys, parts.rng);
  parts.engine = std::make_unique<operations::Engine>(
      shard.executor(),
      operations::Engine::Ports{.service = *parts.payment_service,
                                .store = *parts.operation_store,
                                .clock = parts.clock,
                                .rng = parts.rng,
                                .metrics = dependencies.metrics},
      dependencies.config.operations.settings, dependencies.plans, keys);
}

void CollectPools(const ShardParts& parts, std::size_t index, telemetry::Metrics& metrics) {
  // The first collector runs first and begins the sum.
  bool first = index == 0;
  for (const std::shared_ptr<http::Client>& client : parts.http_clients) {
    if (client == nullptr) continue;
    metrics.OnCollect([statistics = client->statistics(), first](telemetry::Metrics& collected) {
      const auto set = [&](std::string_view state, std::int64_t value) {
        const telemetry::Gauge gauge = collected.Get(telemetry::kPoolConnections, {state});
        if (first) gauge.Set(0);
        gauge.Add(static_cast<double>(value));
      };
      set("idle", statistics->idle);
      set("in_use", statistics->in_use);
      set("waiting", statistics->waiting);
    });
    first = false;
  }
}

}  // namespace

operations::KeySource KeysOf(const Secrets& secrets) {
  return [files = secrets.operation_keys] { return files->Get(); };
}

absl::StatusOr<std::unique_ptr<ShardParts>> MakeShardParts(Shard& shard, std::size_t index,
                                                           const ShardDependencies& dependencies) {
  auto parts = std::make_unique<ShardParts>();
  if (dependencies.needs.redis) TB_RETURN_IF_ERROR(MakeStores(shard, dependencies, *parts));
  if (dependencies.needs.payment_service) {
    TB_RETURN_IF_ERROR(MakeService(shard, dependencies, *parts));
    CollectPools(*parts, index, dependencies.metrics);
  }
  if (dependencies.needs.operation_keys) MakeEngine(shard, dependencies, *parts);
  if (parts->redis) parts->redis->Start();
  if (parts->redis_claims) parts->redis_claims->Start();
  // Only callers watch orders.
  if (dependencies.config.HasRole("rpc")) parts->order_changes->Start();
  return parts;
}

}  // namespace tollbridge::gateway
