#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/contract/mini_redis/comparison.h"
#include "tests/support/mini_redis/commands.h"

namespace tollbridge::test {
namespace {

using redis::Command;
using MiniRedisOutOfMemory = ComparisonTest;

TEST_F(MiniRedisOutOfMemory, TheSameCommandsAreRefusedAsByARealServer) {
  Same({"SET", "k", "v"});
  Same({"HSET", "h", "a", "1"});
  Same({"ZADD", "z", "1", "a"});
  Same({"RPUSH", "l", "a", "b"});
  Same({"XGROUP", "CREATE", "x", "g", "0", "MKSTREAM"});
  Same({"XADD", "x", "1", "a", "1"});
  AskServer({"CONFIG", "SET", "maxmemory", "1"});
  mini_.set_out_of_memory(true);
  const std::vector<Command> commands = {{"SET", "k", "w"},
                                         {"HSET", "h", "b", "1"},
                                         {"HSETNX", "h", "c", "1"},
                                         {"HINCRBY", "h", "a", "1"},
                                         {"ZADD", "z", "1", "b"},
                                         {"SADD", "s", "a"},
                                         {"INCR", "n"},
                                         {"RPUSH", "l", "c"},
                                         {"LPUSH", "l", "c"},
                                         {"XADD", "x", "2", "a", "1"},
                                         {"XGROUP", "CREATE", "x", "h", "0"},
                                         {"LPOP", "l"},
                                         {"LRANGE", "l", "0", "-1"},
                                         {"XREADGROUP", "GROUP", "g", "c", "STREAMS", "x", ">"},
                                         {"XPENDING", "x", "g"},
                                         {"XACK", "x", "g", "1"},
                                         {"XDEL", "x", "1"},
                                         {"GET", "k"},
                                         {"HGETALL", "h"},
                                         {"PEXPIRE", "k", "90000"},
                                         {"PEXPIRE", "k", "90000", "NX"},
                                         {"PERSIST", "k"},
                                         {"HDEL", "h", "a"},
                                         {"ZREM", "z", "a"},
                                         {"DEL", "k"}};
  for (const Command& command : commands) Same(command);
  // In a script only the first write is refused: half a script would be worse.
  Same({"EVAL", "return redis.call('SET', 'k', 'v')", "0"});
  Same({"EVAL", "redis.call('DEL', 'k') return redis.call('SET', 'k', 'v')", "0"});
  Same({"EVAL", "return redis.pcall('SET', 'k', 'v')['err'] ~= nil", "0"});
  Same({"EVAL", "return redis.call('XADD', 'x', 2, 'a', 1)", "0"});
  Same({"EVAL", "return redis.call('XGROUP', 'CREATE', 'x', 'h', 0)", "0"});
  Same({"EVAL", "redis.call('LPOP', 'l') return redis.call('RPUSH', 'l', 'd')", "0"});
  Same({"EVAL", "redis.call('XACK', 'x', 'g', 1) return redis.call('XADD', 'x', 2, 'a', 1)", "0"});
  Same({"EVAL", "redis.call('XLEN', 'x') return redis.call('XADD', 'x', 3, 'a', 1)", "0"});
}

bool HasFlag(const redis::Reply& flags, std::string_view name) {
  return std::ranges::any_of(flags.elements,
                             [&](const redis::Reply& flag) { return flag.text == name; });
}

TEST_F(MiniRedisOutOfMemory, EachCommandHasTheFlagsOfARealServers) {
  for (const auto& [name, spec] : DataCommands()) {
    // Of its subcommands there is one.
    const std::string asked = name == "XGROUP" ? "XGROUP|CREATE" : std::string(name);
    const redis::Reply info = AskServer({"COMMAND", "INFO", asked});
    ASSERT_EQ(info.elements.at(0).elements.size(), 10U) << name;
    const redis::Reply& flags = info.elements[0].elements[2];
    EXPECT_EQ(spec.writes, HasFlag(flags, "write")) << name;
    EXPECT_EQ(spec.denied_when_full, HasFlag(flags, "denyoom")) << name;
  }
}

}  // namespace
}  // namespace tollbridge::test
