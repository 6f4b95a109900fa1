#include "services/operations/lifecycle.h"
#include "tests/support/read_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace tollbridge::operations {
namespace {

TEST(Lifecycle, TheGuideDrawsTheTable) {
  const std::string text =
      test::ReadFile(std::string(TOLLBRIDGE_SOURCE_DIR) + "/docs/guides/idempotency.md");
  EXPECT_THAT(text, ::testing::HasSubstr("```mermaid\n" + StateDiagram() + "```"))
      << "docs/guides/idempotency.md must hold:\n"
      << StateDiagram();
}

TEST(Lifecycle, NoChangeIsListedTwice) {
  std::set<std::pair<int, int>> seen;
  for (const Change& change : Changes()) {
    EXPECT_TRUE(seen.emplace(change.from, change.to).second) << change.when;
  }
}

TEST(Lifecycle, DoneIsForEver) {
  for (const Change& change : Changes()) {
    EXPECT_NE(change.from, v1::OPERATION_STATE_DONE) << change.when;
  }
  EXPECT_FALSE(IsChange(v1::OPERATION_STATE_DONE, v1::OPERATION_STATE_RUNNING));
  EXPECT_TRUE(IsChange(v1::OPERATION_STATE_NOT_EXECUTED, v1::OPERATION_STATE_RUNNING));
}

}  // namespace
}  // namespace tollbridge::operations
