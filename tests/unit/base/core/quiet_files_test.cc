#include "base/core/quiet_files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace tollbridge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

class QuietFilesTest : public testing::Test {
 protected:
  bool Look(const std::string& stamp) { return files_.Look({.text = stamp}, now_); }

  BootTime now_{hours(1)};
  QuietFiles files_;
};

TEST_F(QuietFilesTest, WhatTwoLooksASecondApartFindTheSameIsQuiet) {
  EXPECT_FALSE(Look("a"));
  now_ += milliseconds(900);
  EXPECT_FALSE(Look("a"));
  now_ += milliseconds(100);
  EXPECT_TRUE(Look("a"));
  EXPECT_FALSE(Look("b"));
}

// Looks come at each full second, and now and then one is a little late.
TEST_F(QuietFilesTest, TheFirstOfTwoLooksMayHaveBeenLate) {
  now_ += milliseconds(40);
  EXPECT_FALSE(Look("a"));
  now_ += milliseconds(960);
  EXPECT_TRUE(Look("a"));
}

TEST_F(QuietFilesTest, WhatChangesAgainAndAgainIsNot) {
  for (const std::string text : {"a", "b", "a", "b"}) {
    EXPECT_FALSE(Look(text));
    now_ += seconds(1);
  }
}

TEST_F(QuietFilesTest, OfAClockThatIsBehindWhatIsBeingWrittenIsNotQuietForItsTimes) {
  FileStamp stamp{.text = "half", .newest = std::chrono::nanoseconds(1)};
  EXPECT_FALSE(files_.Look(stamp, now_));
  stamp.text = "whole";
  now_ += seconds(1);
  EXPECT_FALSE(files_.Look(stamp, now_));
  now_ += seconds(1);
  EXPECT_TRUE(files_.Look(stamp, now_));
}

}  // namespace
}  // namespace tollbridge
