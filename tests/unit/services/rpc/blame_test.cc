#include "services/rpc/blame.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <sstream>
#include <string>

#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "tests/support/read_file.h"

namespace tollbridge::rpc {
namespace {

using std::chrono::milliseconds;

absl::Status StoreAway() {
  return domain::MakeError(absl::StatusCode::kUnavailable, "x",
                           {.reason = domain::reason::kStoreUnavailable});
}

CallTimes Times(milliseconds took, milliseconds patience) {
  const BootTime begun{};
  return {.begun = begun, .ended = begun + took, .deadline = begun + patience};
}

TEST(BlameTest, EveryReasonOfAnErrorHasOne) {
  std::set<std::string> blamed;
  for (const Blame& blame : AllBlames()) {
    EXPECT_TRUE(blamed.emplace(blame.reason).second) << blame.reason;
    EXPECT_EQ(std::ranges::count(telemetry::kBlamed, blame.who), 1) << blame.who;
  }
  std::set<std::string> all;
  std::istringstream golden(test::ReadFile(TOLLBRIDGE_SOURCE_DIR "/tests/data/reasons.golden"));
  for (std::string line; std::getline(golden, line);) all.insert(line);
  EXPECT_EQ(blamed, all);
}

TEST(BlameTest, TheStoreIsToBlameWhereTheCallerHadPatience) {
  EXPECT_EQ(BlameFor(StoreAway(), Times(milliseconds(100), milliseconds(100))).who, "store");
  EXPECT_EQ(BlameFor(StoreAway(), Times(milliseconds(5), milliseconds(50))).who, "store");
}

TEST(BlameTest, ACallerWithoutPatienceIsToBlame) {
  const Blame blame = BlameFor(StoreAway(), Times(milliseconds(99), milliseconds(99)));
  EXPECT_EQ(blame.who, "caller");
  EXPECT_EQ(blame.reason, domain::reason::kStoreUnavailable);
}

TEST(BlameTest, ACallerWhoWentAwayIsToBlame) {
  CallTimes times = Times(milliseconds(5), milliseconds(5000));
  times.cancelled = true;
  EXPECT_EQ(BlameFor(StoreAway(), times).who, "caller");
}

}  // namespace
}  // namespace tollbridge::rpc
