// A project that comes to a store while other processes have it in another one
// (docs/adr/0040-a-store-lists-its-projects.md).
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "adapters/redis/errors.h"
#include "adapters/redis/script_runner.h"
#include "adapters/system/system_clock.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/test_keyspace.h"
#include "tests/unit/adapters/redis/passing_executor.h"
#include "tests/unit/adapters/redis/redis_fixture.h"

namespace tollbridge::redis {
namespace {

/// A connection on which something happens behind the first command that is carried out, and which
/// may be lost then.
class DisturbedConnection final : public PassingExecutor {
 public:
  using PassingExecutor::PassingExecutor;

  std::function<AsyncStatus()> then;
  bool lost_then = false;

  Async<Reply> Execute(Command command, BootTime deadline) override {
    if (lost_) co_return StoreUnavailable("the connection is lost");
    absl::StatusOr<Reply> reply = co_await server().Execute(std::move(command), deadline);
    // Redis is told a script's text only when it does not know it.
    if (reply.ok() && reply->type != Reply::Type::kError && then) {
      const absl::Status done = co_await std::exchange(then, nullptr)();
      EXPECT_TRUE(done.ok()) << done;
      lost_ = lost_then;
    }
    co_return reply;
  }

 private:
  bool lost_ = false;
};

/// Two stores, in one server, and two configurations that have the project in one each.
class JoinStore : public RedisTest {
 protected:
  static constexpr const char* kProject = "shop";

  static Keyspace KeysIn(const std::string& store) {
    return {store, domain::Projects({*test::StoreProjects().Find(kProject)})};
  }
  ScriptRunner Runner(CommandExecutor& connection, const std::string& store) {
    return {connection, KeysIn(store), {}, clock_, rng_};
  }
  bool Serves(const std::string& store) {
    ScriptRunner runner = Runner(*connection_, store);
    const Reply found = Ask(*connection_, {"HGET", EpochKey(store), *KeysIn(store).Of(kProject)});
    return found.text.find(' ') != std::string::npos;
  }

  std::unique_ptr<Connection> connection_ = Connected();
  system::SystemClock clock_;
  test::FakeRng rng_;
};

TEST_F(JoinStore, AProjectGoesFromOneListToTheOtherAndBack) {
  ScriptRunner first = Runner(*connection_, "first:");
  ScriptRunner second = Runner(*connection_, "second:");
  first.SetOthers({&second});
  second.SetOthers({&first});
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(Run(first.Join(kProject, Soon())).ok());
    EXPECT_TRUE(Serves("first:"));
    EXPECT_FALSE(Serves("second:"));
    ASSERT_TRUE(Run(second.Join(kProject, Soon())).ok());
    EXPECT_FALSE(Serves("first:"));
    EXPECT_TRUE(Serves("second:"));
  }
}

TEST_F(JoinStore, NoTwoListAProjectWhenOneOfThemCannotBeToldInTheEnd) {
  DisturbedConnection lost(*connection_);
  ScriptRunner first = Runner(*connection_, "first:");
  ScriptRunner second_of_first = Runner(lost, "second:");
  first.SetOthers({&second_of_first});
  ScriptRunner second = Runner(*connection_, "second:");
  ScriptRunner first_of_second = Runner(*connection_, "first:");
  second.SetOthers({&first_of_second});
  lost.lost_then = true;
  lost.then = [&] { return second.Join(kProject, Soon()); };

  EXPECT_TRUE(absl::IsUnavailable(Run(first.Join(kProject, Soon()))));
  EXPECT_TRUE(Serves("second:"));
  EXPECT_FALSE(Serves("first:"));

  ScriptRunner others = Runner(*connection_, "second:");
  first.SetOthers({&others});
  ASSERT_TRUE(Run(first.Join(kProject, Soon())).ok()) << "what was said before holds up nobody";
  EXPECT_TRUE(Serves("first:"));
  EXPECT_FALSE(Serves("second:"));
}

TEST_F(JoinStore, WhatWasTakenBackInBetweenIsNotListed) {
  DisturbedConnection disturbed(*connection_);
  ScriptRunner first = Runner(disturbed, "first:");
  ScriptRunner second_of_first = Runner(*connection_, "second:");
  first.SetOthers({&second_of_first});
  ScriptRunner second = Runner(*connection_, "second:");
  ScriptRunner first_of_second = Runner(*connection_, "first:");
  second.SetOthers({&first_of_second});
  disturbed.then = [&] { return second.Join(kProject, Soon()); };

  ASSERT_TRUE(Run(first.Join(kProject, Soon())).ok());
  EXPECT_FALSE(Serves("first:"));
  EXPECT_FALSE(Serves("second:")) << "both try again, and the last has it";
}

}  // namespace
}  // namespace tollbridge::redis
