#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/contract/mini_redis/comparison.h"

namespace tollbridge::test {
namespace {

using redis::Command;

class MiniRedisStreams : public ComparisonTest {
 protected:
  /// Entries 1-0 to `count`-0.
  void Fill(int count) {
    for (int i = 1; i <= count; ++i) {
      Same({"XADD", "s", std::to_string(i), "number", std::to_string(i)});
    }
  }
  redis::Reply Read(const std::string& consumer, const std::string& id) {
    return Same({"XREADGROUP", "GROUP", "g", consumer, "STREAMS", "s", id});
  }
};

TEST_F(MiniRedisStreams, EntriesAreAddedAsByARealServer) {
  for (const char* id : {"1-1",
                         "1-1",
                         "1-2",
                         "1-*",
                         "1-*",
                         "1",
                         "0-5",
                         "0-0",
                         "0",
                         "0-*",
                         "2",
                         "2",
                         "2-*",
                         "x",
                         "1-x",
                         "1-",
                         "-",
                         "+",
                         "-1",
                         "",
                         "1-1-1",
                         "9-9999999999999999",
                         "18446744073709551616",
                         "9-*-",
                         "9-**",
                         "18446744073709551615-3"}) {
    SameText({"XADD", "s", id, "a", "1", "b", ""});
  }
  SameText({"XADD", "s", "18446744073709551615-18446744073709551615", "a", "1"});
  SameText({"XADD", "s", "*", "a", "1"});
  SameText({"XADD", "s", "x", "a"});
  SameText({"XADD", "t", "1", "a", "1", "b"});
  SameText({"XADD", "t", "0-0", "a", "1", "b"});
  SameText({"XADD", "t", "1", "a"});
  SameText({"XADD", "t", "0", "a", "1"});
  Same({"EXISTS", "t"});
  Same({"XADD", "t", "0-*", "a", "1"});
  Same({"XLEN", "s"});
  Same({"XLEN", "none"});
  Same({"XRANGE", "s", "-", "+"});
}

TEST_F(MiniRedisStreams, IdsOfTheClockNeverGoBack) {
  using std::chrono::milliseconds;
  mini_.SetTime(milliseconds(1000));
  EXPECT_EQ(mini_.Run({"XADD", "s", "*", "a", "1"}).text, "1000-0");
  EXPECT_EQ(mini_.Run({"XADD", "s", "*", "a", "1"}).text, "1000-1");
  mini_.SetTime(milliseconds(999));
  EXPECT_EQ(mini_.Run({"XADD", "s", "*", "a", "1"}).text, "1000-2");
  mini_.SetTime(milliseconds(1001));
  EXPECT_EQ(mini_.Run({"XADD", "s", "*", "a", "1"}).text, "1001-0");
}

TEST_F(MiniRedisStreams, IdsAheadOfTheClockAreFollowedAsInARealServer) {
  Same({"XADD", "s", "99999999999999-7", "a", "1"});
  Same({"XADD", "s", "*", "a", "1"});
  Same({"XDEL", "s", "99999999999999-8"});
  Same({"XADD", "s", "*", "a", "1"});
  Same({"XADD", "s", "99999999999999-18446744073709551615", "a", "1"});
  Same({"XADD", "s", "99999999999999-*", "a", "1"});
  Same({"XADD", "s", "*", "a", "1"});
}

TEST_F(MiniRedisStreams, RangesAnswerAsARealServer) {
  Fill(5);
  Same({"XADD", "s", "5-7", "a", "1", "a", "2"});
  const std::vector<std::string> bounds = {"-",
                                           "+",
                                           "0",
                                           "3",
                                           "3-0",
                                           "5",
                                           "5-7",
                                           "(3",
                                           "(5",
                                           "(5-7",
                                           "(0",
                                           "(-",
                                           "(",
                                           "x",
                                           "(x",
                                           "-1",
                                           "(18446744073709551615-18446744073709551615"};
  for (const std::string& start : bounds) {
    for (const std::string& end : bounds) {
      SameText({"XRANGE", "s", start, end});
      SameText({"XREVRANGE", "s", end, start, "COUNT", "2"});
    }
  }
  for (const char* count : {"1", "0", "-1", "100", "x"}) {
    SameText({"XRANGE", "s", "-", "+", "COUNT", count});
    SameText({"XREVRANGE", "s", "+", "-", "COUNT", count});
  }
  SameText({"XRANGE", "s", "-", "+", "COUNT"});
  SameText({"XRANGE", "s", "-", "+", "WORD", "1"});
  SameText({"XRANGE", "s", "-", "+", "COUNT", "1", "COUNT", "3"});
  SameText({"XRANGE", "none", "-", "+"});
  SameText({"XRANGE", "none", "x", "+"});
  SameText({"XRANGE", "none", "-", "+", "COUNT", "0"});
}

TEST_F(MiniRedisStreams, ADeletedEntryIsGoneAndItsStreamStays) {
  Fill(2);
  Same({"XDEL", "s", "1", "1-0", "9"});
  SameText({"XDEL", "s", "2-0", "x"});
  SameText({"XDEL", "none", "x"});
  Same({"XDEL", "s", "2-0"});
  Same({"EXISTS", "s"});
  Same({"TYPE", "s"});
  Same({"XLEN", "s"});
  SameText({"XADD", "s", "2", "a", "1"});
  Same({"DEL", "s"});
  Same({"XADD", "s", "2", "a", "1"});
  Same({"UNLINK", "s"});
  Same({"TYPE", "s"});
}

TEST_F(MiniRedisStreams, GroupsAreMadeAsByARealServer) {
  SameText({"XGROUP", "CREATE", "s", "g", "0"});
  SameText({"XGROUP", "CREATE", "s", "g", "x", "MKSTREAM"});
  Same({"EXISTS", "s"});
  SameText({"XGROUP", "CREATE", "s", "g", "$", "MKSTREAM"});
  Same({"TYPE", "s"});
  Same({"XLEN", "s"});
  SameText({"XGROUP", "CREATE", "s", "g", "0"});
  SameText({"XGROUP", "CREATE", "s", "g", "0", "MKSTREAM"});
  SameText({"XGROUP", "CREATE", "s", "g", "0", "WORD"});
  SameText({"XGROUP", "CREATE", "s", "g"});
  SameText({"XGROUP", "CREATE", "s", "h", "-"});
  Fill(2);
  SameText({"XGROUP", "create", "s", "h", "$"});
  SameText({"XGROUP", "CREATE", "s", "i", "1", "mkstream"});
  for (const char* group : {"g", "h", "i"}) {
    Same({"XREADGROUP", "GROUP", group, "c", "STREAMS", "s", ">"});
  }
}

TEST_F(MiniRedisStreams, EachEntryGoesToOneConsumerUntilItIsAcknowledged) {
  Same({"XGROUP", "CREATE", "s", "g", "0", "MKSTREAM"});
  Read("a", ">");
  Fill(5);
  Same({"XREADGROUP", "GROUP", "g", "a", "COUNT", "2", "STREAMS", "s", ">"});
  Same({"XREADGROUP", "GROUP", "g", "b", "COUNT", "1", "STREAMS", "s", ">"});
  Read("a", "0");
  Read("a", "1");
  Read("a", "99");
  Same({"XREADGROUP", "GROUP", "g", "a", "COUNT", "1", "STREAMS", "s", "0"});
  Read("c", "0");
  Same({"XPENDING", "s", "g"});
  Same({"XACK", "s", "g", "1", "1", "9", "3-0"});
  Read("a", "0");
  Read("b", "0-0");
  Same({"XPENDING", "s", "g"});
  Same({"XREADGROUP", "GROUP", "g", "b", "COUNT", "0", "STREAMS", "s", ">"});
  Read("b", ">");
  Read("b", "18446744073709551615-18446744073709551615");
  Same({"XACK", "s", "g", "2", "4", "5"});
  Same({"XPENDING", "s", "g"});
  Read("b", "0");
}

TEST_F(MiniRedisStreams, ADeletedEntryStaysPendingWithoutFields) {
  Same({"XGROUP", "CREATE", "s", "g", "0", "MKSTREAM"});
  Fill(3);
  Read("a", ">");
  Same({"XDEL", "s", "2"});
  Read("a", "0");
  SameScript("return redis.call('XREADGROUP', 'GROUP', 'g', 'a', 'STREAMS', 's', 0)");
  SameScript(
      "local r = redis.call('XREADGROUP', 'GROUP', 'g', 'a', 'STREAMS', 's', 0)"
      " return {type(r[1][2][2][2]), tostring(r[1][2][2][2]), #r[1][2][2]}");
  SameScript("return type(redis.call('XREADGROUP', 'GROUP', 'g', 'a', 'STREAMS', 's', '>'))");
  Same({"XPENDING", "s", "g"});
  Same({"XACK", "s", "g", "2"});
  Read("a", "0");
  Same({"XADD", "s", "4", "a", "1"});
  Same({"XDEL", "s", "4"});
  Read("a", ">");
}

TEST_F(MiniRedisStreams, SeveralStreamsAreReadTogether) {
  Fill(2);
  Same({"XADD", "t", "7", "a", "1"});
  Same({"XGROUP", "CREATE", "s", "g", "0"});
  Same({"XGROUP", "CREATE", "t", "g", "$"});
  Same({"XREADGROUP", "COUNT", "1", "GROUP", "g", "a", "STREAMS", "s", "t", ">", ">"});
  Same({"XREADGROUP", "GROUP", "g", "a", "STREAMS", "s", "t", "0", "0"});
  Same({"XREADGROUP", "GROUP", "g", "a", "STREAMS", "t", "s", ">", "0"});
  SameText({"XREADGROUP", "GROUP", "g", "a", "STREAMS", "t", "none", ">", ">"});
}

TEST_F(MiniRedisStreams, GroupErrorsAreThoseOfARealServer) {
  Fill(1);
  const std::vector<Command> commands = {
      {"XREADGROUP", "GROUP", "g", "c", "STREAMS", "none", ">"},
      {"XREADGROUP", "GROUP", "g", "c", "STREAMS", "s", ">"},
      {"XREADGROUP", "GROUP", "g", "c", "STREAMS", "s", "x"},
      {"XREADGROUP", "GROUP", "g", "c", "STREAMS", "s"},
      {"XREADGROUP", "GROUP", "g", "c", "COUNT", "x", "STREAMS", "s", ">"},
      {"XREADGROUP", "GROUP", "g", "c", "WORD", "STREAMS", "s", ">"},
      {"XREADGROUP", "GROUP", "g", "c", "STREAMS", "s", "t", ">"},
      {"XREADGROUP", "COUNT", "1", "COUNT", "1", "STREAMS", "s", ">"},
      {"XREADGROUP", "GROUP", "g", "c", "COUNT", "1", "COUNT", "1"},
      {"XREADGROUP", "GROUP", "g", "c", "COUNT", "1", "STREAMS"},
      {"XACK", "none", "g", "1"},
      {"XACK", "s", "g", "x"},
      {"XACK", "s", "g"},
      {"XPENDING", "none", "g"},
      {"XPENDING", "s", "g"},
      {"XPENDING", "s"}};
  for (const Command& command : commands) SameText(command);
  Same({"XGROUP", "CREATE", "s", "g", "0"});
  for (const char* id : {"x", "$", "-", "+", "1-*", ""}) {
    SameText({"XREADGROUP", "GROUP", "g", "c", "STREAMS", "s", id});
  }
  SameText({"XACK", "s", "g", "x"});
  SameText({"XPENDING", "s", "g"});
}

TEST_F(MiniRedisStreams, OtherTypesAreRefusedAsByARealServer) {
  Same({"SET", "k", "v"});
  Fill(1);
  const std::vector<Command> commands = {{"XADD", "k", "1", "a", "1"},
                                         {"XADD", "k", "0", "a", "1"},
                                         {"XLEN", "k"},
                                         {"XRANGE", "k", "-", "+"},
                                         {"XREVRANGE", "k", "+", "-"},
                                         {"XDEL", "k", "x"},
                                         {"XGROUP", "CREATE", "k", "g", "0", "MKSTREAM"},
                                         {"XREADGROUP", "GROUP", "g", "c", "STREAMS", "k", ">"},
                                         {"XACK", "k", "g", "1"},
                                         {"XPENDING", "k", "g"},
                                         {"GET", "s"},
                                         {"RPUSH", "s", "a"}};
  for (const Command& command : commands) SameText(command);
}

TEST_F(MiniRedisStreams, ACopyOfTheDataHasItsOwnStreams) {
  Same({"XGROUP", "CREATE", "s", "g", "0", "MKSTREAM"});
  Fill(2);
  const MiniRedis::Copy copy = mini_.TakeCopy();
  Read("a", ">");
  Same({"XDEL", "s", "1"});
  mini_.FailOver(copy);
  EXPECT_EQ(mini_.Run({"XLEN", "s"}).integer, 2);
  EXPECT_EQ(mini_.Run({"XPENDING", "s", "g"}).elements.at(0).integer, 0);
}

}  // namespace
}  // namespace tollbridge::test
