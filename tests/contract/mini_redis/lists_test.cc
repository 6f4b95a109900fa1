#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/contract/mini_redis/comparison.h"

namespace tollbridge::test {
namespace {

using redis::Command;
using MiniRedisLists = ComparisonTest;

TEST_F(MiniRedisLists, ValuesArePushedAtBothEnds) {
  Same({"RPUSH", "l", "a", "b"});
  Same({"LPUSH", "l", "c", "d"});
  Same({"RPUSH", "l", ""});
  SameText({"RPUSH", "l"});
  SameText({"LPUSH", "l"});
  Same({"LLEN", "l"});
  Same({"LLEN", "none"});
  Same({"TYPE", "l"});
  Same({"LRANGE", "l", "0", "-1"});
  SameScript("redis.call('RPUSH', 'l', 1.5, 2) return redis.call('LRANGE', 'l', 0, -1)");
}

TEST_F(MiniRedisLists, ValuesArePoppedInOrderAndAnEmptyListIsGone) {
  Same({"RPUSH", "l", "a", "b", "c", "d"});
  Same({"LPOP", "l"});
  Same({"LPOP", "l", "2"});
  Same({"LPOP", "l", "0"});
  for (const char* count : {"-1", "x", "1.5", "9223372036854775808"}) {
    SameText({"LPOP", "l", count});
    SameText({"LPOP", "none", count});
  }
  SameText({"LPOP", "l", "1", "1"});
  Same({"LPOP", "l", "9"});
  Same({"EXISTS", "l"});
  Same({"LPOP", "l"});
  Same({"LPOP", "l", "1"});
  Same({"LPOP", "l", "0"});
  SameScript("return {redis.call('LPOP', 'l') == false, redis.call('LPOP', 'l', 1) == false}");
  Same({"RPUSH", "l", "a"});
  Same({"LPOP", "l"});
  Same({"EXISTS", "l"});
  Same({"RPUSH", "l", "a"});
  Same({"UNLINK", "l"});
  Same({"TYPE", "l"});
}

TEST_F(MiniRedisLists, PlacesAreCountedFromBothEnds) {
  Same({"RPUSH", "l", "a", "b", "c"});
  for (const char* at : {"0", "2", "3", "-1", "-3", "-4", "x"}) {
    SameText({"LINDEX", "l", at});
    SameText({"LINDEX", "none", at});
    for (const char* to : {"0", "1", "9", "-1", "-3", "-9", "x"}) {
      SameText({"LRANGE", "l", at, to});
      SameText({"LRANGE", "none", at, to});
    }
  }
}

TEST_F(MiniRedisLists, OtherTypesAreRefusedAsByARealServer) {
  Same({"SET", "k", "v"});
  Same({"RPUSH", "l", "a"});
  const std::vector<Command> commands = {
      {"RPUSH", "k", "a"},     {"LPUSH", "k", "a"},         {"LPOP", "k"},
      {"LPOP", "k", "1"},      {"LPOP", "k", "0"},          {"LPOP", "k", "x"},
      {"LLEN", "k"},           {"LRANGE", "k", "0", "1"},   {"LRANGE", "k", "x", "1"},
      {"LINDEX", "k", "0"},    {"LINDEX", "k", "x"},        {"GET", "l"},
      {"HSET", "l", "a", "1"}, {"XADD", "l", "1", "a", "1"}};
  for (const Command& command : commands) SameText(command);
}

TEST_F(MiniRedisLists, ACopyOfTheDataHasItsOwnLists) {
  Same({"RPUSH", "l", "a", "b"});
  const MiniRedis::Copy copy = mini_.TakeCopy();
  Same({"LPOP", "l"});
  mini_.FailOver(copy);
  EXPECT_EQ(mini_.Run({"LLEN", "l"}).integer, 2);
}

}  // namespace
}  // namespace tollbridge::test
