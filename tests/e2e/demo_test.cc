// ./dev demo and ./dev up as the first thing that somebody sees of the project.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/dev_script.h"
#include "tests/support/http_call.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

namespace fs = std::filesystem;

constexpr std::size_t kColumns = 100;
constexpr std::chrono::seconds kLimit{180};
/// What stands in front of a program in PATH; `real` hands over to the program itself.
constexpr std::string_view kStandIn = R"sh(#!/bin/bash
here=$(dirname "$0")
real() {
  export PATH=${PATH//"$here:"/}
  exec "$(basename "$0")" "$@"
}
)sh";

/// Programs that ./dev finds before the machine's own.
class StandIns {
 public:
  StandIns() {
    fs::create_directory(folder_.PathOf("bin"));
    // What ./dev looks at to tell which Java it has.
    folder_.Write("release", "JAVA_VERSION=\"17\"\n");
  }

  void Write(const std::string& name, const std::string& body) const {
    const std::string path = folder_.Write("bin/" + name, std::string(kStandIn) + body);
    fs::permissions(path, fs::perms::owner_all);
  }
  /// A file that they write as `$here/NAME`.
  std::string PathOf(const std::string& name) const { return folder_.PathOf("bin/" + name); }
  Environment environment() const {
    return {{"PATH", folder_.PathOf("bin") + ":" + std::getenv("PATH")}};
  }

 private:
  TempFolder folder_;
};

bool Exists(const std::string& path) { return fs::exists(fs::path(TOLLBRIDGE_SOURCE_DIR) / path); }

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// How many rows of a terminal the text takes.
std::size_t Rows(const std::string& text) {
  std::size_t rows = 0;
  for (const std::string& line : Lines(text)) {
    rows += std::max<std::size_t>(1, (line.size() + kColumns - 1) / kColumns);
  }
  return rows;
}

/// The commands of the story, which begin with a prompt, and those to try, which do not.
std::vector<std::string> ShownCommands(const std::string& output) {
  std::vector<std::string> commands;
  bool to_try = false;
  bool goes_on = false;
  for (std::string line : Lines(output)) {
    to_try = to_try || line.starts_with("Try, ");
    const bool prompt = line.starts_with("$ ");
    if (prompt) line.erase(0, 2);
    if (goes_on) {
      commands.back() += "\n" + line;
    } else if (prompt || (to_try && !line.starts_with("Try, ") && !line.starts_with("#"))) {
      commands.push_back(line);
    } else {
      continue;
    }
    goes_on = line.ends_with("\\");
  }
  return commands;
}

TEST(DemoTest, TheStoryFitsAScreenAndItsCommandsCanBePasted) {
  DevScript demo("demo");
  ASSERT_TRUE(demo.WaitUntilItStaysUp()) << demo.output();
  const std::string story = demo.output();
  EXPECT_LE(Rows(story), 40) << story;
  EXPECT_THAT(story, Not(HasSubstr("\x1b")));
  EXPECT_THAT(story, ContainsRegex(R"(payment\.completed\.v1 .* 12\.50 EUR  2)"));
  EXPECT_TRUE(Exists(demo.folder() + "/events.json"));

  const std::vector<std::string> commands = ShownCommands(story);
  ASSERT_THAT(commands, SizeIs(6)) << story;
  for (const std::string& command : commands) {
    const bool tail = command.find("events tail") != std::string::npos;
    // It would go on until Ctrl-C.
    const Finished pasted =
        Bash(tail ? command + " --until tollbridge.payment.completed.v1" : command);
    EXPECT_EQ(pasted.code, 0) << command << "\n" << pasted.output << pasted.error;
    if (tail) EXPECT_THAT(pasted.output, HasSubstr(demo.order()));
  }
  EXPECT_EQ(demo.Interrupt(), 130);
}

TEST(DemoTest, TwoAtOnceDoNotDisturbEachOther) {
  DevScript first("demo");
  DevScript second("demo");
  ASSERT_TRUE(first.WaitUntilItStaysUp()) << first.output();
  ASSERT_TRUE(second.WaitUntilItStaysUp()) << second.output();
  EXPECT_NE(first.folder(), second.folder());
  EXPECT_NE(first.order(), "");
  EXPECT_NE(first.order(), second.order());

  const std::vector<pid_t> processes = first.Descendants();
  EXPECT_THAT(processes, SizeIs(testing::Ge(3)));
  EXPECT_EQ(first.Interrupt(), 130);
  EXPECT_TRUE(AllEnd(processes));
  EXPECT_EQ(first.Address("METRICS_URL"), "");
  EXPECT_THAT(HttpGet(second.Address("METRICS_URL")), HasSubstr("tollbridge_"));
  EXPECT_EQ(second.Interrupt(), 130);
}

TEST(DemoTest, AKilledOneTakesItsProcessesAlongAndLeavesItsFolder) {
  DevScript killed("demo");
  ASSERT_TRUE(killed.WaitUntilItStaysUp()) << killed.output();
  const std::vector<pid_t> processes = killed.Descendants();
  killed.Kill();
  EXPECT_TRUE(AllEnd(processes));

  DevScript next("demo --once");
  EXPECT_EQ(next.WaitForExit(kLimit), 0) << next.output();
  EXPECT_EQ(next.folder(), killed.folder());
  EXPECT_NE(next.order(), killed.order());
  EXPECT_FALSE(Exists(next.folder() + "/addresses.env"));
}

TEST(DemoTest, ItEndsAndSaysSoWhenOneOfItsProcessesEnds) {
  const StandIns programs;
  programs.Write("redis-server", R"sh(echo $$ >"$here/pid"; real "$@")sh");
  DevScript demo("demo", programs.environment());
  ASSERT_TRUE(demo.WaitUntilItStaysUp()) << demo.output();
  EXPECT_EQ(Bash("kill $(cat " + programs.PathOf("pid") + ")").code, 0);
  EXPECT_EQ(demo.WaitForExit(kLimit), 1);
  EXPECT_THAT(demo.output(),
              AllOf(HasSubstr("redis-server has ended"), HasSubstr("ready to exit, bye bye")));
}

TEST(DemoTest, AProgramThatFailsAtOnceIsNamedWithItsReason) {
  const StandIns programs;
  programs.Write("redis-server", "echo 'no such luck' >&2; exit 1");
  DevScript demo("demo", programs.environment());
  EXPECT_EQ(demo.WaitForExit(kLimit), 1);
  EXPECT_THAT(demo.output(),
              AllOf(HasSubstr("redis-server did not start"), HasSubstr("no such luck")));
}

TEST(UpTest, APrometheusThatFailsAtOnceIsNamedWithItsReason) {
  const StandIns programs;
  programs.Write("prometheus", "echo 'no such luck' >&2; exit 1");
  DevScript up("up", programs.environment());
  EXPECT_EQ(up.WaitForExit(kLimit), 1);
  EXPECT_THAT(up.output(), AllOf(HasSubstr("Prometheus did not start"), HasSubstr("no such luck")));
  EXPECT_FALSE(Exists(up.folder() + "/addresses.env"));
}

TEST(UpTest, APortThatWasTakenIsTriedAgain) {
  const StandIns programs;
  const std::string taken = R"sh(
    [ "$1" != -cp ] || real "$@"  # Kafka's tool, which takes no port.
    [ ! -e "$here/tried-$(basename "$0")" ] || real "$@"
    touch "$here/tried-$(basename "$0")"
    echo 'bind: Address already in use'
    exit 1)sh";
  for (const char* program : {"redis-server", "java", "prometheus"}) {
    programs.Write(program, taken);
  }
  DevScript up("up --once", programs.environment());
  EXPECT_EQ(up.WaitForExit(kLimit), 0) << up.output();
  for (const char* name : {"redis-server", "Kafka", "Prometheus"}) {
    EXPECT_THAT(up.output(), HasSubstr(name + std::string(" found its port taken")));
  }
}

/// Nothing is built or installed for it: that would take more than the test's time, or say so.
TEST(DevTest, EveryCommandSaysHowItIsUsedAndDoesNothing) {
  for (const std::string command :
       {"setup", "demo", "up", "build", "test", "chaos", "fuzz", "bench", "lint", "tool"}) {
    for (const std::string help : {"--help", "-h"}) {
      const Finished said = Bash("./dev " + command + " " + help);
      EXPECT_EQ(said.code, 0) << command << said.error;
      EXPECT_THAT(said.output, StartsWith("./dev " + command + " "));
      EXPECT_EQ(said.error, "");
    }
  }
  EXPECT_THAT(Bash("./dev chaos events --help").output,
              AllOf(HasSubstr("--readers-away"), Not(HasSubstr("./dev fuzz"))));
}

TEST(DevTest, WhatACommandDoesNotKnowEndsIt) {
  for (const std::string command :
       {"demo --nonsense", "up --nonsense", "setup nonsense", "tool nonsense", "nonsense --help"}) {
    const Finished refused = Bash("./dev " + command);
    EXPECT_EQ(refused.code, 1) << command << refused.output;
    EXPECT_THAT(refused.error, HasSubstr("nonsense"));
  }
}

TEST(DevTest, TitlesAreBoldOnATerminalUnlessColorsAreUnwanted) {
  const auto title = [](const std::string& variables) {
    return Bash("script -qec \"" + variables +
                " bash -c 'ROOT=. && source scripts/demo.sh && demo_title It' \" /dev/null")
        .output;
  };
  EXPECT_THAT(title("TERM=xterm NO_COLOR="), HasSubstr("\x1b[1mIt\x1b[0m"));
  EXPECT_THAT(title("TERM=xterm NO_COLOR=1"), AllOf(HasSubstr("It"), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(title("TERM=dumb NO_COLOR="), AllOf(HasSubstr("It"), Not(HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace tollbridge::test
