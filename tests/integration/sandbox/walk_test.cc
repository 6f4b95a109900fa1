#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/integration/sandbox/sandbox_process.h"
#include "tests/support/process.h"

namespace tollbridge::test {
namespace {

const std::string kScript = std::string(TOLLBRIDGE_SOURCE_DIR) + "/examples/sandbox-walk.sh";

TEST(SandboxWalkTest, EachFlowOfTheInterfaceIsWalkedWithCurlAlone) {
  const SandboxProcess sandbox;
  const Finished walk = test::Run({"bash", kScript, sandbox.url()});
  EXPECT_EQ(walk.code, 0) << walk.output << walk.error;
  EXPECT_THAT(walk.output, testing::EndsWith("All flows were walked.\n"));
}

TEST(SandboxWalkTest, EndsWithAnErrorWhereAnAnswerIsNotTheExpectedOne) {
  const SandboxProcess sandbox;
  sandbox.Operate("faults", R"({"rules": [{"on": {"operation": "capture"},
                                "fault": {"kind": "status", "status": 500}}]})");
  const Finished walk = test::Run({"bash", kScript, sandbox.url()});
  EXPECT_EQ(walk.code, 1) << walk.output;
  EXPECT_THAT(walk.error, testing::HasSubstr("FAILED"));
}

}  // namespace
}  // namespace tollbridge::test
