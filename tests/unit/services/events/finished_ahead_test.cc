// What is finished ahead of an order that hangs is not read again by who has the partition next.

#include "services/events/finished_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/core/encoding.h"
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

FinishedAhead Made(std::int64_t base, std::int32_t leader_epoch,
                   const std::vector<std::int64_t>& offsets) {
  FinishedAhead ahead(base);
  for (const std::int64_t offset : offsets) ahead.Add(offset, leader_epoch);
  return ahead;
}

/// As who has the partition next finds it.
FinishedAhead Noted(const FinishedAhead& ahead) { return FinishedAhead::Of(ahead.Note(100), 100); }

TEST(FinishedAheadTest, ANoteHoldsWhatItWasMadeOf) {
  const FinishedAhead ahead = Noted(Made(100, 3, {101, 108, 4000}));
  EXPECT_THAT(HeldOf(ahead, 3), ElementsAre(101, 108, 4000));
}

TEST(FinishedAheadTest, WhatAnotherLeaderTookIsAnotherRecord) {
  const FinishedAhead ahead = Noted(Made(100, 3, {101}));
  EXPECT_THAT(HeldOf(ahead, 4), IsEmpty());
  EXPECT_THAT(HeldOf(ahead, -1), IsEmpty()) << "not known";
  // Two that took records without hearing of each other lead in turns: the one of epoch 4 lost its
  // lead while that of 3 was read, and has it again after 5.
  FinishedAhead both(100);
  both.Add(101, 3);
  both.Add(102, 5);
  EXPECT_THAT(HeldOf(Noted(both), 4), IsEmpty());
}

TEST(FinishedAheadTest, OfALeaderThatIsNotKnownNothingIsFinished) {
  FinishedAhead ahead(100);
  ahead.Add(101, -1);
  EXPECT_TRUE(ahead.empty());
  EXPECT_THAT(HeldOf(FinishedAhead::Of("ahead2 100 100 0:-1 Ag==", 100), -1), IsEmpty());
}

TEST(FinishedAheadTest, EachRecordHasTheEpochOfItsOwnLeader) {
  FinishedAhead ahead(100);
  for (const std::int64_t offset : {101, 105}) ahead.Add(offset, 3);
  for (const std::int64_t offset : {107, 109}) ahead.Add(offset, 6);
  ahead.Add(110, -1);
  EXPECT_THAT(HeldOf(Noted(ahead), 3), ElementsAre(101, 105));
  EXPECT_THAT(HeldOf(Noted(ahead), 6), ElementsAre(107, 109));
}

TEST(FinishedAheadTest, ANoteIsOfTheOffsetThatItIsStoredWith) {
  const std::string note = Made(100, 3, {101}).Note(98);
  EXPECT_THAT(HeldOf(FinishedAhead::Of(note, 98), 3), ElementsAre(101));
  EXPECT_TRUE(FinishedAhead::Of(note, 97).empty());
  EXPECT_TRUE(FinishedAhead::Of(note, 100).empty());
}

TEST(FinishedAheadTest, NothingFinishedIsNoNote) {
  EXPECT_EQ(FinishedAhead(100).Note(100), "");
  EXPECT_TRUE(FinishedAhead::Of("", 100).empty());
}

TEST(FinishedAheadTest, ANoteIsNeverTooLong) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t offset = 0; offset < 100'000; ++offset) offsets.push_back(offset);
  constexpr std::int64_t kFar = 9'000'000'000'000'000'000;
  FinishedAhead ahead(0);
  // Ten leaders that took 2,000 records each.
  for (const std::int64_t offset : offsets) {
    ahead.Add(offset, static_cast<std::int32_t>(2'000'000'000 + offset / 2'000));
  }
  EXPECT_LE(ahead.Note(kFar).size(), 3U * 1024);
  const FinishedAhead noted = FinishedAhead::Of(ahead.Note(kFar), kFar);
  EXPECT_THAT(HeldOf(noted, 2'000'000'007), SizeIs(2'000));
  EXPECT_THAT(HeldOf(noted, 2'000'000'008), IsEmpty());
  EXPECT_THAT(HeldOf(Noted(Made(0, 1, offsets)), 1), SizeIs(FinishedAhead::kMost));
}

TEST(FinishedAheadTest, WhatSomebodyElseWroteThereIsNothing) {
  for (const char* note :
       {"offset 7", "ahead2", "ahead2 100 100 1:3", "ahead2 100 100 1:3 !",
        "ahead2 100 x 1:3 Ag==", "ahead2 100 -5 1:3 Ag==", "ahead2 100 100 1:3 Ag== more",
        "ahead1 100 100 1:3 Ag==", "ahead2 100 100 3 Ag==", "ahead2 100 100  Ag==",
        "ahead2 100 100 -1:3 Ag==", "ahead2 100 100 9:4,1:3 Ag==", "ahead2 x 100 1:3 Ag==",
        "ahead2 100 99999999999999999999 1:3 Ag==",
        "ahead2 100 100 1:3,2:4,3:5,4:6,5:7,6:8,7:9,8:10,9:11 Ag=="}) {
    EXPECT_TRUE(FinishedAhead::Of(note, 100).empty()) << note;
  }
  EXPECT_FALSE(FinishedAhead::Of("ahead2 100 100 1:3 Ag==", 100).empty());
  const std::string longer = "ahead2 100 100 1:3 " + Base64Encode(std::string(2049, '1'));
  EXPECT_TRUE(FinishedAhead::Of(longer, 100).empty());
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

// A topic that is made anew has the same offsets again, and the same epochs.
TEST_F(FinishedAheadInLoopTest, IsReadWhenTheTopicIsMadeAnewWhileNothingIsUnderWay) {
  HandOver();
  PutHint(10);
  PutHint(11, kOtherOrderId);
  ReleaseReads();
  ReleaseReads();
  Pass(std::chrono::seconds(2));
  ASSERT_EQ(feed_.stored[0].back(), 12);
  const std::size_t reads = ReadsOf(kOtherOrderId);
  PutHint(0);
  Pass(std::chrono::seconds(2));
  PutHint(11, kOtherOrderId);
  Pass(std::chrono::seconds(2));
  EXPECT_EQ(ReadsOf(kOtherOrderId), reads + 1);
}

// The group's offset lies behind the end of what is there now.
TEST_F(FinishedAheadInLoopTest, IsReadWhereTheLogBeginsBeforeTheOffsetOfTheNote) {
  HandOver();
  PutHint(0);
  PutHint(11, kOtherOrderId);
  Pass(std::chrono::seconds(2));
  EXPECT_EQ(ReadsOf(kOtherOrderId), 2U);
}

TEST_F(FinishedAheadInLoopTest, IsReadWhereSomebodyHasSetTheOffsetAndLeftTheNote) {
  feed_.Revoke({0});
  feed_.stored[0].push_back(5);
  feed_.Assign({0});
  PutHint(5);
  PutHint(11, kOtherOrderId);
  Pass(std::chrono::seconds(2));
  EXPECT_EQ(ReadsOf(kOtherOrderId), 2U);
}

TEST_F(FinishedAheadInLoopTest, IsReadWhereThePartitionCameWithoutItsNoteSince) {
  HandOver();
  // Nothing of it has come yet.
  feed_.notes[0].clear();
  feed_.stored[0].clear();
  feed_.Assign({0});
  PutHint(10);
  PutHint(11, kOtherOrderId);
  Pass(std::chrono::seconds(2));
  EXPECT_EQ(ReadsOf(kOtherOrderId), 2U);
}

TEST_F(FinishedAheadInLoopTest, IsForgottenWithThePartition) {
  HandOver();
  feed_.Revoke({0});
  PutHint(10);
  PutHint(11, kOtherOrderId);
  Pass(std::chrono::seconds(2));
  EXPECT_EQ(ReadsOf(kOtherOrderId), 2U);
}

class FinishedAheadInFullLoopTest : public FinishedAheadInLoopTest {
 protected:
  FinishedAheadInFullLoopTest() { settings_.max_unfinished = 2; }
};

TEST_F(FinishedAheadInFullLoopTest, WhatIsFinishedAheadIsNotWaitedFor) {
  HandOver();
  feed_.paused[0] = false;
  PutHint(10);
  PutHint(11, kOtherOrderId);
  EXPECT_FALSE(feed_.paused[0]);
  PutHint(12);
  EXPECT_TRUE(feed_.paused[0]);
  ReleaseReads();
  ReleaseReads();
  Pass(std::chrono::seconds(2));
  EXPECT_FALSE(feed_.paused[0]);
}

TEST_F(FinishedAheadInLoopTest, WhatIsFinishedLaterIsNotedLater) {
  for (std::int64_t offset = 12; offset < 15; ++offset) {
    Pass(std::chrono::seconds(2));
    PutHint(offset, kOtherOrderId);
  }
  const FinishedAhead ahead = FinishedAhead::Of(feed_.notes[0], 10);
  EXPECT_THAT(HeldOf(ahead, 0), ElementsAre(11, 12, 13, 14));
  ReleaseReads();
  EXPECT_EQ(feed_.stored[0].back(), 15);
}

}  // namespace
}  // namespace tollbridge::events
