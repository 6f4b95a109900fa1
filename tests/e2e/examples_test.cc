// The programs of examples/python, each through the whole product to the end that
// docs/guides/callers.md describes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/process.h"
#include "tests/support/stack.h"

namespace tollbridge::test {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = TOLLBRIDGE_SOURCE_DIR;
const std::string kRunner = kSource / "examples/python/run_all.sh";
constexpr std::chrono::seconds kLimit{60};

constexpr const char* kFlows[] = {
    "hosted_page",      "own_checkout",       "one_click",          "account_funding",
    "wallet_a_session", "wallet_b_encrypted", "wallet_b_decrypted", "external_3ds",
};

std::string ReadText(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ExamplesTest : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    ASSERT_NE(std::getenv("TOLLBRIDGE_PYTHON"), nullptr) << "./dev test sets it";
    stack_ = std::make_unique<Stack>();
  }
  static void TearDownTestSuite() { stack_.reset(); }

  /// What the programs share keeps nothing between them.
  static inline std::unique_ptr<Stack> stack_;
};

TEST_P(ExamplesTest, ReachTheirDocumentedEnd) {
  const Finished finished = test::Run({kRunner, "--gateway", stack_->grpc_address(), "--sandbox",
                                       stack_->sandbox_url(), GetParam()},
                                      {}, kLimit);
  EXPECT_EQ(finished.code, 0) << finished.output << finished.error;
}

INSTANTIATE_TEST_SUITE_P(Flow, ExamplesTest, testing::ValuesIn(kFlows),
                         [](const auto& flow) { return flow.param; });

TEST(ExamplesFolderTest, EveryFlowIsRunHereAndByTheRunnerAndIsInTheGuide) {
  const std::set<std::string> here(std::begin(kFlows), std::end(kFlows));
  const Finished list = test::Run({kRunner, "--list"});
  std::istringstream lines(list.output);
  EXPECT_EQ((std::set<std::string>{std::istream_iterator<std::string>(lines), {}}), here);
  std::set<std::string> programs;
  for (const auto& entry : fs::directory_iterator(kSource / "examples/python")) {
    if (ReadText(entry.path()).find("tollbridge.run(flow)") != std::string::npos) {
      programs.insert(entry.path().stem());
    }
  }
  EXPECT_EQ(programs, here);
  const std::string guide = ReadText(kSource / "docs/guides/callers.md");
  for (const std::string& flow : here) {
    EXPECT_NE(guide.find("examples/python/" + flow + ".py"), std::string::npos) << flow;
  }
}

TEST(ExamplesFolderTest, AFlowThatDoesNotComeToItsEndFailsTheRun) {
  // Nobody serves there.
  const Finished finished = test::Run(
      {kRunner, "--gateway", "127.0.0.1:1", "--sandbox", "http://127.0.0.1:1", "wallet_a_session"},
      {}, kLimit);
  EXPECT_EQ(finished.code, 1) << finished.output;
  EXPECT_NE(finished.error.find("failed: wallet_a_session"), std::string::npos) << finished.error;
}

}  // namespace
}  // namespace tollbridge::test
