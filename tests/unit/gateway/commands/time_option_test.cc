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
  EXPECT_EQ(*TimeOption("--since", "2026-01-01T00:00:00Z", kNow), kNow);
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

TEST(TimeOptionTest, WhatNoTimestampHoldsIsRefused) {
  for (const char* text :
       {"99999999d", "9223372036854775807ms", "0000-12-31T23:59:59Z", "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01", "99999-01-01T00:00:00Z"}) {
    const absl::Status refused = TimeOption("--to", text, kNow).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << text;
    EXPECT_THAT(
        std::string(refused.message()),
        HasSubstr("--to: must be in the years 1 to 9999, by UTC; not " + std::string(text)));
  }
  EXPECT_TRUE(TimeOption("--from", "0001-01-01T00:00:00Z", kNow).ok());
  EXPECT_TRUE(TimeOption("--to", "9999-12-31T23:59:59.999Z", kNow).ok());
  EXPECT_EQ(TimeOption("--to", "106751991168d", kNow).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(TimeOptionTest, NothingBeginsInTheFuture) {
  const std::string later = "2026-01-01T00:00:01Z";
  for (const char* option : {"--from", "--since"}) {
    const absl::Status refused = OptionalTime(option, later, kNow).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << option;
    EXPECT_EQ(std::string(refused.message()),
              option + (": must not be in the future; not " + later));
  }
  EXPECT_TRUE(TimeOption("--to", later, kNow).ok());
}

}  // namespace
}  // namespace tollbridge::gateway
