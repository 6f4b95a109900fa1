// The owner stands still, or Redis loses its memory, its last writes, its time or its space.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/support/exports.h"
#include "tests/e2e/support/mutations.h"
#include "tests/support/redis_server.h"
#include "tests/support/stack.h"
#include "tests/support/tcp_proxy.h"

namespace tollbridge::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Results that a load has had when it is under way.
constexpr std::size_t kUnderWay = 60;

/// A stack with a network between the gateway and Redis.
class StoreFaultTest : public testing::Test {
 protected:
  explicit StoreFaultTest(const StackSettings& settings = ShortIntervals())
      : stack_(std::make_unique<Stack>(StackOptions{.settings = settings,
                                                    .sandbox_arguments = ImmediateSandbox(),
                                                    .redis_proxy = &network_})) {}

  std::vector<Mutation> PrepareAll(const std::string& name) {
    std::vector<Mutation> mutations;
    for (const Kind kind : kKinds) mutations.push_back(Prepare(*stack_, kind, name));
    return mutations;
  }

  /// Each has one effect, and its caller is told so in the end.
  void ExpectOneEffectEach(const std::vector<Mutation>& mutations) {
    std::vector<Told> told(mutations.size());
    {
      std::vector<std::jthread> callers;
      for (std::size_t i = 0; i < mutations.size(); ++i) {
        callers.emplace_back([&, i] { told[i] = CallUntilDefinite(stack_->grpc(), mutations[i]); });
      }
    }
    for (std::size_t i = 0; i < mutations.size(); ++i) {
      SCOPED_TRACE(RpcOf(mutations[i].kind) + ": " + told[i].text());
      EXPECT_TRUE(told[i].result);
      EXPECT_EQ(Effects(*stack_, mutations[i]), 1U);
    }
  }

  TcpProxy network_;
  std::unique_ptr<Stack> stack_;
};

/// Waits so long: for time that has to pass where nothing else happens.
void LetPass(milliseconds time) {
  Eventually([] { return false; }, time);
}

/// A stack whose gateways wait for Redis as long as it takes to stop one of them.
class StoppedOwnerTest : public StoreFaultTest {
 protected:
  StoppedOwnerTest() : StoreFaultTest(PatientIntervals()) {}

  /// How many records of operations there are.
  std::string Records() {
    return stack_->RedisCommand(
        {"EVAL", "return #redis.call('KEYS', ARGV[1])", "0", DemoKey("o:*")});
  }

  static StackSettings PatientIntervals() {
    StackSettings settings = ShortIntervals();
    settings["operations"]["store_timeout"] = "10s";
    settings["process"]["shards"] = "1";
    return settings;
  }

  /// Begins a call and holds the gateway before it can send: the answer of Redis to the claim comes
  /// when the gateway has been stopped. Gives the caller, whose call ends whenever it ends.
  std::jthread CallAndStop(GatewayProcess& owner, const Mutation& mutation, Told* told) {
    // So that it has its connection to Redis: what opens one would be held too.
    ReadOperation(owner.grpc(), mutation);
    const std::string before = Records();
    network_.HoldAnswers(true);
    std::jthread caller(
        [&owner, mutation, told] { *told = CallOnce(owner.grpc(), mutation, seconds(30)); });
    // Whatever becomes of it: on a slow machine its lease may be over by now.
    EXPECT_TRUE(Eventually([&] { return Records() != before; }));
    owner.process().Pause();
    network_.HoldAnswers(false);
    return caller;
  }
};

TEST_F(StoppedOwnerTest, AnOwnerThatStoodStillPastTheSendWindowSendsNothing) {
  const std::vector<Mutation> mutations = PrepareAll("stopped");
  for (const Mutation& mutation : mutations) {
    const std::unique_ptr<GatewayProcess> owner = stack_->OneMoreGateway();
    Told told;
    const std::jthread caller = CallAndStop(*owner, mutation, &told);
    LetPass(milliseconds(600));  // the send window is 400 ms
    owner->process().Signal(SIGCONT);
    LetPass(milliseconds(300));
    EXPECT_EQ(Effects(*stack_, mutation), 0U) << RpcOf(mutation.kind);
  }
  ExpectOneEffectEach(mutations);
}

TEST_F(StoppedOwnerTest, AnOwnerThatWakesWhenTheResolverHasClosedItsOperationSendsNothing) {
  const std::vector<Mutation> mutations = PrepareAll("late-owner");
  for (const Mutation& mutation : mutations) {
    const std::unique_ptr<GatewayProcess> owner = stack_->OneMoreGateway();
    Told told;
    const std::jthread caller = CallAndStop(*owner, mutation, &told);
    const bool closed = Eventually([&] {
      const auto operation = ReadOperation(stack_->grpc(), mutation);
      return operation && (operation->state() == operations::v1::OPERATION_STATE_NOT_EXECUTED ||
                           operation->state() == operations::v1::OPERATION_STATE_NEEDS_REVIEW);
    });
    EXPECT_TRUE(closed) << RpcOf(mutation.kind);
    owner->process().Signal(SIGCONT);
    LetPass(milliseconds(300));
    EXPECT_EQ(Effects(*stack_, mutation), 0U) << RpcOf(mutation.kind);
    // The owner has proved that nothing was sent, so that even a refund may run again.
    Told again;
    Eventually([&] {
      again = CallUntilDefinite(stack_->grpc(), mutation);
      return again.result;
    });
    EXPECT_TRUE(again.result) << again.text();
    EXPECT_EQ(Effects(*stack_, mutation), 1U) << again.text();
  }
}

/// Callers that go on and on with keys of their own while something happens.
class Load {
 public:
  explicit Load(Stack* stack) : stack_(*stack) {
    for (int i = 0; i < kCallers; ++i) callers_.emplace_back([this, i] { Go(i); });
  }
  ~Load() { over_ = true; }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  /// Waits until so many of its keys have had a result, in all.
  bool Progress(std::size_t results) const {
    return Eventually([&] { return results_ >= results; });
  }
  std::size_t results() const { return results_; }
  /// Ends it, and checks that each key has the effect that was told, and one at most.
  void End() {
    over_ = true;
    callers_.clear();
    // Read once: thousands of keys may have been called.
    const SandboxEffects seen(stack_);
    std::size_t results = 0;
    for (const std::vector<std::pair<Mutation, Told>>& mine : told_) {
      for (const auto& [mutation, told] : mine) {
        const std::size_t effects = seen.Of(mutation);
        EXPECT_LE(effects, 1U) << mutation.key << " " << told.text();
        if (!told.order) continue;
        ++results;
        EXPECT_EQ(effects, 1U) << mutation.key << " " << told.text();
      }
    }
    EXPECT_GT(results, 0U);
  }

 private:
  static constexpr int kCallers = 6;

  void Go(int caller) {
    const Mutation pattern = Prepare(stack_, Kind::kCreate, "load");
    for (int i = 0; !over_; ++i) {
      const Mutation mine =
          WithKey(pattern, "load-" + std::to_string(caller) + "-" + std::to_string(i));
      Told told = CallUntilDefinite(stack_.grpc(), mine);
      EXPECT_TRUE(told.definite()) << told.text();
      if (told.order) ++results_;
      told_[static_cast<std::size_t>(caller)].emplace_back(mine, std::move(told));
    }
  }

  Stack& stack_;
  std::atomic<bool> over_{false};
  std::atomic<std::size_t> results_{0};
  std::array<std::vector<std::pair<Mutation, Told>>, kCallers> told_;
  std::vector<std::jthread> callers_;
};

TEST_F(StoreFaultTest, AnEffectIsSeenHoweverManyOrdersAreNewer) {
  const Mutation create = Prepare(*stack_, Kind::kCreate, "oldest");
  ASSERT_TRUE(CallUntilDefinite(stack_->grpc(), create).order);
  // More than the sandbox lists in one answer.
  Seed(*stack_, 12'000);
  EXPECT_EQ(stack_->SandboxOrders().size(), 12'001U);
  EXPECT_EQ(Effects(*stack_, create), 1U);
  EXPECT_EQ(Effects(*stack_, WithKey(create, "never called")), 0U);
}

TEST_F(StoreFaultTest, FlushallInMidLoadLeadsToNoSecondEffect) {
  const std::vector<Mutation> mutations = PrepareAll("flushed");
  ExpectOneEffectEach(mutations);
  Load load(stack_.get());
  ASSERT_TRUE(load.Progress(kUnderWay));
  stack_->RedisCommand({"FLUSHALL"});
  // Keys that were done before are looked for, and found.
  ExpectOneEffectEach(mutations);
  load.End();
}

TEST_F(StoreFaultTest, ARestartWithoutPersistenceLeadsToNoSecondEffect) {
  const std::vector<Mutation> mutations = PrepareAll("restarted");
  ExpectOneEffectEach(mutations);
  Load load(stack_.get());
  ASSERT_TRUE(load.Progress(kUnderWay));
  network_.SetUpstream(0);
  network_.Cut();
  stack_->RedisCommand({"FLUSHALL"});  // what is on disk is empty too
  stack_->redis().Restart();
  network_.SetUpstream(stack_->redis().port());
  ExpectOneEffectEach(mutations);
  load.End();
}

TEST_F(StoreFaultTest, AFailoverToAReplicaThatMissesTheLastWritesLeadsToNoSecondEffect) {
  const std::vector<Mutation> mutations = PrepareAll("failover");
  RedisServer replica({"--replicaof", "127.0.0.1", std::to_string(stack_->redis().port()),
                       "--repl-diskless-sync-delay", "0"});
  const std::string port = std::to_string(replica.port());
  ASSERT_TRUE(Eventually([&] {
    return test::Run({"redis-cli", "-p", port, "INFO", "replication"})
               .output.find("master_link_status:up") != std::string::npos;
  }));
  // From here on it knows nothing of what happens.
  ASSERT_EQ(test::Run({"redis-cli", "-p", port, "REPLICAOF", "NO", "ONE"}).code, 0);
  ExpectOneEffectEach(mutations);
  Load load(stack_.get());
  ASSERT_TRUE(load.Progress(kUnderWay));
  network_.SetUpstream(replica.port());
  network_.Cut();
  ExpectOneEffectEach(mutations);
  load.End();
}

TEST_F(StoreFaultTest, WhileRedisIsGoneNothingIsSentAndAfterwardsEachKeyRunsOnce) {
  const std::vector<Mutation> mutations = PrepareAll("outage");
  // As a minute of it, on the same path: longer than every interval of this stack.
  stack_->redis().Stop();
  for (int round = 0; round < 3; ++round) {
    for (const Mutation& mutation : mutations) {
      const Told told = CallOnce(stack_->grpc(), mutation);
      EXPECT_EQ(told.status.reason, "STORE_UNAVAILABLE") << told.text();
      EXPECT_TRUE(told.retry_is_safe());
      EXPECT_EQ(Effects(*stack_, mutation), 0U);
    }
    LetPass(milliseconds(1'500));
  }
  stack_->redis().Restart();
  ExpectOneEffectEach(mutations);
}

TEST_F(StoreFaultTest, ARedisThatStandsStillInMidLoadLeadsToNoSecondEffect) {
  const std::vector<Mutation> mutations = PrepareAll("still");
  Load load(stack_.get());
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(load.Progress(load.results() + kUnderWay));
    stack_->redis().Pause();
    LetPass(milliseconds(1'000));
    stack_->redis().Resume();
  }
  ExpectOneEffectEach(mutations);
  load.End();
}

TEST_F(StoreFaultTest, ARedisThatIsAHundredMillisecondsAwayChangesNothing) {
  const std::vector<Mutation> mutations = PrepareAll("slow");
  network_.SetDelay(milliseconds(50));  // each way
  ExpectOneEffectEach(mutations);
}

TEST_F(StoreFaultTest, ARedisWithoutMemoryLeftTakesNothingAndLosesNothing) {
  const std::vector<Mutation> mutations = PrepareAll("full");
  Load load(stack_.get());
  ASSERT_TRUE(load.Progress(kUnderWay));
  stack_->RedisCommand({"CONFIG", "SET", "maxmemory", "1mb"});
  for (const Mutation& mutation : mutations) {
    const Told told = CallOnce(stack_->grpc(), mutation);
    EXPECT_TRUE(told.retry_is_safe()) << told.text();
    EXPECT_EQ(Effects(*stack_, mutation), 0U);
  }
  stack_->RedisCommand({"CONFIG", "SET", "maxmemory", "0"});
  ExpectOneEffectEach(mutations);
  load.End();
}

}  // namespace
}  // namespace tollbridge::test
