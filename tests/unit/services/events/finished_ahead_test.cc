// What is finished ahead of an order that hangs is not read again by who has the partition next.

#include "services/events/finished_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/services/events/hint_fixture.h"

namespace tollbridge::events {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr auto kNew = common::v1::ORDER_STATUS_NEW;

ports::HintRecord At(std::int64_t offset, std::int32_t leader_epoch) {
  ports::HintRecord record;
  record.offset = offset;
  record.leader_epoch = leader_epoch;
  return record;
}

std::vector<std::int64_t> HeldOf(const FinishedAhead& ahead, std::int32_t leader_epoch) {
  std::vector<std::int64_t> held;
  for (std::int64_t offset = 0; offset < 20'000; ++offset) {
    if (ahead.Holds(At(offset, leader_epoch))) held.push_back(offset);
  }
  return held;
}

TEST(FinishedAheadTest, ANoteHoldsWhatItWasMadeOf) {
  const FinishedAhead ahead = FinishedAhead::Of(FinishedAhead(100, 3, {101, 108, 4000}).Note());
  EXPECT_THAT(HeldOf(ahead, 3), ElementsAre(101, 108, 4000));
  EXPECT_THAT(HeldOf(ahead, 2), ElementsAre(101, 108, 4000)) << "of an earlier leader";
}

TEST(FinishedAheadTest, WhatALaterLeaderTookIsAnotherRecord) {
  const FinishedAhead ahead = FinishedAhead::Of(FinishedAhead(100, 3, {101}).Note());
  EXPECT_THAT(HeldOf(ahead, 4), IsEmpty());
  EXPECT_THAT(HeldOf(ahead, -1), IsEmpty()) << "not known";
}

TEST(FinishedAheadTest, NothingFinishedIsNoNote) {
  EXPECT_EQ(FinishedAhead(100, 3, {}).Note(), "");
  EXPECT_TRUE(FinishedAhead::Of("").empty());
}

TEST(FinishedAheadTest, ANoteIsNeverTooLong) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t offset = 0; offset < 100'000; ++offset) offsets.push_back(offset);
  const FinishedAhead ahead(0, 2'000'000'000, offsets);
  EXPECT_LE(ahead.Note().size(), 3U * 1024);
  EXPECT_THAT(HeldOf(FinishedAhead::Of(ahead.Note()), 0), SizeIs(FinishedAhead::kMost));
}

TEST(FinishedAheadTest, WhatSomebodyElseWroteThereIsNothing) {
  for (const char* note :
       {"offset 7", "ahead1", "ahead1 100 3", "ahead1 100 3 !",
        "ahead1 x 3 Ag==", "ahead1 -5 3 Ag==", "ahead1 100 3 Ag== more", "ahead2 100 3 Ag=="}) {
    EXPECT_TRUE(FinishedAhead::Of(note).empty()) << note;
  }
  EXPECT_FALSE(FinishedAhead::Of("ahead1 100 3 Ag==").empty());
}

class FinishedAheadInLoopTest : public HintFixture {
 protected:
  /// The hint of an order whose read hangs lies at 10, and at 11 that of another, which is
  /// finished.
  void SetUp() override {
    reads_.Show(MakeOrder(kNew));
    reads_.Show(MakeOrder(kNew, kOtherOrderId));
    HoldReadsOf(kOrderId);
    StartLoop();
    PutHint(10);
    PutHint(11, kOtherOrderId);
    ASSERT_EQ(ReadsOf(kOtherOrderId), 1U);
  }

  /// The partition changes hands, to a loop that knows nothing.
  void HandOver() {
    feed_.Revoke({0});
    feed_.Assign({0});
  }
};

TEST_F(FinishedAheadInLoopTest, IsNotReadAgainWhenThePartitionChangesHands) {
  EXPECT_THAT(feed_.stored[0], ElementsAre(10));
  HandOver();
  PutHint(10);
  PutHint(11, kOtherOrderId);
  PutHint(12, kOtherOrderId);
  Pass(std::chrono::seconds(2));
  EXPECT_EQ(ReadsOf(kOtherOrderId), 2U) << "once for each of its hints";
  // That of the loop before, and that of this one.
  ReleaseReads();
  ReleaseReads();
  Pass(std::chrono::seconds(2));
  EXPECT_EQ(feed_.stored[0].back(), 13);
}

TEST_F(FinishedAheadInLoopTest, IsReadWhereTheLogHasLostItAndAnotherRecordStandsThere) {
  HandOver();
  leader_epoch_ = 1;
  PutHint(10);
  PutHint(11, kOtherOrderId);
  Pass(std::chrono::seconds(2));
  EXPECT_EQ(ReadsOf(kOtherOrderId), 2U);
}

TEST_F(FinishedAheadInLoopTest, WhatIsFinishedLaterIsNotedLater) {
  for (std::int64_t offset = 12; offset < 15; ++offset) {
    Pass(std::chrono::seconds(2));
    PutHint(offset, kOtherOrderId);
  }
  const FinishedAhead ahead = FinishedAhead::Of(feed_.notes[0]);
  EXPECT_THAT(HeldOf(ahead, 0), ElementsAre(11, 12, 13, 14));
  ReleaseReads();
  EXPECT_EQ(feed_.stored[0].back(), 15);
}

}  // namespace
}  // namespace tollbridge::events
