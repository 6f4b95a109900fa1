// Why a store is doubted (docs/design/operations.md#rule-12), as it is kept and counted.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "adapters/redis/script_runner.h"
#include "adapters/system/system_clock.h"
#include "base/telemetry/metric_definitions.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/process.h"
#include "tests/support/series.h"
#include "tests/support/test_keyspace.h"
#include "tests/unit/adapters/redis/redis_fixture.h"

namespace tollbridge::redis {
namespace {

class EpochCauseTest : public RedisTest {
 protected:
  /// As a gateway does that comes by.
  void Learn(Connection& connection) {
    ScriptRunner scripts(connection, test::TestKeyspace(), OperationStoreOptions{}, clock_, rng_);
    const absl::Status learned = Run(scripts.LearnEpoch(Soon()));
    EXPECT_TRUE(learned.ok()) << learned;
  }
  std::optional<double> Counted(const std::string& cause) const {
    return test::SeriesOf(metrics_, telemetry::kEpochChanges, {"redis", cause});
  }
  /// The epoch's id, and what is kept beside it of its cause.
  std::pair<std::string, std::string> Kept(Connection& connection) {
    const Reply found = Ask(connection, {"HMGET", test::TestKeyspace().epoch_key(), "id", "cause"});
    return {found.elements[0].text, found.elements[1].text};
  }

  system::SystemClock clock_;
  test::FakeRng rng_;
};

TEST_F(EpochCauseTest, LostMemoryIsCountedOnceAndAFailoverInItsDoubtBesideIt) {
  const std::unique_ptr<Connection> first = Connected();
  EXPECT_EQ(Counted("memory_lost"), 0);
  Learn(*first);
  Learn(*Connected());
  EXPECT_EQ(Counted("memory_lost"), 1) << "the second found the epoch of the first";
  const auto [lost, why] = Kept(*first);
  EXPECT_EQ(why, lost + " memory_lost");

  const test::RedisServer replica({"--replicaof", "127.0.0.1 " + std::to_string(server_.port())});
  for (int tries = 0; tries < 1000; ++tries) {
    Ask(*first, {"INCR", "written"});
    if (Ask(*first, {"WAIT", "1", "20"}).integer == 1) break;
  }
  server_.Stop();
  const std::string promoted =
      test::Run({"redis-cli", "-p", std::to_string(replica.port()), "REPLICAOF", "NO", "ONE"})
          .output;
  ASSERT_EQ(promoted, "OK\n");
  ConnectionOptions options = Options();
  options.port = replica.port();
  const std::unique_ptr<Connection> second = Connected(options);
  Learn(*second);
  EXPECT_EQ(Counted("failover"), 1);
  EXPECT_EQ(Counted("memory_lost"), 1);
  EXPECT_EQ(Counted("restart"), 0);
  const auto [epoch, cause] = Kept(*second);
  EXPECT_NE(epoch, lost);
  EXPECT_EQ(cause, epoch + " failover memory_lost") << "whose doubt lasts longer";
}

}  // namespace
}  // namespace tollbridge::redis
