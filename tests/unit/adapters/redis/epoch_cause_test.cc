// Why a store is doubted (docs/design/operations.md#rule-12), as it is kept and counted.
#include <gtest/gtest.h>

#include <cstdint>
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
#include "tests/unit/adapters/redis/passing_executor.h"
#include "tests/unit/adapters/redis/redis_fixture.h"

namespace tollbridge::redis {
namespace {

/// A client that is led to another server.
class Led : public PassingExecutor {
 public:
  using PassingExecutor::PassingExecutor;

  void LeadTo(Connection& other) {
    PassOnTo(other);
    ++led_;
  }
  std::uint64_t generation() const override { return led_; }

 private:
  std::uint64_t led_ = 1;
};

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

  /// Whether a replica has what was written.
  bool Replicated(Connection& primary) {
    for (int tries = 0; tries < 1000; ++tries) {
      Ask(primary, {"INCR", "written"});
      if (Ask(primary, {"WAIT", "1", "20"}).integer == 1) return true;
    }
    return false;
  }
  static void Promote(const test::RedisServer& replica) {
    const std::string port = std::to_string(replica.port());
    EXPECT_EQ(test::Run({"redis-cli", "-p", port, "REPLICAOF", "NO", "ONE"}).output, "OK\n");
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
  ASSERT_TRUE(Replicated(*first));
  server_.Stop();
  Promote(replica);
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

/// Nobody told the first one that another took its place: its run id and its replication id are
/// what they were.
TEST_F(EpochCauseTest, AServerThatWasCutOffAndServesAgainIsDoubtedOnce) {
  const std::unique_ptr<Connection> first = Connected();
  Learn(*first);
  const test::RedisServer other({"--replicaof", "127.0.0.1 " + std::to_string(server_.port())});
  ASSERT_TRUE(Replicated(*first));
  ConnectionOptions options = Options();
  options.port = other.port();
  Led led(*first);
  Led beside(*first);
  ScriptRunner scripts(led, test::TestKeyspace(), OperationStoreOptions{}, clock_, rng_);
  ScriptRunner second(beside, test::TestKeyspace(), OperationStoreOptions{}, clock_, rng_);
  ASSERT_TRUE(Run(scripts.LearnEpoch(Soon())).ok());
  ASSERT_TRUE(Run(second.LearnEpoch(Soon())).ok());
  const std::string before = scripts.epoch();

  Promote(other);
  const std::unique_ptr<Connection> promoted = Connected(options);
  led.LeadTo(*promoted);
  beside.LeadTo(*promoted);
  ASSERT_TRUE(Run(scripts.LearnEpoch(Soon())).ok());
  ASSERT_TRUE(Run(second.LearnEpoch(Soon())).ok());
  EXPECT_NE(scripts.epoch(), before);
  EXPECT_EQ(Counted("failover"), 1);

  led.LeadTo(*first);
  beside.LeadTo(*first);
  ASSERT_TRUE(Run(scripts.LearnEpoch(Soon())).ok());
  EXPECT_NE(scripts.epoch(), before);
  EXPECT_EQ(Counted("failover"), 2);
  ASSERT_TRUE(Run(second.LearnEpoch(Soon())).ok());
  EXPECT_EQ(second.epoch(), scripts.epoch()) << "it says the same as the first";
  // Nor does who learned nothing in between.
  Learn(*first);
  EXPECT_EQ(Counted("failover"), 2);
  EXPECT_EQ(Counted("restart"), 0);
}

}  // namespace
}  // namespace tollbridge::redis
