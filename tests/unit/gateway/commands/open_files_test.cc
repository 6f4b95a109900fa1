#include "gateway/commands/open_files.h"

#include <gtest/gtest.h>

namespace tollbridge::gateway {
namespace {

TEST(ConnectionsWithin, AreAllThatAreWantedWhereThereAreEnoughFiles) {
  EXPECT_EQ(ConnectionsWithin(65'536, 10'240), 10'240U);
  EXPECT_EQ(ConnectionsWithin(3'072, 2'048), 2'048U);
}

TEST(ConnectionsWithin, LeaveFilesForWhatCallsNeed) {
  EXPECT_EQ(ConnectionsWithin(3'071, 2'048), 2'047U);
  EXPECT_EQ(ConnectionsWithin(2'048, 2'048), 1'024U);
  EXPECT_EQ(ConnectionsWithin(1'024, 2'048), 512U);
  EXPECT_EQ(ConnectionsWithin(1'024, 100), 100U);
}

TEST(ConnectionsWithin, AreNoneOfNone) { EXPECT_EQ(ConnectionsWithin(1'024, 0), 0U); }

}  // namespace
}  // namespace tollbridge::gateway
