#include "gateway/wiring/stores.h"

#include <chrono>
#include <cstddef>
#include <utility>

#include "adapters/redis/server_check.h"
#include "base/core/boot_clock.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"
#include "gateway/config/adapter_settings.h"

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::seconds kAnswerWait{2};

Async<std::vector<std::string>> WarningsOf(redis::Connection& connection,
                                           redis::ServerCheckOptions options, BootTime by) {
  TB_CO_RETURN_IF_ERROR(co_await connection.WaitReady(by));
  co_return co_await redis::CheckServer(connection, options, BootClock::now() + kAnswerWait);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ShardStore>> ShardStore::Create(
    const Store& store, const StoreDependencies& dependencies) {
  TB_ASSIGN_OR_RETURN(redis::ConnectionOptions options,
                      RedisOptions(dependencies.config, store, dependencies.secrets));
  return std::unique_ptr<ShardStore>(
      new ShardStore(store, KeptIn(store, dependencies.config, dependencies.projects),
                     std::move(options), dependencies));
}

ShardStore::ShardStore(const Store& store, const domain::Projects& kept,
                       redis::ConnectionOptions options, const StoreDependencies& dependencies)
    : name_(store.name),
      kept_(kept),
      keyspace_(store.settings->key_prefix, kept),
      password_(options.password),
      tls_(options.tls),
      seen_password_(password_.Get()),
      seen_tls_(tls_ ? tls_->Look() : 0) {
  const Config& config = dependencies.config;
  redis::OperationStoreOptions settings = store.settings->store;
  settings.entry_retention = config.events.snapshot_retention;
  settings.strict_server = config.IsProduction();
  const auto connect = [&] {
    return std::make_unique<redis::Connection>(dependencies.executor, options,
                                               dependencies.metrics);
  };
  const auto run_on = [&](redis::Connection& connection) {
    return std::make_unique<redis::ScriptRunner>(connection, keyspace_, settings,
                                                 dependencies.clock, dependencies.rng);
  };
  connection_ = connect();
  scripts_ = run_on(*connection_);
  if (settings.min_replicas > 0) {
    claims_connection_ = connect();
    claims_ = run_on(*claims_connection_);
  }
  operations_ =
      std::make_unique<redis::RedisOperationStore>(*scripts_, claims_ ? *claims_ : *scripts_);
  unresolved_ = std::make_unique<redis::RedisUnresolvedOperations>(*scripts_);
  registry_ = std::make_unique<redis::RedisOperationRegistry>(*scripts_);
  outbox_ = std::make_unique<redis::RedisOperationOutbox>(
      *scripts_, config.process.name + "/" + dependencies.rng.NewUuid().ToString());
  refused_calls_ = std::make_unique<redis::RedisRefusedCalls>(*scripts_);
  snapshots_ = std::make_unique<redis::RedisSnapshotStore>(*scripts_);
  family_walk_ = std::make_unique<redis::RedisFamilyWalk>(*scripts_);
  due_queue_ = std::make_unique<redis::RedisDueQueue>(*connection_, keyspace_);
  known_orders_ = std::make_unique<redis::RedisKnownOrders>(*connection_, keyspace_);
  sweep_state_ = std::make_unique<redis::RedisSweepState>(*scripts_);
  changes_ = std::make_unique<redis::RedisOrderChanges>(dependencies.executor, std::move(options),
                                                        keyspace_, dependencies.metrics);
}

void ShardStore::Start(bool with_changes) {
  connection_->Start();
  if (claims_connection_) claims_connection_->Start();
  if (with_changes && !kept_.all().empty()) changes_->Start();
}

void ShardStore::Stop() {
  connection_->Stop();
  if (claims_connection_) claims_connection_->Stop();
  changes_->Stop();
}

AsyncStatus ShardStore::WaitConnected(BootTime by) const {
  TB_CO_RETURN_IF_ERROR(co_await connection_->WaitReady(by));
  if (!claims_connection_) co_return absl::OkStatus();
  co_return co_await claims_connection_->WaitReady(by);
}

bool ShardStore::HasNewCredentials() {
  std::string password = password_.Get();
  const std::uint64_t tls = tls_ ? tls_->Look() : 0;
  const bool others = password != seen_password_ || tls != seen_tls_;
  seen_password_ = std::move(password);
  seen_tls_ = tls;
  return others;
}

void ShardStore::Renew() {
  connection_->Renew();
  if (claims_connection_) claims_connection_->Renew();
  changes_->Renew();
}

absl::StatusOr<std::unique_ptr<ShardStores>> ShardStores::Create(
    const StoreDependencies& dependencies) {
  auto stores = std::make_unique<ShardStores>();
  for (const Store& store : StoresOf(dependencies.config)) {
    TB_ASSIGN_OR_RETURN(std::unique_ptr<ShardStore> made, ShardStore::Create(store, dependencies));
    stores->Add(std::move(made));
  }
  stores->Introduce();
  return stores;
}

void ShardStores::Add(std::unique_ptr<ShardStore> store) {
  operations_.Add(store->kept_, *store->operations_);
  unresolved_.Add(store->kept_, *store->unresolved_);
  registry_.Add(store->kept_, *store->registry_);
  outbox_.Add(store->kept_, *store->outbox_);
  refused_calls_.Add(store->kept_, *store->refused_calls_);
  snapshots_.Add(store->kept_, *store->snapshots_);
  family_walk_.Add(store->kept_, *store->family_walk_);
  changes_.Add(store->kept_, *store->changes_);
  due_queue_.Add(store->kept_, *store->due_queue_);
  known_orders_.Add(store->kept_, *store->known_orders_);
  sweep_state_.Add(store->kept_, *store->sweep_state_);
  stores_.push_back(std::move(store));
}

void ShardStores::Introduce() {
  for (const auto& store : stores_) {
    std::vector<redis::ScriptRunner*> others;
    for (const auto& other : stores_) {
      if (other != store) others.push_back(other->scripts_.get());
    }
    if (store->claims_) store->claims_->SetOthers(others);
    store->scripts_->SetOthers(std::move(others));
  }
}

void ShardStores::Start(bool with_changes) {
  for (const auto& store : stores_) store->Start(with_changes);
}

void ShardStores::Stop() {
  for (const auto& store : stores_) store->Stop();
}

AsyncStatus ShardStores::WaitConnected(BootTime by) const {
  absl::Status all;
  for (const auto& store : stores_) all.Update(co_await store->WaitConnected(by));
  co_return all;
}

AsyncStatus CheckStore(const Config& config, const Store& configured, ShardStore& store,
                       BootTime by) {
  const redis::ServerCheckOptions options{.strict = config.IsProduction(),
                                          .min_replicas = configured.settings->store.min_replicas};
  const absl::StatusOr<std::vector<std::string>> warnings =
      co_await WarningsOf(store.connection(), options, by);
  if (absl::IsFailedPrecondition(warnings.status())) co_return warnings.status();
  if (!warnings.ok()) {
    // Reads, search and webhooks go on without Redis; mutations wait for it.
    telemetry::Log(
        telemetry::Severity::kWarning, "redis_not_reachable_yet",
        {{"store", configured.name}, {"reason", std::string(warnings.status().message())}});
    co_return absl::OkStatus();
  }
  for (const std::string& warning : *warnings) {
    telemetry::Log(telemetry::Severity::kWarning, "redis_setting",
                   {{"store", configured.name}, {"warning", warning}});
  }
  co_return absl::OkStatus();
}

}  // namespace tollbridge::gateway
