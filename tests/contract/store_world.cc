#include "tests/contract/store_world.h"

#include <stdexcept>

#include "adapters/redis/connection.h"
#include "adapters/redis/due_queue.h"
#include "adapters/redis/family_walk.h"
#include "adapters/redis/known_orders.h"
#include "adapters/redis/operation_outbox.h"
#include "adapters/redis/operation_registry.h"
#include "adapters/redis/operation_store.h"
#include "adapters/redis/order_changes.h"
#include "adapters/redis/record_format.h"
#include "adapters/redis/refused_calls.h"
#include "adapters/redis/script_runner.h"
#include "adapters/redis/snapshot_store.h"
#include "adapters/redis/sweep_state.h"
#include "adapters/redis/unresolved_operations.h"
#include "adapters/system/system_clock.h"
#include "base/telemetry/metrics.h"
#include "tests/contract/planted_mistakes.h"
#include "tests/support/fakes/fake_order_changes.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/fakes/fake_store.h"
#include "tests/support/redis_server.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::test {
namespace {

class FakeWorld : public StoreWorld {
 public:
  FakeWorld() { PlantMistake(store_.server()); }
  ports::OperationStore& operations() override { return store_; }
  ports::UnresolvedOperations& unresolved() override { return store_; }
  ports::OperationRegistry& registry() override { return store_; }
  ports::OperationOutbox& outbox() override { return store_; }
  ports::RefusedCalls& refused_calls() override { return store_.refused_calls(); }
  ports::SnapshotStore& snapshots() override { return store_; }
  ports::FamilyWalk& family_walk() override { return store_.family_walk(); }
  ports::DueQueue& due_queue() override { return store_; }
  ports::KnownOrders& known_orders() override { return store_.known_orders(); }
  ports::SweepState& sweep_state() override { return store_.sweep_state(); }
  ports::OrderChanges& changes() override {
    store_.server().set_on_publish([this](const std::string& channel, const std::string& message) {
      const std::optional<Uuid> root = Uuid::FromBytes(message.substr(message.find(' ') + 1));
      ASSERT_TRUE(root.has_value());
      for (const auto& [name, project] : TestKeyspace().projects()) {
        if (channel == project.keys + "changes")
          changes_.Announce({.project = name, .root = *root});
      }
    });
    return changes_;
  }
  WallTime Now() override { return FakeStore::kStart + advanced_; }
  void AdvanceTime(ports::Millis by) override {
    advanced_ += by;
    store_.AdvanceTime(by);
  }
  void LoseMemory() override { store_.LoseMemory(); }
  void Stop() override { store_.SetAvailable(false); }
  void Restart() override {
    store_.FailOver();
    store_.SetAvailable(true);
    changes_.Reconnect();
  }
  void Promote() override { store_.server().Promote(); }
  void GainReplica() override { store_.server().RenewReplicationId(); }
  void SetMaxUndrained(std::size_t count) override { store_.SetMaxUndrained(count); }
  void SetOutOfMemory(bool full) override { store_.server().set_out_of_memory(full); }
  redis::Reply Ask(redis::Command command) override { return store_.server().Run(command); }
  std::uint64_t round_trips() override { return store_.calls(); }

 private:
  FakeStore store_;
  FakeOrderChanges changes_;
  ports::Millis advanced_{0};
};

class RedisWorld : public StoreWorld {
 public:
  // With a log of commands that is written at once, so that what was stored is there after a
  // restart.
  RedisWorld() : server_({"--appendonly", "yes", "--appendfsync", "always"}) {
    connection_.Start();
    Must(Await(context(), connection_.WaitReady(Soon())));
    const absl::StatusOr<bool> initialized = Await(
        context(),
        operations_.InitializeEpoch(Uuid::V4({0x11, 0x22}), {.deadline = Soon(), .trace = {}}));
    Must(initialized.status());
  }

  ports::OperationStore& operations() override { return operations_; }
  ports::UnresolvedOperations& unresolved() override { return unresolved_; }
  ports::OperationRegistry& registry() override { return registry_; }
  ports::OperationOutbox& outbox() override { return outbox_; }
  ports::RefusedCalls& refused_calls() override { return refused_calls_; }
  ports::SnapshotStore& snapshots() override { return snapshots_; }
  ports::FamilyWalk& family_walk() override { return family_walk_; }
  ports::DueQueue& due_queue() override { return due_queue_; }
  ports::KnownOrders& known_orders() override { return known_orders_; }
  ports::SweepState& sweep_state() override { return sweep_state_; }
  ports::OrderChanges& changes() override {
    if (!listening_) {
      listening_ = true;
      changes_.Start();
      AwaitListening();
    }
    return changes_;
  }
  WallTime Now() override {
    const redis::Reply time = Ask({"TIME"});
    const std::int64_t millis =
        *time.elements.at(0).AsInteger() * 1000 + *time.elements.at(1).AsInteger() / 1000;
    return WallTime(ports::Millis(millis)) + advanced_;
  }
  void AdvanceTime(ports::Millis by) override {
    advanced_ += by;
    scripts_.SetTimeOffset(advanced_);
  }
  void LoseMemory() override { Ask({"FLUSHALL"}); }
  void Stop() override {
    server_.Stop();
    if (!RunUntil(context(), [this] { return !connection_.ready(); })) {
      throw std::runtime_error("the connection did not notice");
    }
  }
  void Restart() override {
    server_.Restart();
    Must(Await(context(), connection_.WaitReady(Soon())));
    if (listening_) AwaitListening();
  }
  void Promote() override {
    Ask({"REPLICAOF", "127.0.0.1", "1"});
    Ask({"REPLICAOF", "NO", "ONE"});
    Reconnect();
  }
  void GainReplica() override {
    replica_ = std::make_unique<RedisServer>(ReplicaOf(server_));
    const redis::Reply replicas = Ask({"WAIT", "1", "2500"});
    if (replicas.integer != 1) throw std::runtime_error("the replica does not come");
    Reconnect();
  }
  void SetMaxUndrained(std::size_t count) override { scripts_.SetMaxUndrained(count); }
  void SetOutOfMemory(bool full) override { Ask({"CONFIG", "SET", "maxmemory", full ? "1" : "0"}); }
  redis::Reply Ask(redis::Command command) override {
    absl::StatusOr<redis::Reply> reply =
        Await(context(), connection_.Execute(std::move(command), Soon()));
    Must(reply.status());
    return *std::move(reply);
  }
  std::uint64_t round_trips() override { return connection_.commands_sent(); }

 private:
  static BootTime Soon() { return BootClock::now() + std::chrono::seconds(10); }
  static void Must(const absl::Status& status) {
    if (!status.ok()) throw std::runtime_error(status.ToString());
  }

  void Reconnect() {
    Ask({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no"});
    if (!RunUntil(context(), [this] { return !connection_.ready(); })) {
      throw std::runtime_error("the connection did not notice");
    }
    Must(Await(context(), connection_.WaitReady(Soon())));
  }
  void AwaitListening() {
    if (!RunUntil(context(), [this] { return changes_.ready(); })) {
      throw std::runtime_error("the subscription does not come");
    }
  }
  redis::ConnectionOptions Options() const {
    return {.host = "127.0.0.1",
            .port = server_.port(),
            .command_timeout = std::chrono::seconds(3),
            .backoff_first = std::chrono::milliseconds(5),
            .backoff_max = std::chrono::milliseconds(40)};
  }

  RedisServer server_;
  std::unique_ptr<RedisServer> replica_;
  telemetry::Metrics metrics_;
  redis::Connection connection_{context().get_executor(), Options(), metrics_};
  redis::RedisOrderChanges changes_{context().get_executor(), Options(), TestKeyspace(), metrics_};
  bool listening_ = false;
  system::SystemClock clock_;
  FakeRng rng_;
  redis::ScriptRunner scripts_{
      connection_, TestKeyspace(), {.entry_retention = std::chrono::days(400)}, clock_, rng_};
  redis::RedisOperationStore operations_{scripts_, scripts_};
  redis::RedisUnresolvedOperations unresolved_{scripts_};
  redis::RedisOperationRegistry registry_{scripts_};
  redis::RedisOperationOutbox outbox_{scripts_, "drainer-1"};
  redis::RedisRefusedCalls refused_calls_{scripts_};
  redis::RedisSnapshotStore snapshots_{scripts_};
  redis::RedisFamilyWalk family_walk_{scripts_};
  redis::RedisDueQueue due_queue_{connection_, TestKeyspace()};
  redis::RedisKnownOrders known_orders_{connection_, TestKeyspace()};
  redis::RedisSweepState sweep_state_{scripts_};
  ports::Millis advanced_{0};
};

}  // namespace

StoreWorldKind FakeWorldKind() {
  return {.name = "Fake", .make = [] { return std::make_unique<FakeWorld>(); }};
}

StoreWorldKind RedisWorldKind() {
  return {.name = "Redis", .make = [] { return std::make_unique<RedisWorld>(); }};
}

}  // namespace tollbridge::test
