#include "base/telemetry/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cstdio>
#include <limits>
#include <string>

#include "base/telemetry/utf8.h"

namespace tollbridge::telemetry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LogTest : public ::testing::Test {
 protected:
  ~LogTest() override {
    SetLogLevel(Severity::kInfo);
    SetLogProcess("");
  }
  /// The only line so far, parsed.
  boost::json::object Line() {
    const auto lines = capture_.lines();
    EXPECT_EQ(lines.size(), 1u);
    return lines.empty() ? boost::json::object() : boost::json::parse(lines[0]).as_object();
  }
  std::string Text(const char* name) { return std::string(Line().at(name).as_string()); }

  LogCapture capture_;
};

TEST_F(LogTest, WritesTypedFieldsInOrder) {
  const TraceContext trace =
      *TraceContext::FromTraceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  Log(Severity::kWarning, "step_unknown",
      {Trace(trace),
       OperationId("op"),
       OrderId("or"),
       {"count", 3},
       {"big", std::numeric_limits<std::uint64_t>::max()},
       {"ratio", 0.5},
       {"dry", true},
       {"text", "a \"quoted\"\nline"}});
  std::string line = capture_.lines().at(0);
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  line.erase(0, line.find("\"severity\""));
  EXPECT_EQ(line, R"("severity":"warning","event":"step_unknown",)"
                  R"("trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"00f067aa0ba902b7",)"
                  R"("operation_id":"op","order_id":"or","count":3,"big":18446744073709551615,)"
                  R"("ratio":0.5,"dry":true,"text":"a \"quoted\"\nline"})");
  EXPECT_THAT(Text("time"), ::testing::MatchesRegex("....-..-..T..:..:..\\.......Z"));
}

TEST_F(LogTest, EveryLineEndsWithTheNameOfTheProcess) {
  SetLogProcess("events-0");
  Log(Severity::kInfo, "started", {{"count", 3}});
  EXPECT_THAT(capture_.lines().at(0), ::testing::EndsWith(R"("count":3,"process":"events-0"})"));
}

TEST_F(LogTest, LeavesOutTheIdsOfAnInvalidTrace) {
  const TraceContext none;
  Log(Severity::kInfo, "started", {Trace(none)});
  EXPECT_FALSE(Line().contains("trace_id"));
}

TEST_F(LogTest, MasksCardNumbersInStrings) {
  Log(Severity::kInfo, "refused", {{"reason", "card 4111111111111111 declined"}});
  EXPECT_THAT(Text("reason"), Not(HasSubstr("4111111111111111")));
  EXPECT_THAT(Text("reason"), HasSubstr("declined"));
}

TEST_F(LogTest, LeavesUuidsAsTheyAre) {
  // Its digits between hyphens pass Luhn.
  const std::string id = "a4111111-1111-1111-1abc-abcdefabcdef";
  Log(Severity::kInfo, "stored", {OperationId(id)});
  EXPECT_EQ(Text("operation_id"), id);
}

TEST_F(LogTest, IsJsonWhateverTheBytes) {
  Log(Severity::kInfo, "garbage", {{"bytes", "a\xff\xc3\xa9\xed\xa0\x80z"}});
  EXPECT_EQ(Text("bytes"), "a\uFFFDé\uFFFD\uFFFD\uFFFDz");
}

TEST_F(LogTest, LinesBelowTheLevelAreNotWritten) {
  SetLogLevel(Severity::kWarning);
  Log(Severity::kInfo, "quiet");
  Log(Severity::kWarning, "loud");
  EXPECT_EQ(Text("event"), "loud");
  SetLogLevel(Severity::kDebug);
  Log(Severity::kDebug, "detail");
  EXPECT_EQ(capture_.lines().size(), 2u);
}

TEST(LogOutputTest, ReachesStdoutLineByLineAlsoAfterAFlush) {
  testing::internal::CaptureStdout();
  for (int i = 0; i < 100; ++i) Log(Severity::kInfo, "queued");
  FlushLog();
  Log(Severity::kInfo, "direct");
  const std::string out = testing::internal::GetCapturedStdout();
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 101);
  EXPECT_TRUE(out.ends_with("\"event\":\"direct\"}\n")) << out;
  EXPECT_EQ(DroppedLogLines(), 0u);
}

TEST(WellFormedUtf8Test, KeepsTextAndReplacesTheRest) {
  EXPECT_EQ(WellFormedUtf8("plain é € 😀"), "plain é € 😀");
  EXPECT_EQ(WellFormedUtf8("\xc0\xaf"), "\uFFFD\uFFFD");          // overlong
  EXPECT_EQ(WellFormedUtf8("\xf4\x90\x80\x80").size(), 12u);      // beyond U+10FFFF
  EXPECT_EQ(WellFormedUtf8("cut \xe2\x82"), "cut \uFFFD\uFFFD");  // ends in the middle
}

}  // namespace
}  // namespace tollbridge::telemetry
