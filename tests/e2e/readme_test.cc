// Every command of README.md, taken from its text, does what README.md says of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <filesystem>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/e2e/dev_script.h"
#include "tests/support/http_call.h"
#include "tests/support/read_file.h"

namespace tollbridge::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;

namespace fs = std::filesystem;

const fs::path kRoot = TOLLBRIDGE_SOURCE_DIR;
constexpr std::string_view kDemoFolder = "build/demo";
// Go fetches and builds what grpcurl is made of.
constexpr std::chrono::minutes kToolLimit{8};

/// A command that the test does not run, with the reason, and the scripts and programs that know
/// the options it may name.
struct NotRun {
  std::string_view command;
  std::string_view reason;
  std::vector<std::string_view> takes_options;
};
const NotRun kNotRun[] = {
    {"./dev test", "it runs this test", {"scripts/test.sh"}},
    {"./dev chaos",
     "it goes on for long, on the release preset",
     {"scripts/chaos.sh", "tests/chaos/driver/options.cc", "tests/chaos/events_driver/options.cc"}},
};

/// Whether an inline code span is a command rather than a name or a path.
bool IsCommand(const std::string& span) {
  static const std::set<std::string, std::less<>> kPrograms = {
      ".", "tollbridge", "tollbridge-sandbox", "grpcurl", "kcat", "curl"};
  const std::string first = span.substr(0, span.find(' '));
  if (kPrograms.contains(first) || first.starts_with("./") || first.starts_with("$(")) return true;
  std::error_code missing;
  const fs::file_status file = fs::status(kRoot / first, missing);
  return first.starts_with("build/dev/bin/") ||
         (fs::is_regular_file(file) &&
          (file.permissions() & fs::perms::owner_exec) != fs::perms::none);
}

/// The commands of a text in Markdown: each of a fenced block of sh, and the inline code spans that
/// are such.
std::set<std::string> CommandsOf(const std::string& markdown) {
  std::set<std::string> commands;
  std::string prose;
  std::string command;
  std::optional<std::string> fence;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      fence = fence ? std::nullopt : std::optional(line.substr(3));
    } else if (!fence) {
      prose += line + " ";
    } else if (*fence == "sh" && !line.starts_with("#")) {
      command += std::regex_replace(line, std::regex(R"(\s+#.*$)"), "");
      if (command.ends_with("\\")) {
        command.back() = '\n';
        command.insert(command.size() - 1, "\\");
        continue;
      }
      if (!command.empty()) commands.insert(command);
      command.clear();
    }
  }
  const std::regex span("`([^`]+)`");
  for (std::sregex_iterator found(prose.begin(), prose.end(), span), end; found != end; ++found) {
    if (IsCommand((*found)[1])) commands.insert((*found)[1]);
  }
  return commands;
}

/// The commands of README.md, and which of them were run.
class Readme {
 public:
  /// The one command with that text; marks it as run. In a demo's folder other than the usual one,
  /// the command is about that. Fails the test when README.md has no such command, or several.
  std::string Command(std::string_view holds, std::string_view folder = kDemoFolder) {
    std::vector<std::string> found;
    for (const std::string& command : commands_) {
      const bool whole = holds.starts_with("./dev ");
      if (whole ? command == holds : command.find(holds) != std::string::npos) {
        found.push_back(command);
      }
    }
    if (found.size() != 1) {
      ADD_FAILURE() << found.size() << " commands in README.md with: " << holds;
      return "false";
    }
    run_.insert(found[0]);
    return std::regex_replace(found[0], std::regex(std::string(kDemoFolder) + "/"),
                              std::string(folder) + "/");
  }

  /// Those that were not run.
  std::set<std::string> Others() const {
    std::set<std::string> others;
    std::ranges::set_difference(commands_, run_, std::inserter(others, others.end()));
    return others;
  }

  /// The card that it says to pay with, as the fields of the hosted page.
  std::string CardFields() const {
    std::smatch card;
    const std::regex pattern("test card ([0-9 ]+), expiry ([0-9/]+), CVC ([0-9]+)");
    if (!std::regex_search(text_, card, pattern)) return "";
    return "-d pan=" + std::regex_replace(card[1].str(), std::regex(" "), "") +
           " -d expiry=" + card[2].str() + " -d cvc=" + card[3].str();
  }

 private:
  std::string text_ = ReadFile(kRoot / "README.md");
  std::set<std::string> commands_ = CommandsOf(text_);
  std::set<std::string> run_;
};

/// How many orders the sandbox has.
std::size_t Orders(const DevScript& demo) {
  return boost::json::parse(HttpGet(demo.Address("SANDBOX_URL") + "/_sandbox/orders"))
      .as_array()
      .size();
}

/// Creates the order twice, as README.md says. Gives the address of its page.
std::string CreateTwice(const DevScript& demo, const std::string& create) {
  const std::size_t before = Orders(demo);
  const Finished created = Bash(create);
  EXPECT_EQ(created.code, 0) << created.error;
  const Finished again = Bash(create);
  EXPECT_EQ(again.code, 0) << again.error;
  EXPECT_EQ(again.output, created.output);
  EXPECT_EQ(Orders(demo), before + 1);
  std::smatch url;
  const bool found =
      std::regex_search(created.output, url, std::regex(R"re("order_url": ?"([^"]+)")re"));
  EXPECT_TRUE(found) << created.output;
  return found ? url[1].str() : "";
}

/// Watches the events by `tail`, in a shell after `sourced`, while the order is paid on its page.
void PayAndWatch(const std::string& url, const std::string& card, const std::string& sourced,
                 const std::string& tail) {
  std::smatch id;
  ASSERT_TRUE(std::regex_search(url, id, std::regex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")));
  const std::string order = id[0];
  Process watch({"bash", "-c", "cd '" TOLLBRIDGE_SOURCE_DIR "'\n" + sourced + "\nexec " + tail});
  EXPECT_TRUE(watch.WaitForLine(order)) << watch.standard_error();
  const Finished paid = Bash("curl -sS --fail " + card + " $(curl -sS --fail -o /dev/null -w " +
                             "'%{redirect_url}' -d method=credit-card '" + url + "')");
  EXPECT_EQ(paid.code, 0) << paid.output << paid.error;
  EXPECT_TRUE(Eventually([&] {
    std::istringstream lines(watch.standard_output());
    for (std::string line; std::getline(lines, line);) {
      if (line.find(order) != std::string::npos &&
          line.find("tollbridge.payment.completed.v1") != std::string::npos) {
        return true;
      }
    }
    return false;
  })) << watch.standard_output();
}

void RunDemo(Readme& readme) {
  DevScript demo(readme.Command("./dev demo").substr(std::string_view("./dev ").size()));
  ASSERT_TRUE(demo.WaitUntilItStaysUp()) << demo.output();
  const std::string sourced = readme.Command(". build/demo/addresses.env", demo.folder());
  const auto command = [&](std::string_view holds) {
    return sourced + "\n" + readme.Command(holds, demo.folder());
  };

  const std::string url = CreateTwice(demo, command("order-4711"));
  PayAndWatch(url, readme.CardFields(), sourced, readme.Command("events tail", demo.folder()));

  const Finished nonsense = Bash(command(R"("amount": -1)"));
  EXPECT_NE(nonsense.code, 0);
  EXPECT_THAT(nonsense.error, AllOf(HasSubstr("idempotency_key"), HasSubstr("amount"),
                                    HasSubstr("currency"), HasSubstr("return_url")));

  const Finished kcat = Bash(command("kcat -b"));
  EXPECT_EQ(kcat.code, 0) << kcat.error;
  EXPECT_THAT(kcat.output, HasSubstr("ce_type=tollbridge.payment.completed.v1"));

  const std::string grpcurl = command("tool grpcurl");
  const Finished tool = Bash("./dev tool grpcurl", {}, kToolLimit);
  // README.md says which Go it wants.
  if (tool.error.find("grpcurl needs Go") == std::string::npos) {
    const Finished list = Bash(grpcurl);
    EXPECT_EQ(list.code, 0) << tool.error << list.error;
    EXPECT_THAT(list.output, HasSubstr("tollbridge.payments.v1.Payments"));
  }

  const Finished walk = Bash(command("sandbox-walk.sh $S"));
  EXPECT_EQ(walk.code, 0) << walk.output << walk.error;

  const std::vector<pid_t> processes = demo.Descendants();
  EXPECT_EQ(demo.Interrupt(), 130);
  EXPECT_TRUE(AllEnd(processes));
  EXPECT_FALSE(fs::exists(kRoot / demo.folder() / "addresses.env"));
}

void RunUp(Readme& readme) {
  DevScript up(readme.Command("./dev up").substr(std::string_view("./dev ").size()));
  ASSERT_TRUE(up.WaitUntilItStaysUp()) << up.output();
  for (const char* name : {"GRPC_ADDR", "METRICS_URL", "SANDBOX_URL", "KAFKA_BROKERS", "REDIS_ADDR",
                           "PROMETHEUS_URL"}) {
    const std::string address = up.Address(name);
    ASSERT_NE(address, "") << name;
    EXPECT_THAT(up.output(), HasSubstr(address)) << name;
  }
  EXPECT_THAT(up.output(), HasSubstr(up.Address("SANDBOX_URL") + "/_sandbox/"));
  EXPECT_THAT(up.output(), ContainsRegex("webhooks http://127.0.0.1:[0-9]+/webhooks/TOKEN"));
  const std::string queries = up.Address("PROMETHEUS_URL") + "/api/v1/";
  EXPECT_TRUE(Eventually([&] {
    return HttpGet(queries + "query?query=tollbridge_events_published_total").find("\"value\"") !=
           std::string::npos;
  })) << "Prometheus has not scraped the gateway";
  const std::vector<pid_t> processes = up.Descendants();
  EXPECT_EQ(up.Interrupt(), 130);
  EXPECT_TRUE(AllEnd(processes));
  EXPECT_FALSE(fs::exists(kRoot / up.folder() / "addresses.env"));
}

/// What a command that is not run says must at least be what its scripts take.
void CheckOptions(const std::string& command, const NotRun& known) {
  std::string takers;
  for (const std::string_view file : known.takes_options) takers += ReadFile(kRoot / file);
  const std::regex option(R"((^|\s)(-{1,2}[A-Za-z][a-z-]*))");
  for (std::sregex_iterator found(command.begin(), command.end(), option), end; found != end;
       ++found) {
    const std::string name = (*found)[2];
    EXPECT_THAT(takers, testing::AnyOf(HasSubstr(name + ")"), HasSubstr("\"" + name + "\"")))
        << command;
  }
}

TEST(ReadmeTest, EveryCommandDoesWhatItSays) {
  Readme readme;
  RunDemo(readme);
  RunUp(readme);
  std::set<std::string> unknown = readme.Others();
  for (const NotRun& known : kNotRun) {
    const auto knows = [&](const std::string& command) {
      return command.starts_with(known.command);
    };
    EXPECT_TRUE(std::ranges::any_of(unknown, knows)) << "not in README.md: " << known.command;
    for (const std::string& command : unknown) {
      if (knows(command)) CheckOptions(command, known);
    }
    std::erase_if(unknown, knows);
  }
  EXPECT_THAT(unknown, IsEmpty()) << "README.md has commands that this test does not know";
}

TEST(ReadmeTest, CommandsAreFoundInFencesAndInline) {
  EXPECT_THAT(CommandsOf("Do `./dev up`, `kcat\n-L`, not `proto/` nor `pending`.\n"
                         "```sh\n# Why.\na  b     # what\nc \\\n  'd'\n```\n"
                         "```mermaid\nx\n```\n`build/dev/bin/tollbridge x`"),
              testing::UnorderedElementsAre("./dev up", "kcat -L", "a  b", "c \\\n  'd'",
                                            "build/dev/bin/tollbridge x"));
}

}  // namespace
}  // namespace tollbridge::test
