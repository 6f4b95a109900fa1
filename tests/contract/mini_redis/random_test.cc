#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "tests/contract/mini_redis/comparison.h"

namespace tollbridge::test {
namespace {

using redis::Command;

/// Commands over few keys, fields and members, so that they meet.
class RandomCommands {
 public:
  explicit RandomCommands(std::uint32_t seed) : random_(seed) {}

  Command Next() {
    switch (Upto(4)) {
      case 0:
        return NextOfList();
      case 1:
        return NextOfStream();
      default:
        return NextOfOthers();
    }
  }

  /// A script of several commands, some of them under pcall.
  std::string Script() {
    std::string text = "local all = {}\n";
    const int count = 1 + Upto(5);
    for (int i = 0; i < count; ++i) {
      const Command command = Next();
      absl::StrAppend(&text, "table.insert(all, redis.", Upto(3) == 0 ? "call(" : "pcall(");
      for (std::size_t j = 0; j < command.size(); ++j) {
        absl::StrAppend(&text, j == 0 ? "'" : ", '", command[j], "'");
      }
      absl::StrAppend(&text, "))\n");
    }
    return text + "return all";
  }

  bool AsScript() { return Upto(3) == 0; }

 private:
  Command NextOfOthers() {
    switch (Upto(22)) {
      case 0:
        return {"SET", Key(), Number()};
      case 1:
        return {"SET", Key(), Number(), "NX"};
      case 2:
        return {"GET", Key()};
      case 3:
        return {"DEL", Key()};
      case 4:
        return {"HSET", Key(), Field(), Number()};
      case 5:
        return {"HSETNX", Key(), Field(), Number()};
      case 6:
        return {"HGETALL", Key()};
      case 7:
        return {"HMGET", Key(), Field(), Field()};
      case 8:
        return {"HDEL", Key(), Field()};
      case 9:
        return {"HINCRBY", Key(), Field(), Number()};
      case 10:
        return {"ZADD", Key(), Number(), Field(), Number(), Field()};
      case 11:
        return {"ZADD", Key(), Pick<4>({"NX", "XX", "GT", "LT"}), "CH", Number(), Field()};
      case 12:
        return {"ZREM", Key(), Field()};
      case 13:
        return {"ZRANGEBYSCORE", Key(), Number(), "+inf", "WITHSCORES", "LIMIT", "0", "2"};
      case 14:
        return {"ZRANGE", Key(), Number(), Number(), "WITHSCORES"};
      case 15:
        return {"ZREMRANGEBYRANK", Key(), Number(), Number()};
      case 16:
        return {"EXISTS", Key(), Key()};
      case 17:
        return {"SADD", Key(), Field()};
      case 18:
        return {"PERSIST", Key()};
      case 19:
        return {"PEXPIRE", Key(), "100000000", Pick<2>({"NX", "XX"})};
      case 20:
        return {"TYPE", StreamKey()};
      default:
        return {"INCRBY", Key(), Number()};
    }
  }

  Command NextOfList() {
    switch (Upto(7)) {
      case 0:
        return {"RPUSH", Key(), Field(), Number()};
      case 1:
        return {"LPUSH", Key(), Field()};
      case 2:
        return {"LPOP", Key()};
      case 3:
        return {"LPOP", Key(), Number()};
      case 4:
        return {"LLEN", Key()};
      case 5:
        return {"LRANGE", Key(), Number(), Number()};
      default:
        return {"LINDEX", Key(), Number()};
    }
  }

  Command NextOfStream() {
    switch (Upto(12)) {
      case 0:
      case 1:
      case 2:
        return {"XADD", StreamKey(), Id(), Field(), Number()};
      case 3:
        return {"XADD", StreamKey(), absl::StrCat(entries_++), Field(), Number()};
      case 4:
        return {"XLEN", StreamKey()};
      case 5:
        return {"XRANGE", StreamKey(), Id(), Id(), "COUNT", Number()};
      case 6:
        return {"XREVRANGE", StreamKey(), "+", "(" + Id()};
      case 7:
        return {"XDEL", StreamKey(), Id(), Id()};
      case 8:
        return {"XGROUP", "CREATE", StreamKey(), Group(), Id(), "MKSTREAM"};
      case 9:
        return {"XACK", StreamKey(), Group(), Id(), Id()};
      case 10:
        return {"XPENDING", StreamKey(), Group()};
      default:
        return {"XREADGROUP", "GROUP",     Group(),
                Group(),      "COUNT",     Number(),
                "STREAMS",    StreamKey(), Upto(2) == 0 ? ">" : Pick<2>({"0", "1"})};
    }
  }

  int Upto(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  template <std::size_t kCount>
  std::string Pick(const std::array<const char*, kCount>& from) {
    return from[static_cast<std::size_t>(Upto(static_cast<int>(kCount)))];
  }
  std::string Key() { return Pick<6>({"k1", "k2", "k3", "k4", "k5", "k6"}); }
  /// Mostly one of those that hold nothing else.
  std::string StreamKey() { return Pick<4>({"s1", "s2", "s3", "k1"}); }
  /// Near the newest.
  std::string Id() { return absl::StrCat(std::max(0, entries_ - Upto(9)), "-", Upto(3)); }
  /// Of a consumer group or a consumer.
  std::string Group() { return Pick<2>({"a", "b"}); }
  std::string Field() { return Pick<5>({"a", "b", "ab", "B", ""}); }
  std::string Number() { return Pick<8>({"0", "1", "-1", "2", "10", "-3", "1767225600123", "5"}); }

  std::mt19937 random_;
  int entries_ = 1;
};

class MiniRedisRandom : public ComparisonTest, public testing::WithParamInterface<std::uint32_t> {};

TEST_P(MiniRedisRandom, SequencesOfCommandsAndScriptsAnswerAsARealServer) {
  RandomCommands random(GetParam());
  for (int i = 0; i < 2500 && !HasFailure(); ++i) {
    if (random.AsScript()) {
      SameScript(random.Script());
    } else {
      Same(random.Next());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MiniRedisRandom, testing::Range<std::uint32_t>(1, 5));

}  // namespace
}  // namespace tollbridge::test
