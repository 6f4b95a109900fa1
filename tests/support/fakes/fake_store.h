#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_STORE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "adapters/redis/due_queue.h"
#include "adapters/redis/family_walk.h"
#include "adapters/redis/known_orders.h"
#include "adapters/redis/operation_outbox.h"
#include "adapters/redis/operation_registry.h"
#include "adapters/redis/operation_store.h"
#include "adapters/redis/refused_calls.h"
#include "adapters/redis/script_runner.h"
#include "adapters/redis/snapshot_store.h"
#include "adapters/redis/sweep_state.h"
#include "adapters/redis/unresolved_operations.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/mini_redis/mini_redis.h"

namespace tollbridge::test {

/// A connection to a MiniRedis whose calls a test can make fail or wait.
class FakeStoreConnection final : public redis::CommandExecutor {
 public:
  explicit FakeStoreConnection(MiniRedis& server) : inner_(server) {}

  Async<redis::Reply> Execute(redis::Command command, BootTime deadline) override;
  Async<std::vector<redis::Reply>> ExecuteTogether(std::vector<redis::Command> commands,
                                                   BootTime deadline) override;
  bool ready() const override { return inner_.ready(); }
  std::uint64_t generation() const override { return inner_.generation(); }
  std::uint64_t commands_sent() const override { return inner_.commands_sent(); }

  MiniConnection& inner() { return inner_; }
  void Hold() { holds_ = true; }
  void LetGo();
  std::size_t held() const { return waiting_.size(); }

 private:
  boost::asio::awaitable<void> WaitWhileHeld();

  MiniConnection inner_;
  bool holds_ = false;
  std::list<std::shared_ptr<boost::asio::steady_timer>> waiting_;
};

/// The store's own time, for what it tells of its clock.
class StoreClock final : public ports::Clock {
 public:
  explicit StoreClock(std::function<WallTime()> now) : now_(std::move(now)) {}

  WallTime WallNow() const override { return now_(); }
  BootTime BootNow() const override { return BootTime(now_().time_since_epoch()); }
  boost::asio::awaitable<void> Sleep(ports::Millis /*duration*/) override { co_return; }

 private:
  std::function<WallTime()> now_;
};

/// All stores over one Redis in memory: the product's own stores and scripts. Starts with an epoch
/// that nobody doubts. Calls end at once, without suspending, but for those that are held.
class FakeStore : public ports::OperationStore,
                  public ports::UnresolvedOperations,
                  public ports::OperationRegistry,
                  public ports::OperationOutbox,
                  public ports::SnapshotStore,
                  public ports::DueQueue {
 public:
  static constexpr WallTime kStart{ports::Millis(1'700'000'000'000)};

  /// Its clock stands at kStart until AdvanceTime.
  FakeStore() : FakeStore([] { return kStart; }) {}
  /// Its clock is `now`, plus what AdvanceTime added.
  explicit FakeStore(std::function<WallTime()> now, redis::OperationStoreOptions options = {
                                                        .entry_retention = std::chrono::days(400)});
  ~FakeStore() override = default;
  FakeStore(const FakeStore&) = delete;
  FakeStore& operator=(const FakeStore&) = delete;

  void SetMaxUndrained(std::size_t count) { scripts_.SetMaxUndrained(count); }
  void AdvanceTime(ports::Millis by) { offset_ += by; }
  /// While not available each call answers STORE_UNAVAILABLE and changes nothing.
  void SetAvailable(bool available) { available_ = available; }
  /// The next call does its work and answers STORE_UNAVAILABLE all the same: its result is unknown.
  void LoseNextAnswer() { lose_next_answer_ = true; }
  /// Calls from now on wait, before anything is done, until LetGo.
  void Hold() { connection_.Hold(); }
  void LetGo() { connection_.LetGo(); }
  /// How many wait.
  std::size_t held() const { return connection_.held(); }
  /// Forgets everything, the epoch too; no connection is closed.
  void LoseMemory() { server_.data() = MiniRedis::Copy(); }
  /// Another server takes over with all data: the store is doubtful from the next claim on.
  void FailOver() { server_.FailOver(server_.TakeCopy()); }
  /// How many round trips were asked for.
  std::size_t calls() const { return calls_; }
  MiniRedis& server() { return server_; }

  ports::RefusedCalls& refused_calls() { return refused_calls_; }
  ports::KnownOrders& known_orders() { return known_orders_; }
  ports::FamilyWalk& family_walk() { return family_walk_; }
  ports::SweepState& sweep_state() { return sweep_state_; }

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

  Async<ports::DueOperations> TakeDue(const std::string& project, std::size_t limit,
                                      const std::string& token, ports::Millis lease,
                                      const ports::Context& context) override;
  Async<bool> Reschedule(const ports::DueOperation& operation, const std::string& token,
                         const ports::NextLook& next, const ports::Context& context) override;
  AsyncStatus PullDue(const std::string& project, const ports::Context& context) override;
  Async<ports::UnresolvedSurvey> Survey(const std::string& project,
                                        const ports::Context& context) override;

  Async<operations::v1::Operation> Read(const std::string& project, const Uuid& id,
                                        const ports::Context& context) override;
  Async<ports::OperationPage> List(const ports::OperationQuery& query,
                                   const ports::Context& context) override;
  Async<operations::v1::Operation> Close(const ports::CloseRequest& request,
                                         const ports::Context& context) override;
  Async<operations::v1::Operation> Confirm(const ports::ConfirmRequest& request,
                                           const ports::Context& context) override;
  Async<ports::MarkVerdict> JudgeMark(const domain::Mark& mark, const ports::FamilyKey& order,
                                      bool paid, const ports::Context& context) override;

  Async<std::vector<ports::UndrainedRecord>> Take(const std::string& project, std::size_t limit,
                                                  ports::Millis lease,
                                                  const ports::Context& context) override;
  AsyncStatus Drained(const std::string& project,
                      const std::vector<ports::UndrainedRecord>& records,
                      const ports::Context& context) override;
  Async<std::size_t> Retire(const std::string& project, std::size_t limit,
                            const ports::Context& context) override;

  Async<ports::FamilyState> Load(const ports::FamilyKey& key,
                                 const ports::Context& context) override;
  Async<ports::SaveVerdict> Save(const ports::SaveRequest& request,
                                 const ports::Context& context) override;
  Async<bool> ClearOutbox(const ports::FamilyKey& key, std::uint64_t version,
                          const std::string& epoch, const ports::Context& context) override;
  Async<ports::PendingOutboxes> Pending(const std::string& project,
                                        const ports::Context& context) override;
  AsyncStatus NoteMember(const ports::MemberNote& note, const ports::Context& context) override;
  Async<ports::TellAgainVerdict> AskToTellAgain(const ports::TellAgainRequest& request,
                                                const ports::Context& context) override;

  Async<std::vector<ports::DueOrder>> Take(const std::string& project, WallTime now,
                                           std::span<const ports::Millis> moves, std::size_t limit,
                                           const ports::Context& context) override;
  AsyncStatus Enter(const ports::FamilyKey& key, WallTime due,
                    const ports::Context& context) override;
  AsyncStatus Set(const ports::FamilyKey& key, WallTime due, std::optional<WallTime> seen,
                  const ports::Context& context) override;
  AsyncStatus Note(const ports::FamilyKey& key, const ports::Noticed& noticed,
                   const ports::Context& context) override;
  AsyncStatus RemoveIf(const ports::FamilyKey& key, WallTime seen,
                       const ports::Context& context) override;
  Async<std::vector<ports::DueOrder>> First(const std::string& project, std::size_t limit,
                                            const ports::Context& context) override;

 private:
  MiniConnection::Fate Decide();

  std::function<WallTime()> now_;
  ports::Millis offset_{0};
  bool available_ = true;
  bool lose_next_answer_ = false;
  std::size_t calls_ = 0;
  FakeRng rng_;
  MiniRedis server_;
  FakeStoreConnection connection_{server_};
  StoreClock clock_;
  redis::ScriptRunner scripts_;
  redis::RedisOperationStore operations_{scripts_, scripts_};
  redis::RedisUnresolvedOperations unresolved_{scripts_};
  redis::RedisOperationRegistry registry_{scripts_};
  redis::RedisOperationOutbox outbox_{scripts_, "drainer"};
  redis::RedisRefusedCalls refused_calls_{scripts_};
  redis::RedisSnapshotStore snapshots_;
  redis::RedisFamilyWalk family_walk_;
  redis::RedisDueQueue due_queue_;
  redis::RedisKnownOrders known_orders_;
  redis::RedisSweepState sweep_state_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_STORE_H_
