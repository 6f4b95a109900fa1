// The programs of examples/, each through the whole product to the end that docs/guides/callers.md
// describes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/wrong_address.h"
#include "tests/support/process.h"
#include "tests/support/read_file.h"
#include "tests/support/stack.h"
#include "tests/support/tcp_proxy.h"

namespace tollbridge::test {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = TOLLBRIDGE_SOURCE_DIR;
const std::string kFolder = kSource / "examples/python";
const std::string kRunner = kSource / "examples/python/run_all.sh";
constexpr std::chrono::seconds kLimit{60};

constexpr const char* kFlows[] = {
    "hosted_page",      "own_checkout",       "one_click",          "account_funding",
    "wallet_a_session", "wallet_b_encrypted", "wallet_b_decrypted", "external_3ds",
    "recurring",        "preauthorization",   "payout_card",        "payout_vault_token",
};

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

TEST_P(ExamplesTest, SayThatThereIsNoGateway) {
  const WrongAddress address("closed");
  ExpectSaysThatItCannotReach(
      address, {std::getenv("TOLLBRIDGE_PYTHON"), kFolder + "/" + GetParam() + ".py", "--gateway",
                address.text(), "--sandbox", stack_->sandbox_url()});
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

/// By kind of WrongAddress.
class WrongAddressTest : public testing::TestWithParam<const char*> {
 protected:
  const WrongAddress address_{GetParam()};
};

TEST_P(WrongAddressTest, TheRunnerSaysThatThereIsNoGateway) {
  ExpectSaysThatItCannotReach(
      address_, {kRunner, "--gateway", address_.text(), "--sandbox", "http://" + address_.text()});
}

TEST_P(WrongAddressTest, TheRunnerSaysThatThereIsNoSandbox) {
  const Stack stack;
  ExpectSaysThatItCannotReach(address_, {kRunner, "--gateway", stack.grpc_address(), "--sandbox",
                                         "http://" + address_.text()});
}

TEST_P(WrongAddressTest, TheGoProgramSaysThatThereIsNoGateway) {
  for (const std::string& program : GoPrograms()) {
    ExpectSaysThatItCannotReach(address_, {program, "--gateway", address_.text()});
  }
}

INSTANTIATE_TEST_SUITE_P(Kind, WrongAddressTest, testing::ValuesIn(kWrongAddresses),
                         [](const auto& kind) { return kind.param; });

/// The first call's connection is cut, and reconnects.
TEST(LostConnectionTest, IsNoEndAndNoSecondOrder) {
  Stack stack;
  std::vector<std::vector<std::string>> programs = {{std::getenv("TOLLBRIDGE_PYTHON"),
                                                     kFolder + "/hosted_page.py", "--sandbox",
                                                     stack.sandbox_url()}};
  for (const std::string& program : GoPrograms()) programs.push_back({program});
  for (std::vector<std::string>& command : programs) {
    TcpProxy network;
    const std::string& gateway = stack.grpc_address();
    network.SetUpstream(
        static_cast<std::uint16_t>(std::stoi(gateway.substr(gateway.rfind(':') + 1))));
    // The order is made at once. Its answer comes late enough for the connection to be cut before.
    stack.SandboxFaults(R"({"rules": [{"on": {"operation": "create_order", "nth": 1},
                                       "fault": {"kind": "latency", "milliseconds": 1500}}]})");
    const auto payments = [&] {
      return std::ranges::count_if(stack.SandboxOrders(), [](const boost::json::value& order) {
        return order.at("amount").to_number<std::int64_t>() == 1250;
      });
    };
    const auto before = payments();
    command.insert(command.end(), {"--gateway", network.address()});
    Process program(command);
    ASSERT_TRUE(Eventually([&] { return payments() > before; })) << program.standard_error();
    network.Cut();
    const std::optional<ExitStatus> exit = program.WaitForExit(kLimit);
    ASSERT_TRUE(exit) << program.standard_output();
    EXPECT_EQ(exit->code, 0) << program.standard_output() << program.standard_error();
    EXPECT_EQ(payments(), before + 1);
  }
}

TEST(ExamplesFolderTest, EveryFlowIsRunHereAndByTheRunnerAndIsInTheGuideAndTheIndex) {
  const std::set<std::string> here(std::begin(kFlows), std::end(kFlows));
  const Finished list = test::Run({kRunner, "--list"});
  std::istringstream lines(list.output);
  EXPECT_EQ((std::set<std::string>{std::istream_iterator<std::string>(lines), {}}), here);
  std::set<std::string> programs;
  for (const auto& entry : fs::directory_iterator(kSource / "examples/python")) {
    // Python keeps what it has compiled beside its sources.
    if (!entry.is_regular_file()) continue;
    if (ReadFile(entry.path()).find("tollbridge.run(flow)") != std::string::npos) {
      programs.insert(entry.path().stem());
    }
  }
  EXPECT_EQ(programs, here);
  const std::string guide = ReadFile(kSource / "docs/guides/callers.md");
  const std::string index = ReadFile(kSource / "examples/README.md");
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
