#include "services/operations/lifecycle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace tollbridge::operations {
namespace {

TEST(Lifecycle, TheGuideDrawsTheTable) {
  std::ifstream file(std::string(TOLLBRIDGE_SOURCE_DIR) + "/docs/guides/idempotency.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), ::testing::HasSubstr("```mermaid\n" + StateDiagram() + "```"))
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
