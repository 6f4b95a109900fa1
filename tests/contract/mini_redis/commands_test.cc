#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/contract/mini_redis/comparison.h"

namespace tollbridge::test {
namespace {

using redis::Command;
using MiniRedisCommands = ComparisonTest;

TEST_F(MiniRedisCommands, StringsAnswerAsARealServer) {
  Same({"GET", "k"});
  Same({"SET", "k", "v"});
  Same({"SET", "k", "w", "NX"});
  Same({"SET", "k", "w", "XX", "GET"});
  Same({"SET", "other", "w", "XX"});
  Same({"GET", "k"});
  Same({"SET", "n", "41"});
  Same({"INCR", "n"});
  Same({"INCRBY", "n", "-50"});
  Same({"INCR", "k"});
  Same({"SET", "k"});
  Same({"SET", "k", "v", "PX", "0"});
  Same({"SET", "k", "v", "NX", "XX"});
  Same({"SET", "k", "v", "PX", "5", "KEEPTTL"});
  Same({"EXISTS", "k", "n", "k", "none"});
  Same({"TYPE", "k"});
  Same({"TYPE", "none"});
  Same({"DEL", "k", "none", "n"});
  Same({"DBSIZE"});
}

TEST_F(MiniRedisCommands, PublishAnswersAsARealServerWithoutSubscribers) {
  Same({"PUBLISH", "channel", "message"});
  Same({"PUBLISH", "channel"});
  Same({"EVAL", "return redis.call('PUBLISH', 'channel', 'message')", "0"});
  Same({"EVAL", "return redis.pcall('PUBLISH', 'channel').err ~= nil", "0"});
}

TEST_F(MiniRedisCommands, ExpiriesAnswerAsARealServer) {
  Same({"SET", "k", "v"});
  Same({"PTTL", "k"});
  Same({"PTTL", "none"});
  Same({"PERSIST", "k"});
  Same({"PEXPIRE", "k", "100000000"});
  Same({"PERSIST", "k"});
  Same({"PTTL", "k"});
  Same({"PEXPIRE", "none", "1000"});
  Same({"PEXPIRE", "k", "-1"});
  Same({"EXISTS", "k"});
  Same({"SET", "k", "v", "EX", "100"});
  Same({"SET", "k", "w"});
  Same({"PTTL", "k"});
}

TEST_F(MiniRedisCommands, ExpiriesHaveTheConditionsOfARealServer) {
  Same({"SET", "k", "v"});
  for (const char* condition : {"XX", "GT", "LT", "NX", "NX", "xx"}) {
    Same({"PEXPIRE", "k", "100000000", condition});
    Same({"PEXPIRE", "none", "100000000", condition});
  }
  const std::string at = absl::StrCat(mini_.data().now() + 200'000'000);
  Same({"PEXPIREAT", "k", at, "NX"});
  Same({"PEXPIREAT", "k", at, "LT"});
  Same({"PEXPIREAT", "k", at, "GT"});
  Same({"PEXPIREAT", "k", at, "GT"});
  Same({"PEXPIREAT", "k", at, "LT"});
  Same({"EXPIRE", "k", "100000", "XX", "GT"});
  Same({"EXPIRE", "k", "100000", "LT", "XX"});
  SameText({"PEXPIRE", "k", "1000", "NX", "XX"});
  SameText({"PEXPIRE", "k", "1000", "LT", "NX"});
  SameText({"PEXPIRE", "k", "1000", "GT", "LT"});
  SameText({"PEXPIRE", "none", "1000", "word"});
  SameText({"PEXPIRE", "k", "x", "word"});
  SameText({"PEXPIRE", "none", "x", "NX"});
  SameText({"PEXPIRE", "none", "1000", "NX", "GT"});
  Same({"PEXPIRE", "k", "-1", "GT"});
  Same({"EXISTS", "k"});
  Same({"PEXPIRE", "k", "-1", "LT"});
  Same({"EXISTS", "k"});
}

TEST_F(MiniRedisCommands, AWriteKeepsOrDropsTheExpiryAsInARealServer) {
  const std::string at = absl::StrCat(mini_.data().now() + 100'000'000);
  const std::string later = absl::StrCat(mini_.data().now() + 200'000'000);
  Same({"SET", "k", "v"});
  Same({"PEXPIREAT", "k", at});
  Same({"SET", "k", "w", "KEEPTTL"});
  Same({"PEXPIREAT", "k", later, "LT"});
  Same({"PERSIST", "k"});
  Same({"SET", "new", "v", "KEEPTTL"});
  Same({"PTTL", "new"});
  for (const Command& command :
       std::vector<Command>{{"RPUSH", "l", "a", "b"}, {"XADD", "s", "1", "a", "1"}}) {
    Same(command);
    Same({"PEXPIREAT", command[1], at});
  }
  Same({"LPOP", "l"});
  Same({"XADD", "s", "2", "a", "1"});
  Same({"XDEL", "s", "1", "2"});
  Same({"PERSIST", "l"});
  Same({"PERSIST", "s"});
}

TEST_F(MiniRedisCommands, HashesAnswerAsARealServer) {
  Same({"HSET", "h", "b", "1", "a", "2"});
  Same({"HSET", "h", "b", "3", "c", "4"});
  Same({"HSET", "h", "b"});
  Same({"HSET", "h", "b", "1", "c"});
  Same({"HSETNX", "h", "b", "5"});
  Same({"HSETNX", "h", "d", "5"});
  Same({"HGET", "h", "b"});
  Same({"HGET", "h", "none"});
  Same({"HMGET", "h", "a", "none", "b"});
  Same({"HMGET", "none", "a"});
  Same({"HGETALL", "h"});
  Same({"HGETALL", "none"});
  Same({"HINCRBY", "h", "a", "5"});
  Same({"HINCRBY", "h", "new", "-5"});
  Same({"HINCRBY", "fresh", "n", "1"});
  Same({"HSET", "h", "text", "x"});
  Same({"HINCRBY", "h", "text", "1"});
  Same({"HLEN", "h"});
  Same({"HSTRLEN", "h", "text"});
  Same({"HSTRLEN", "h", "none"});
  Same({"HSTRLEN", "none", "a"});
  SameText({"HSTRLEN", "h"});
  Same({"HEXISTS", "h", "a"});
  Same({"HDEL", "h", "a", "none", "b"});
  Same({"HGETALL", "h"});
  Same({"HDEL", "fresh", "n"});
  Same({"EXISTS", "fresh"});
  Same({"GET", "h"});
  Same({"ZADD", "h", "1", "m"});
  Same({"SET", "k", "v"});
  Same({"HSTRLEN", "k", "a"});
  Same({"HLEN", "k"});
}

TEST_F(MiniRedisCommands, SortedSetsAnswerAsARealServer) {
  Same({"ZADD", "z", "2", "b", "1", "a", "2", "aa"});
  Same({"ZADD", "z", "NX", "9", "a", "4", "d"});
  Same({"ZADD", "z", "XX", "5", "a", "5", "none"});
  Same({"ZADD", "none", "XX", "5", "a"});
  Same({"EXISTS", "none"});
  Same({"ZADD", "z", "GT", "CH", "4", "a", "6", "b"});
  Same({"ZADD", "z", "LT", "1", "d", "9", "b"});
  Same({"ZADD", "z", "NX", "GT", "1", "d"});
  Same({"ZADD", "z", "NX", "XX", "1", "d"});
  Same({"ZADD", "z", "word", "d"});
  Same({"ZADD", "z", "1"});
  Same({"ZADD", "z", "1", "a", "2"});
  Same({"ZSCORE", "z", "a"});
  Same({"ZSCORE", "z", "none"});
  Same({"ZADD", "z", "0.5", "half", "-inf", "least", "+inf", "most", "1767225600123", "time"});
  Same({"ZRANGE", "z", "0", "-1", "WITHSCORES"});
  Same({"ZRANGE", "z", "1", "2", "REV"});
  Same({"ZRANGE", "z", "-2", "5"});
  Same({"ZRANGE", "z", "(1", "+inf", "BYSCORE", "LIMIT", "1", "2"});
  Same({"ZRANGE", "z", "+inf", "1", "BYSCORE", "REV"});
  Same({"ZRANGE", "z", "0", "-1", "LIMIT", "0", "1"});
  Same({"ZREVRANGE", "z", "0", "1", "WITHSCORES"});
  Same({"ZRANGEBYSCORE", "z", "-inf", "5", "WITHSCORES", "LIMIT", "0", "2"});
  Same({"ZRANGEBYSCORE", "z", "-inf", "5", "LIMIT", "2", "-1"});
  Same({"ZRANGEBYSCORE", "z", "x", "5"});
  Same({"ZREVRANGEBYSCORE", "z", "5", "(1"});
  Same({"ZCOUNT", "z", "1", "(5"});
  Same({"ZRANK", "z", "a"});
  Same({"ZRANK", "z", "none"});
  Same({"ZCARD", "z"});
  Same({"ZREMRANGEBYRANK", "z", "0", "0"});
  Same({"ZREMRANGEBYRANK", "z", "0", "-4"});
  Same({"ZREMRANGEBYSCORE", "z", "6", "6"});
  Same({"ZRANGE", "z", "0", "-1"});
  Same({"ZREM", "z", "a", "time", "none", "most"});
  Same({"EXISTS", "z"});
}

TEST_F(MiniRedisCommands, SetsAnswerAsARealServer) {
  Same({"SADD", "s", "a", "b", "a"});
  Same({"SADD", "s", "b", "c"});
  SameInAnyOrder({"SMEMBERS", "s"});
  Same({"SISMEMBER", "s", "a"});
  Same({"SISMEMBER", "s", "z"});
  Same({"SCARD", "s"});
  Same({"SREM", "s", "a", "b", "c", "z"});
  Same({"EXISTS", "s"});
}

TEST_F(MiniRedisCommands, TheServerItselfAnswersAsARealOne) {
  Same({"PING"});
  Same({"ECHO", "x"});
  Same({"SET", "k", "v"});
  Same({"WAIT", "0", "1"});
  Same({"FLUSHALL"});
  Same({"DBSIZE"});
  EXPECT_NE(AskServer({"INFO", "server"}).text.find("\r\nrun_id:"), std::string::npos);
  EXPECT_NE(mini_.Run({"INFO", "server"}).text.find("\r\nrun_id:"), std::string::npos);
  EXPECT_EQ(mini_.Run({"TIME"}).elements.size(), 2U);
}

}  // namespace
}  // namespace tollbridge::test
