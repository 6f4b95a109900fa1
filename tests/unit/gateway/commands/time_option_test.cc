#include "gateway/commands/time_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace tollbridge::gateway {
namespace {

using testing::HasSubstr;

constexpr WallTime kNow{std::chrono::sys_days{std::chrono::January / 1 / 2026}};

TEST(TimeOptionTest, IsATimeOrHowLongAgo) {
  EXPECT_EQ(*TimeOption("--since", "2026-01-01T00:00:00Z", {}), kNow);
  EXPECT_EQ(*TimeOption("--since", "90m", kNow), kNow - std::chrono::minutes(90));
  EXPECT_EQ(*TimeOption("--since", "3d", kNow), kNow - std::chrono::days(3));
  EXPECT_EQ(*TimeOption("--since", "0s", kNow), kNow);
}

TEST(TimeOptionTest, AnythingElseIsRefusedByName) {
  for (const char* text : {"", "yesterday", "-1h", "inf", "90", "2026-11-22"}) {
    const absl::Status refused = TimeOption("--to", text, kNow).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << text;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("--to: must be a time of RFC 3339"));
  }
}

}  // namespace
}  // namespace tollbridge::gateway
