#ifndef TOLLBRIDGE_GATEWAY_WIRING_SHARD_H_
#define TOLLBRIDGE_GATEWAY_WIRING_SHARD_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <functional>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "adapters/payment_service/http_transport.h"
#include "adapters/payment_service/retry_transport.h"
#include "adapters/system/system_clock.h"
#include "adapters/system/system_rng.h"
#include "base/core/shard.h"
#include "base/telemetry/metrics.h"
#include "gateway/config/config.h"
#include "gateway/config/needs.h"
#include "gateway/config/secrets.h"
#include "gateway/wiring/stores.h"
#include "services/operations/conclusion.h"
#include "services/operations/engine.h"
#include "services/operations/plan.h"
#include "services/operations/settings.h"
#include "services/ports/payment_service.h"
#include "services/rpc/access.h"
#include "services/rpc/dispatcher.h"

namespace tollbridge::gateway {

/// What belongs to one shard, and is used on it only. What the roles of the process do not need is
/// null.
struct ShardParts {
  system::SystemClock clock;
  system::SystemRng rng;
  std::unique_ptr<ShardStores> stores;
  payment_service::OriginClients http_clients;
  std::unique_ptr<ports::PaymentService> payment_service;
  /// Makes a further client behind the same pipe, for who has to hear of its repeats.
  std::function<std::unique_ptr<ports::PaymentService>(payment_service::OnRepeat)> make_client;
  std::unique_ptr<operations::Conclusions> conclusions;
  std::unique_ptr<operations::Engine> engine;
  std::unique_ptr<rpc::AccessRules> access;
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

/// Makes all but the dispatcher and its rules of access. `index` of the shard among the others.
absl::StatusOr<std::unique_ptr<ShardParts>> MakeShardParts(Shard& shard, std::size_t index,
                                                           const ShardDependencies& dependencies);

/// Waits for the stores' connections of every shard, and looks at each store once (CheckStore).
/// One that is not there in two seconds is waited for no longer, and the look takes two at most.
absl::Status ConnectStores(const Config& config, ShardPool& shards,
                           const std::vector<std::unique_ptr<ShardParts>>& parts);

/// Looks at the files that the parts use, of the first shard for all. Has every shard connect anew
/// to the stores whose credentials are others than at the last call. On the first shard, each
/// second.
void LookAtFiles(ShardPool& shards, const std::vector<std::unique_ptr<ShardParts>>& parts);

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
