#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "adapters/redis/script.h"
#include "adapters/redis/scripts.h"
#include "tests/support/async_test.h"
#include "tests/support/mini_redis/mini_redis.h"

namespace tollbridge::test {
namespace {

using redis::Command;
using redis::Reply;
using std::chrono::milliseconds;
using std::chrono::seconds;

class MiniRedisLevers : public testing::Test {
 protected:
  absl::StatusOr<Reply> Execute(Command command) {
    return Await(context_, connection_.Execute(std::move(command), BootTime::max()));
  }

  boost::asio::io_context context_;
  MiniRedis mini_;
  MiniConnection connection_{mini_};
};

TEST_F(MiniRedisLevers, TheClockStandsUntilItIsMoved) {
  mini_.SetTime(seconds(100));
  mini_.Run({"SET", "k", "v", "PX", "1000"});
  EXPECT_EQ(mini_.Run({"TIME"}).elements.at(0).text, "100");
  mini_.SetTime(milliseconds(100'999));
  EXPECT_EQ(mini_.Run({"PTTL", "k"}).integer, 1);
  EXPECT_EQ(mini_.Run({"TIME"}).elements.at(1).text, "999000");
  mini_.SetTime(milliseconds(101'000));
  EXPECT_TRUE(mini_.Run({"GET", "k"}).is_nil());
  EXPECT_EQ(mini_.Run({"DBSIZE"}).integer, 0);
}

TEST_F(MiniRedisLevers, ALostReplyLeavesTheWriteAndAnUnreachedServerDoesNot) {
  connection_.set_fate([](const Command&) { return MiniConnection::Fate::kReplyLost; });
  EXPECT_EQ(Execute({"SET", "a", "1"}).status().code(), absl::StatusCode::kUnavailable);
  connection_.set_fate([](const Command&) { return MiniConnection::Fate::kNotDone; });
  EXPECT_EQ(Execute({"SET", "b", "1"}).status().code(), absl::StatusCode::kUnavailable);
  connection_.set_fate(nullptr);
  EXPECT_EQ(Execute({"EXISTS", "a"})->integer, 1);
  EXPECT_EQ(Execute({"EXISTS", "b"})->integer, 0);
  connection_.set_ready(false);
  EXPECT_EQ(Execute({"PING"}).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(MiniRedisLevers, CommandsTogetherAreOneRoundTrip) {
  std::vector<Command> commands = {{"SET", "a", "1"}, {"WAIT", "1", "10"}};
  mini_.set_replicas(1);
  const absl::StatusOr<std::vector<Reply>> replies =
      Await(context_, connection_.ExecuteTogether(std::move(commands), BootTime::max()));
  ASSERT_TRUE(replies.ok());
  EXPECT_EQ(replies->at(0).text, "OK");
  EXPECT_EQ(replies->at(1).integer, 1);
  EXPECT_EQ(connection_.commands_sent(), 1U);
}

TEST_F(MiniRedisLevers, AFailoverBringsBackTheOlderCopyUnderAnotherRunIdAndBreaksConnections) {
  const std::uint64_t generation = connection_.generation();
  const std::string info = mini_.Run({"INFO", "server"}).text;
  mini_.Run({"HSET", "h", "a", "1"});
  const MiniRedis::Copy copy = mini_.TakeCopy();
  mini_.Run({"HSET", "h", "a", "2"});
  mini_.FailOver(copy);
  EXPECT_EQ(mini_.Run({"HGET", "h", "a"}).text, "1");
  EXPECT_NE(mini_.Run({"INFO", "server"}).text, info);
  EXPECT_NE(connection_.generation(), generation);
  mini_.LoseMemory();
  EXPECT_EQ(mini_.Run({"DBSIZE"}).integer, 0);
}

TEST_F(MiniRedisLevers, AScriptIsLoadedAgainAfterAFailover) {
  const redis::Script script({"return 7"});
  EXPECT_EQ(Await(context_, script.Run(connection_, {}, BootTime::max()))->integer, 7);
  EXPECT_EQ(connection_.commands_sent(), 2U);
  EXPECT_EQ(Await(context_, script.Run(connection_, {}, BootTime::max()))->integer, 7);
  EXPECT_EQ(connection_.commands_sent(), 3U);
  mini_.FailOver(mini_.TakeCopy());
  EXPECT_EQ(Await(context_, script.Run(connection_, {}, BootTime::max()))->integer, 7);
  EXPECT_EQ(connection_.commands_sent(), 5U);
}

TEST_F(MiniRedisLevers, APatchChangesOnePlaceOfOneScript) {
  mini_.PatchScript(redis::kClearOutboxLua, "redis.call('DEL', outbox_key)", "7");
  mini_.Run({"HSET", "tb:x:family", "v", "5"});
  mini_.Run({"HSET", "tb:epoch", "id", "12345678-and-more"});
  const redis::Script script({redis::kFamilyEpochLua, redis::kClearOutboxLua});
  const absl::StatusOr<Reply> cleared = Await(
      context_, script.Run(connection_, {"tb:", "family", "5", "tb:epoch", "\x12\x34\x56\x78"},
                           BootTime::max()));
  ASSERT_TRUE(cleared.ok()) << cleared.status();
  EXPECT_EQ(cleared->integer, 7);
}

TEST_F(MiniRedisLevers, APatchThatDoesNotFitOnceFailsTheTest) {
  static MiniRedis mini;
  EXPECT_FATAL_FAILURE(mini.PatchScript("one two one", "three", "x"), "exactly once");
  EXPECT_FATAL_FAILURE(mini.PatchScript("one two one", "one", "x"), "exactly once");
}

TEST_F(MiniRedisLevers, ACommandThatIsNotThereFailsTheTest) {
  static MiniRedis mini;
  EXPECT_NONFATAL_FAILURE(mini.Run({"GEOADD", "k"}), "has no command GEOADD");
}

TEST_F(MiniRedisLevers, AnOptionThatIsNotThereFailsTheTest) {
  static MiniRedis mini;
  EXPECT_NONFATAL_FAILURE(mini.Run({"XADD", "k", "MAXLEN", "1", "*", "a", "1"}),
                          "has no XADD MAXLEN");
  EXPECT_NONFATAL_FAILURE(mini.Run({"XGROUP", "DESTROY", "k", "g"}), "has no XGROUP DESTROY");
}

TEST_F(MiniRedisLevers, AResetLeavesNothingBehind) {
  mini_.Run({"SET", "k", "v"});
  mini_.set_out_of_memory(true);
  mini_.Reset();
  EXPECT_EQ(mini_.Run({"DBSIZE"}).integer, 0);
  EXPECT_EQ(mini_.Run({"SET", "k", "v"}).text, "OK");
}

}  // namespace
}  // namespace tollbridge::test
