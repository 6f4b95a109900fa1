// All cases of h2spec: HTTP/2 as RFC 7540 and HPACK prescribe it. Which do not pass, and why, says
// h2spec_exceptions.txt.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/interop/clients.h"
#include "tests/interop/server/test_server.h"
#include "tests/support/process.h"
#include "tests/support/read_file.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_certificates.h"

namespace tollbridge::interop {
namespace {

using testing::ElementsAreArray;

const std::string kExceptions = TOLLBRIDGE_SOURCE_DIR "/tests/interop/h2spec_exceptions.txt";
constexpr std::size_t kCases = 145;
/// What a case waits for an answer: those that do not pass wait for so long.
constexpr const char* kPatience = "5";
constexpr std::chrono::seconds kLimit{240};

/// Of h2spec_exceptions.txt.
struct Exceptions {
  std::set<std::string> always;
  /// Those that fail in some runs.
  std::set<std::string> sometimes;
};

struct Results {
  std::size_t cases = 0;
  /// As they stand in h2spec_exceptions.txt.
  std::set<std::string> exceptions;
  /// What it says of each that failed.
  std::string failures;
};

Results Read(const std::string& report) {
  static const std::regex kCase(
      R"re(<testcase package="([^"]+)" classname="([^"]+)"[^>]*>\s*(?:<(\w+)>([^<]*)<)?)re");
  Results results;
  for (std::sregex_iterator at(report.begin(), report.end(), kCase), end; at != end; ++at) {
    ++results.cases;
    if (!(*at)[3].matched) continue;
    const std::string name = at->str(1) + ": " + at->str(2);
    const bool skipped = at->str(3) == "skipped";
    results.exceptions.insert((skipped ? "is skipped " : "fails ") + name);
    if (!skipped) results.failures += name + "\n" + at->str(4) + "\n";
  }
  return results;
}

Exceptions ReadExceptions() {
  static const std::string kMay = "may fail ";
  Exceptions exceptions;
  std::istringstream lines(test::ReadFile(kExceptions));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("fails ") || line.starts_with("is skipped ")) {
      exceptions.always.insert(line);
    } else if (line.starts_with(kMay)) {
      exceptions.sometimes.insert("fails " + line.substr(kMay.size()));
    }
  }
  return exceptions;
}

/// The folder with h2spec, or none where Go is missing: ./dev test says so then.
std::vector<std::string> Folders() {
  const std::string folder = FromEnvironment("TOLLBRIDGE_INTEROP_GO");
  return folder.empty() ? std::vector<std::string>() : std::vector{folder};
}

class H2specTest : public testing::TestWithParam<std::string> {
 protected:
  /// With the arguments beside its own.
  void ExpectAllButTheExceptions(const TestServer& server,
                                 const std::vector<std::string>& arguments) const {
    const std::string report = folder_.PathOf("report.xml");
    std::vector<std::string> command = {
        GetParam() + "/h2spec", "--port", std::to_string(server.port()), "--timeout", kPatience,
        "--junit-report",       report};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const test::Finished finished = test::Run(command, {}, kLimit);
    Results results = Read(test::ReadFile(report));
    EXPECT_EQ(results.cases, kCases) << finished.output << finished.error;
    const Exceptions exceptions = ReadExceptions();
    for (const std::string& exception : exceptions.sometimes) results.exceptions.erase(exception);
    EXPECT_THAT(results.exceptions, ElementsAreArray(exceptions.always)) << results.failures;
  }

 private:
  test::TempFolder folder_;
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(H2specTest);

TEST_P(H2specTest, AllPassButTheExceptions) {
  const TestServer server;
  ExpectAllButTheExceptions(server, {});
}

TEST_P(H2specTest, AllPassOverTlsButTheExceptions) {
  const test::TestCertificates certificates("DNS:localhost,IP:127.0.0.1");
  const TestServer server(
      {.certificate_file = certificates.certificate_file(), .key_file = certificates.key_file()});
  ExpectAllButTheExceptions(server, {"--tls", "--insecure"});
}

INSTANTIATE_TEST_SUITE_P(Go, H2specTest, testing::ValuesIn(Folders()),
                         [](const auto&) { return "h2spec"; });

TEST(H2specPartsTest, TheVariableIsThere) {
  EXPECT_NE(std::getenv("TOLLBRIDGE_INTEROP_GO"), nullptr)
      << "./dev test sets it, to nothing where Go is missing";
}

}  // namespace
}  // namespace tollbridge::interop
