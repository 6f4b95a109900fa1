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
  /// Files whose times say that they were changed so long ago.
  FileStamp Changed(const std::string& text, std::chrono::nanoseconds ago) const {
    return {.text = text, .newest = wall_.time_since_epoch() - ago};
  }
  bool Look(const FileStamp& stamp) { return files_.Look(stamp, now_, wall_); }

  BootTime now_{hours(1)};
  std::chrono::system_clock::time_point wall_{hours(500'000)};
  QuietFiles files_;
};

TEST_F(QuietFilesTest, WhatWasLeftAloneForASecondIsQuietAtOnce) {
  EXPECT_TRUE(Look(Changed("a", seconds(1))));
  EXPECT_TRUE(Look(Changed("b", hours(1))));
}

TEST_F(QuietFilesTest, WhatWasChangedAMomentAgoIsNot) {
  EXPECT_FALSE(Look(Changed("a", milliseconds(999))));
  EXPECT_FALSE(Look(Changed("a", seconds(0))));
  now_ += milliseconds(999);
  EXPECT_FALSE(Look(Changed("a", seconds(0))));
}

TEST_F(QuietFilesTest, WhatChangesAgainAndAgainIsNot) {
  for (const std::string text : {"a", "b", "a", "b"}) {
    EXPECT_FALSE(Look(Changed(text, seconds(0))));
    now_ += seconds(1);
  }
}

TEST_F(QuietFilesTest, OfAClockThatIsAheadTwoLooksTell) {
  EXPECT_FALSE(Look(Changed("a", -hours(1))));
  now_ += seconds(1);
  EXPECT_TRUE(Look(Changed("a", -hours(1))));
  EXPECT_FALSE(Look(Changed("b", -hours(1))));
}

}  // namespace
}  // namespace tollbridge
