#ifndef TOLLBRIDGE_TESTS_EVENTS_MODEL_PROCESS_H_
#define TOLLBRIDGE_TESTS_EVENTS_MODEL_PROCESS_H_

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "adapters/redis/due_queue.h"
#include "adapters/redis/known_orders.h"
#include "adapters/redis/operation_registry.h"
#include "adapters/redis/script_runner.h"
#include "adapters/redis/snapshot_store.h"
#include "adapters/redis/sweep_state.h"
#include "services/events/hint_loop.h"
#include "services/reconcile/due_poller.h"
#include "services/reconcile/search_sweep.h"
#include "tests/events_model/event_topic.h"
#include "tests/events_model/hint_topic.h"
#include "tests/events_model/planted.h"
#include "tests/events_model/service.h"
#include "tests/events_model/traits.h"
#include "tests/support/fakes/fake_rng.h"

namespace tollbridge::events_model {

/// What the processes of a run share.
struct Shared {
  World& world;
  RedisState& redis;
  Service& service;
  HintTopic& hints;
  EventTopic& events;
  DeadLetters& letters;
  const Traits& traits;
  const Planted& planted;
};

/// One life of one process with the roles events and reconcile: the product's reader, hint loop,
/// poller and sweep over its Redis stores. Its end is a crash: what it was doing never goes on.
class Process {
 public:
  /// `projects`: that it is configured with.
  Process(Shared shared, std::uint64_t seed, domain::Projects projects);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// One poll of the due queue, unless one of the project is under way.
  void Poll(const std::string& project);
  /// Begins no further page of a sweep.
  void StopSweeps() { sweep_->Stop(); }
  /// Takes nothing new and leaves the group, in 10 s at most. Its end follows.
  void Stop();
  /// `tollbridge init-store`.
  void InitializeStore();
  /// It does nothing for so long, and then goes on as if no time had passed.
  void StandStill(Time length);
  bool IsFrozen() const { return shared_.world.IsFrozen(*context_); }

  const domain::Projects& projects() const { return projects_; }
  RedisLink& link() { return link_; }
  ProcessClock& clock() { return clock_; }

 private:
  void Start();
  void Run();
  static boost::asio::awaitable<void> PollOnce(Process* self, std::string project);

  Shared shared_;
  domain::Projects projects_;
  redis::Keyspace keyspace_;
  ProcessClock clock_;
  RedisLink link_;
  test::FakeRng rng_;
  redis::ScriptRunner scripts_;
  redis::RedisSnapshotStore snapshots_;
  ForgetfulSnapshots watched_snapshots_;
  redis::RedisDueQueue due_queue_;
  redis::RedisKnownOrders known_orders_;
  redis::RedisSweepState sweep_state_;
  ClampingSweepState watched_sweep_state_;
  redis::RedisOperationRegistry registry_;
  HintLogOfProcess hint_log_;
  EventLogOfProcess event_log_;
  std::set<std::string> polling_;
  std::unique_ptr<boost::asio::io_context> context_;
  /// These go before the context that they run on; the rest outlives it.
  std::optional<HintFeedOfGroup> feed_;
  std::optional<events::Reader> reader_;
  std::optional<events::HintHandler> handler_;
  std::shared_ptr<events::HintLoop> loop_;
  std::shared_ptr<reconcile::DuePoller> poller_;
  std::shared_ptr<reconcile::SearchSweep> sweep_;
};

}  // namespace tollbridge::events_model

#endif  // TOLLBRIDGE_TESTS_EVENTS_MODEL_PROCESS_H_
