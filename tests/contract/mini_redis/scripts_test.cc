#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/contract/mini_redis/comparison.h"

namespace tollbridge::test {
namespace {

using redis::Reply;
using MiniRedisScripts = ComparisonTest;

TEST_F(MiniRedisScripts, ValuesChangeTypeAsInARealServer) {
  for (const char* value : {"7",
                            "7.9",
                            "-7.9",
                            "'text'",
                            "true",
                            "false",
                            "nil",
                            "{1, 2, nil, 4}",
                            "{'a', {3.5}}",
                            "{ok = 'FINE'}",
                            "{err = 'CODE text'}",
                            "{}",
                            "1767225600123",
                            "redis.status_reply('X')",
                            "redis.error_reply('CODE text')",
                            "redis.error_reply('-CODE text')",
                            "redis.error_reply('word')",
                            "redis.sha1hex('x')",
                            "tostring(3)",
                            "tostring(0.5)",
                            "string.format('%.0f', 1767225600123)",
                            "1767225600123 .. ''",
                            "math.floor(-0.5)",
                            "type(KEYS) .. #ARGV",
                            "tonumber('x')",
                            "tonumber('12')",
                            "string.rep('ab', 3)"}) {
    SameScript(std::string("return ") + value);
  }
}

TEST_F(MiniRedisScripts, RepliesChangeTypeAsInARealServer) {
  SameScript("redis.call('HSET', 'h', 'a', 1.5, 'b', 2) return redis.call('HGETALL', 'h')");
  SameScript("return redis.call('HMGET', 'h', 'a', 'none')[2] == false");
  SameScript("return type(redis.call('HGET', 'h', 'none'))");
  SameScript("return redis.call('SET', 'k', 'v').ok");
  SameScript("return redis.call('SET', 'k', 'v')");
  SameScript("return redis.call('SET', 'k', 'v', 'NX') == false");
  SameScript("return type(redis.call('HLEN', 'h'))");
  SameScript("redis.call('SET', 'n', 1767225600123) return redis.call('GET', 'n')");
  SameScript("redis.call('ZADD', 'z', 1767225600123, 'm') return redis.call('ZSCORE', 'z', 'm')");
  SameScript("redis.call('ZADD', 'z', 0.1, 'm') return redis.call('ZRANGE', 'z', 0, -1)");
  // Not 0.1: before release 8 a server writes down all of a number's 17 digits, since then the
  // fewest.
  SameScript("redis.call('SET', 'n', 0.5) return redis.call('GET', 'n')");
  SameScript("redis.call('SET', 'n', 9007199254740991) return redis.call('GET', 'n')");
  SameScript("return #redis.call('TIME')");
  SameScript("return string.match(redis.call('INFO', 'server'), 'run_id:%x+') ~= nil");
}

TEST_F(MiniRedisScripts, AnErrorEndsTheScriptAndLeavesWhatWasWritten) {
  Same({"SET", "text", "x"});
  SameScript(
      "redis.call('SET', 'before', 1) redis.call('INCR', 'text') redis.call('SET', 'after', 1)");
  Same({"GET", "before"});
  Same({"GET", "after"});
  SameScript("local r = redis.pcall('INCR', 'text') return r");
  SameScript("local r = redis.pcall('HGET', 'text', 'f') return string.sub(r.err, 1, 9)");
  SameScript("redis.call('HGET', 'text', 'f')");
  SameScript("local ok, e = pcall(redis.call, 'INCR', 'text') return {type(ok), tostring(ok)}");
  SameScript("error('own words')");
  SameScript("error({err = 'MINE own words'})");
  SameScript("return nosuchglobal");
  SameScript("newglobal = 1");
  SameScript("return redis.call()");
  SameScript("return redis.call('SET', 'k', {})");
  SameScript("return redis.call('HGET', 'k')");
  SameScript("return redis.call('EVAL', 'return 1', 0)");
  SameScript("return redis.call('SCRIPT', 'LOAD', 'return 1')");
  SameScript("local x = = 1");
}

// Servers since release 8 let a script wait for replicas. Ours may not: it would hold up all
// others.
TEST_F(MiniRedisScripts, MayNotWait) {
  EXPECT_EQ(mini_.Run({"EVAL", "return redis.call('WAIT', 1, 1)", "0"}).text,
            "ERR This Redis command is not allowed from script script: user_script");
}

TEST_F(MiniRedisScripts, ArgumentsComeAsGiven) {
  SameScript("return {ARGV[1], ARGV[2], #ARGV, ARGV[3]}", {"a", std::string("b\0\xff", 3)});
  Same({"EVAL", "return {KEYS[1], ARGV[1]}", "1", "key", "argument"});
  Same({"EVAL", "return 1", "2", "key"});
  Same({"EVAL", "return 1", "x"});
  Same({"EVAL", "return 1", "-1"});
}

TEST_F(MiniRedisScripts, AreKnownByTheirHashOnceTheyHaveRun) {
  const std::string text = "return ARGV[1]";
  const std::string sha = ScriptEngine::Sha1Hex(text);
  Same({"EVALSHA", sha, "0", "x"});
  SameScript(text, {"x"});
  Same({"EVALSHA", sha, "0", "x"});
  Same({"SCRIPT", "EXISTS", sha, std::string(40, '0')});
  Same({"SCRIPT", "FLUSH"});
  Same({"EVALSHA", sha, "0", "x"});
  Same({"SCRIPT", "LOAD", text});
  Same({"EVALSHA", sha, "0", "x"});
}

}  // namespace
}  // namespace tollbridge::test
