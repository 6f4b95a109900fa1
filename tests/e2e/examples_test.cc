// The programs of examples/, each through the whole product to the end that docs/guides/callers.md
// describes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

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
    "recurring",        "preauthorization",   "payout_card",        "payout_vault_token",
};

std::string ReadText(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ExamplesTest : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    ASSERT_NE(std::getenv("TOLLBRIDGE_PYTHON"), nullptr) << "./dev test sets it";
    ASSERT_NE(std::getenv("TOLLBRIDGE_GO_EXAMPLE"), nullptr)
        << "./dev test sets it, to nothing where Go is missing";
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

/// The program, or none where Go is missing: ./dev test says so then.
std::vector<std::string> GoPrograms() {
  const char* program = std::getenv("TOLLBRIDGE_GO_EXAMPLE");
  if (program == nullptr || *program == '\0') return {};
  return {program};
}

class GoExampleTest : public testing::TestWithParam<std::string> {
 protected:
  Stack stack_;
};

TEST_P(GoExampleTest, RefundsOnceThoughTheAnswerWasLost) {
  stack_.SandboxFaults(R"({"rules": [
      {"on": {"operation": "create_refund", "nth": 1}, "fault": {"kind": "drop_after"}}]})");
  const Finished finished = test::Run({GetParam(), "--gateway", stack_.grpc_address()}, {}, kLimit);
  EXPECT_EQ(finished.code, 0) << finished.output << finished.error;
  EXPECT_THAT(finished.output, testing::HasSubstr("KNOWLEDGE_RECOVERED"));
  EXPECT_EQ(std::ranges::count_if(
                stack_.SandboxLedger(),
                [](const auto& entry) { return entry.at("effect").as_string() == "refund"; }),
            1);
}

TEST_P(GoExampleTest, SaysWhyItDoesNotComeToItsEnd) {
  stack_.SandboxFaults(R"({"rules": [
      {"on": {"operation": "create_order"},
       "fault": {"kind": "status", "status": 422, "type": "ValidationError"}}]})");
  const Finished finished = test::Run({GetParam(), "--gateway", stack_.grpc_address()}, {}, kLimit);
  EXPECT_EQ(finished.code, 1) << finished.output;
  EXPECT_THAT(finished.error, testing::HasSubstr("FAILED: InvalidArgument UPSTREAM_REFUSED"));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GoExampleTest);
INSTANTIATE_TEST_SUITE_P(Go, GoExampleTest, testing::ValuesIn(GoPrograms()),
                         [](const auto& program) { return fs::path(program.param).stem(); });

TEST(ExamplesFolderTest, EveryFlowIsRunHereAndByTheRunnerAndIsInTheGuideAndTheIndex) {
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
  const std::string index = ReadText(kSource / "examples/README.md");
  for (const std::string& flow : here) {
    EXPECT_NE(guide.find("examples/python/" + flow + ".py"), std::string::npos) << flow;
    EXPECT_NE(index.find("](python/" + flow + ".py)"), std::string::npos) << flow;
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
