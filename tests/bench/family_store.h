#ifndef TOLLBRIDGE_TESTS_BENCH_FAMILY_STORE_H_
#define TOLLBRIDGE_TESTS_BENCH_FAMILY_STORE_H_

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "adapters/redis/connection.h"
#include "adapters/redis/due_queue.h"
#include "adapters/redis/script_runner.h"
#include "adapters/redis/snapshot_store.h"
#include "adapters/system/system_clock.h"
#include "base/telemetry/metrics.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/redis_server.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::bench {

/// Families of orders that were paid, in a Redis of their own. Throws where it fails.
class FamilyStore {
 public:
  FamilyStore();

  /// Saves those from the last one on, with what an operation leaves with its order.
  void SaveUpTo(std::uint64_t count);
  /// Their last planned read is over, of those from the last one on.
  void SettleUpTo(std::uint64_t count);
  std::int64_t UsedBytes();
  /// Milliseconds that the poller waits for a hundred due orders.
  double TakeMs();

 private:
  using One = std::function<boost::asio::awaitable<bool>(std::uint64_t)>;
  /// `one` for each from `done` on, many at a time.
  void Each(std::uint64_t& done, std::uint64_t count, const One& one);
  boost::asio::awaitable<bool> SaveOne(std::uint64_t number);
  boost::asio::awaitable<bool> SettleOne(std::uint64_t number);

  test::RedisServer server_;
  telemetry::Metrics metrics_;
  boost::asio::io_context context_{1};
  redis::Connection connection_;
  system::SystemClock clock_;
  test::FakeRng rng_;
  redis::ScriptRunner scripts_{connection_, test::TestKeyspace(), {}, clock_, rng_};
  redis::RedisSnapshotStore snapshots_{scripts_};
  redis::RedisDueQueue due_{connection_, test::TestKeyspace()};
  std::string epoch_;
  std::uint64_t saved_ = 0;
  std::uint64_t settled_ = 0;
};

}  // namespace tollbridge::bench

#endif  // TOLLBRIDGE_TESTS_BENCH_FAMILY_STORE_H_
