#include "base/core/rfc3339.h"

#include <gtest/gtest.h>

namespace tollbridge {
namespace {

using std::chrono::milliseconds;
using std::chrono::sys_time;

constexpr sys_time<milliseconds> kTime{milliseconds(1'767'323'045'000)};  // 2026-01-02T03:04:05Z

TEST(Rfc3339, ReadsTimesWithTheirZone) {
  EXPECT_EQ(ParseRfc3339("2026-01-02T03:04:05Z"), kTime);
  EXPECT_EQ(ParseRfc3339("2026-01-02T03:04:05.6789Z"), kTime + milliseconds(678));
  EXPECT_EQ(ParseRfc3339("2026-01-02T05:04:05+02:00"), kTime);
}

TEST(Rfc3339, EverythingElseIsNone) {
  for (const char* text : {"", "2026-01-02", "2026-01-02T03:04:05", " 2026-01-02T03:04:05Z",
                           "2026-01-02T03:04:05Z ", "2026-13-02T03:04:05Z", "2026-01-02T25:04:05Z",
                           "infinite-future", "yesterday", "2026-01-02T03:04:05Zulu"}) {
    EXPECT_FALSE(ParseRfc3339(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace tollbridge
