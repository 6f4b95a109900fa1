#include "gateway/wiring/shard.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <string_view>
#include <vector>

#include "base/core/boot_clock.h"
#include "base/core/status_macros.h"
#include "base/telemetry/metric_definitions.h"
#include "gateway/config/stores.h"
#include "gateway/wiring/payment_service.h"

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::seconds kStoresWait{2};

absl::Status MakeStores(Shard& shard, const ShardDependencies& dependencies, ShardParts& parts) {
  TB_ASSIGN_OR_RETURN(parts.stores, ShardStores::Create({.executor = shard.executor(),
                                                         .config = dependencies.config,
                                                         .secrets = dependencies.secrets,
                                                         .projects = dependencies.projects,
                                                         .metrics = dependencies.metrics,
                                                         .clock = parts.clock,
                                                         .rng = parts.rng}));
  return absl::OkStatus();
}

absl::Status MakeService(Shard& shard, const ShardDependencies& dependencies, ShardParts& parts) {
  const PaymentServiceDependencies with{.executor = shard.executor(),
                                        .config = dependencies.config,
                                        .secrets = dependencies.secrets,
                                        .clock = parts.clock,
                                        .metrics = dependencies.metrics,
                                        .on_service_back = dependencies.on_service_back};
  TB_ASSIGN_OR_RETURN(const std::shared_ptr<payment_service::TransportChain> pipe,
                      MakeOutboundPipe(with, parts.http_clients));
  parts.make_client = [with, pipe](payment_service::OnRepeat on_repeat) {
    return MakeClient(with, pipe, std::move(on_repeat));
  };
  parts.payment_service = parts.make_client({});
  return absl::OkStatus();
}

void MakeEngine(Shard& shard, const ShardDependencies& dependencies, ShardParts& parts) {
  const operations::KeySource keys = KeysOf(dependencies.secrets);
  parts.conclusions = std::make_unique<operations::Conclusions>(keys, parts.rng);
  parts.engine = std::make_unique<operations::Engine>(
      shard.executor(),
      operations::Engine::Ports{.service = *parts.payment_service,
                                .store = parts.stores->operations(),
                                .clock = parts.clock,
                                .rng = parts.rng,
                                .metrics = dependencies.metrics,
                                .registry = parts.stores->registry()},
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

absl::Status ConnectStores(const Config& config, ShardPool& shards,
                           const std::vector<std::unique_ptr<ShardParts>>& parts) {
  const BootTime by = BootClock::now() + kStoresWait;
  // Side by side: one that hangs leaves the others their time.
  const std::vector<Store> configured = StoresOf(config);
  std::vector<std::future<absl::Status>> checks;
  for (std::size_t i = 0; i < configured.size(); ++i) {
    checks.push_back(boost::asio::co_spawn(
        shards.at(0).executor(),
        CheckStore(config, configured[i], *parts.front()->stores->all().at(i), by),
        boost::asio::use_future));
  }
  // All of them refer to what goes when one of them throws.
  for (const std::future<absl::Status>& check : checks) check.wait();
  absl::Status usable;
  for (std::future<absl::Status>& check : checks) usable.Update(check.get());
  TB_RETURN_IF_ERROR(usable);
  // Each shard has its own connections, and the first calls may come to any of them. What is not
  // there the check has told.
  for (std::size_t i = 0; i < parts.size(); ++i) {
    RunOn(shards.at(i), parts[i]->stores->WaitConnected(by)).IgnoreError();
  }
  return absl::OkStatus();
}

void LookAtFiles(ShardPool& shards, const std::vector<std::unique_ptr<ShardParts>>& parts) {
  for (const auto& client : parts.front()->http_clients) {
    if (client) client->LookAtFiles();
  }
  if (!parts.front()->stores) return;
  const auto& first = parts.front()->stores->all();
  for (std::size_t store = 0; store < first.size(); ++store) {
    if (!first[store]->HasNewCredentials()) continue;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      boost::asio::post(shards.at(i).executor(), [stores = parts[i]->stores.get(), store] {
        stores->all()[store]->Renew();
      });
    }
  }
}

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
  // Only callers watch orders.
  if (parts->stores) parts->stores->Start(dependencies.config.HasRole("rpc"));
  return parts;
}

}  // namespace tollbridge::gateway
