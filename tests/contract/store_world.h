#ifndef TOLLBRIDGE_TESTS_CONTRACT_STORE_WORLD_H_
#define TOLLBRIDGE_TESTS_CONTRACT_STORE_WORLD_H_

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "services/ports/due_queue.h"
#include "services/ports/operation_store.h"
#include "services/ports/snapshot_store.h"
#include "tests/support/async_test.h"

namespace tollbridge::test {

/// The three stores over one state, whatever is behind them, and what a test may do to it. Starts
/// with an epoch.
class StoreWorld {
 public:
  virtual ~StoreWorld() = default;
  virtual ports::OperationStore& operations() = 0;
  virtual ports::SnapshotStore& snapshots() = 0;
  virtual ports::DueQueue& due_queue() = 0;

  /// The clock of the store itself.
  virtual ports::WallTime Now() = 0;
  virtual void AdvanceTime(ports::Millis by) = 0;
  /// Everything is gone, the epoch too, and no connection was closed.
  virtual void LoseMemory() = 0;
  /// From now on nobody serves.
  virtual void Stop() = 0;
  /// Serves again, with what was stored. Returns when calls get through.
  virtual void Restart() = 0;

  boost::asio::io_context& context() { return context_; }

 private:
  boost::asio::io_context context_{1};
};

/// How a world is made, and the name of its kind in the names of tests.
struct StoreWorldKind {
  std::string name;
  std::function<std::unique_ptr<StoreWorld>()> make;
};

StoreWorldKind FakeWorldKind();
/// On a redis-server of its own.
StoreWorldKind RedisWorldKind();

/// Base of the contract suites: each test runs on the fake and on the real store.
class StoreContractTest : public testing::TestWithParam<StoreWorldKind> {
 protected:
  StoreContractTest() : world_(GetParam().make()) {}

  /// Runs a call to its end.
  template <typename T>
  T Run(boost::asio::awaitable<T> call) {
    return Await(world_->context(), std::move(call));
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
