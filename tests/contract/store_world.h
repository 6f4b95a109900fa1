#ifndef TOLLBRIDGE_TESTS_CONTRACT_STORE_WORLD_H_
#define TOLLBRIDGE_TESTS_CONTRACT_STORE_WORLD_H_

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "adapters/redis/reply.h"
#include "services/ports/due_queue.h"
#include "services/ports/family_walk.h"
#include "services/ports/known_orders.h"
#include "services/ports/operation_outbox.h"
#include "services/ports/operation_registry.h"
#include "services/ports/operation_store.h"
#include "services/ports/order_changes.h"
#include "services/ports/refused_calls.h"
#include "services/ports/snapshot_store.h"
#include "services/ports/sweep_state.h"
#include "services/ports/unresolved_operations.h"
#include "tests/support/async_test.h"

namespace tollbridge::test {

/// All stores over one Redis, and what a test may do to it. Starts with an epoch that nobody
/// doubts.
class StoreWorld {
 public:
  virtual ~StoreWorld() = default;
  virtual ports::OperationStore& operations() = 0;
  virtual ports::UnresolvedOperations& unresolved() = 0;
  virtual ports::OperationRegistry& registry() = 0;
  virtual ports::OperationOutbox& outbox() = 0;
  virtual ports::RefusedCalls& refused_calls() = 0;
  virtual ports::SnapshotStore& snapshots() = 0;
  virtual ports::FamilyWalk& family_walk() = 0;
  virtual ports::DueQueue& due_queue() = 0;
  virtual ports::KnownOrders& known_orders() = 0;
  virtual ports::SweepState& sweep_state() = 0;
  /// Listens, from the first call on.
  virtual ports::OrderChanges& changes() = 0;

  /// The clock of the store itself.
  virtual WallTime Now() = 0;
  virtual void AdvanceTime(ports::Millis by) = 0;
  /// Everything is gone, the epoch too, and no connection was closed.
  virtual void LoseMemory() = 0;
  /// From now on nobody serves.
  virtual void Stop() = 0;
  /// Serves again, with what was stored, as another run of the server. Returns when calls get
  /// through.
  virtual void Restart() = 0;
  /// The same run of the server was another's replica, and is the primary again. Returns when new
  /// connections are there.
  virtual void Promote() = 0;
  /// Its first replica comes, so that its replication id changes. Returns when new connections are
  /// there.
  virtual void GainReplica() = 0;
  /// With so many transitions that are not drained nothing is claimed any more.
  virtual void SetMaxUndrained(std::size_t count) = 0;
  /// Whether what takes memory is refused.
  virtual void SetOutOfMemory(bool full) = 0;
  /// A command to the Redis itself, and its reply.
  virtual redis::Reply Ask(redis::Command command) = 0;
  /// Round trips of the stores so far.
  virtual std::uint64_t round_trips() = 0;

  boost::asio::io_context& context() { return context_; }

 private:
  boost::asio::io_context context_{1};
};

/// How a world is made, and the name of its kind in the names of tests.
struct StoreWorldKind {
  std::string name;
  std::function<std::unique_ptr<StoreWorld>()> make;
};

/// On a Redis in memory.
StoreWorldKind FakeWorldKind();
/// On a redis-server of its own.
StoreWorldKind RedisWorldKind();

/// Base of the contract suites: each test runs on a Redis in memory and on a real one.
class StoreContractTest : public testing::TestWithParam<StoreWorldKind> {
 protected:
  StoreContractTest() : world_(GetParam().make()) {}

  /// Runs a call to its end.
  template <typename T>
  T Run(boost::asio::awaitable<T> call) {
    return Await(world_->context(), std::move(call));
  }
  /// In the epoch that the store has now, unless the snapshot names one.
  absl::StatusOr<ports::SaveVerdict> SaveFamily(ports::SaveRequest request) {
    if (request.snapshot.epoch().empty()) {
      const auto now = Run(world_->snapshots().Load(request.key, Within()));
      if (!now.ok()) return now.status();
      request.snapshot.set_epoch(now->epoch);
    }
    return Run(world_->snapshots().Save(request, Within()));
  }
  static ports::Context Within(std::chrono::milliseconds limit = std::chrono::seconds(10)) {
    return {.deadline = BootClock::now() + limit, .trace = {}};
  }

  std::unique_ptr<StoreWorld> world_;
};

inline std::string KindName(const testing::TestParamInfo<StoreWorldKind>& info) {
  return info.param.name;
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_CONTRACT_STORE_WORLD_H_
