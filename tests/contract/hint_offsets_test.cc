// Offsets of hints and their notes where somebody has had his hands on the topic or the group.

#include "tests/contract/hint_log_fixture.h"

namespace tollbridge::test {
namespace {

class HintOffsetsContract : public HintLogContract {
 protected:
  /// Waits until the group has that offset, while feeds go on.
  bool AwaitCommitted(std::int64_t offset) {
    const BootTime end = BootClock::now() + kAwaitLimit;
    while (world().CommittedOffset(abc_) != offset) {
      if (BootClock::now() >= end) return false;
      context().restart();
      context().run_for(std::chrono::milliseconds(20));
    }
    return true;
  }
  /// Somebody reads three records, and has finished the first.
  void FinishOneOfThree() {
    Put("abc", 3);
    Reading reading(world());
    ASSERT_TRUE(reading.ReadCount(3));
    reading.feed().StoreOffset(abc_, 1, "a note");
    ASSERT_TRUE(reading.Stop().ok());
  }

  const std::int32_t abc_ = PartitionByVector("abc");
};

TEST_P(HintOffsetsContract, APartitionComesWithTheOffsetFromWhichItIsRead) {
  FinishOneOfThree();
  Reading again(world());
  ASSERT_TRUE(again.ReadCount(2));
  EXPECT_EQ(again.NextOffsetOf(abc_), 1);
  EXPECT_EQ(again.NextOffsetOf((abc_ + 1) % HintLogWorld::kPartitions), std::nullopt);
}

TEST_P(HintOffsetsContract, AnOffsetThatIsSetByHandHasNoNote) {
  FinishOneOfThree();
  world().SetOffset(abc_, 0, "");
  Reading again(world());
  ASSERT_TRUE(again.ReadCount(3));
  EXPECT_EQ(again.NextOffsetOf(abc_), 0);
  EXPECT_EQ(again.NoteOf(abc_), "");
}

TEST_P(HintOffsetsContract, ANoteThatWasLeftComesWithTheOffsetThatWasSet) {
  FinishOneOfThree();
  world().SetOffset(abc_, 0, "a note");
  Reading again(world());
  ASSERT_TRUE(again.ReadCount(3));
  EXPECT_EQ(again.NextOffsetOf(abc_), 0) << "so that it can be seen that it is of another one";
  EXPECT_EQ(again.NoteOf(abc_), "a note");
}

TEST_P(HintOffsetsContract, ATopicThatIsMadeAnewWhileNobodyReadsIsReadFromItsBeginning) {
  FinishOneOfThree();
  world().MakeTopicAnew();
  Put("abc", 2);
  Reading again(world());
  ASSERT_TRUE(again.ReadCount(2));
  EXPECT_EQ(again.NextOffsetOf(abc_), std::nullopt);
  EXPECT_EQ(again.NoteOf(abc_), "");
}

// The offset of the log before lies further, and is not the one that counts.
TEST_P(HintOffsetsContract, WhatIsStoredOfATopicThatIsMadeAnewIsCommittedThoughItIsLess) {
  Put("abc", 5);
  Reading reading(world());
  ASSERT_TRUE(reading.ReadCount(5));
  reading.feed().StoreOffset(abc_, 5, "");
  ASSERT_TRUE(AwaitCommitted(5));
  world().MakeTopicAnew();
  Put("abc", 3);
  ASSERT_TRUE(reading.ReadCount(8));
  EXPECT_EQ(reading.records().back().offset, 2);
  reading.feed().StoreOffset(abc_, 2, "");
  EXPECT_TRUE(AwaitCommitted(2));
}

// As where the group's offset is behind the end of what the log has.
TEST_P(HintOffsetsContract, WhatIsStoredBeforeTheOffsetThatAPartitionCameWithIsCommitted) {
  Put("abc", 3);
  world().SetOffset(abc_, 1'000, "");
  Reading reading(world());
  ASSERT_TRUE(reading.ReadCount(3));
  EXPECT_EQ(reading.NextOffsetOf(abc_), 1'000);
  reading.feed().StoreOffset(abc_, 1, "");
  reading.feed().StoreOffset(abc_, 2, "");
  EXPECT_TRUE(AwaitCommitted(2));
}

TEST_P(HintOffsetsContract, ANoteThatTheGroupDoesNotTakeHoldsUpNoOffset) {
  Put("abc", 3);
  Reading reading(world());
  ASSERT_TRUE(reading.ReadCount(3));
  // Longer than brokers take unless they are told to.
  reading.feed().StoreOffset(abc_, 1, std::string(5'000, 'n'));
  EXPECT_TRUE(AwaitCommitted(1));
  reading.feed().StoreOffset(abc_, 2, std::string(5'000, 'n'));
  EXPECT_TRUE(AwaitCommitted(2));
}

INSTANTIATE_TEST_SUITE_P(OnFake, HintOffsetsContract,
                         testing::Values(HintLogWorldParam{"Fake", MakeFakeHintLogWorld}),
                         NameOfWorld);
INSTANTIATE_TEST_SUITE_P(OnKafka, HintOffsetsContract,
                         testing::Values(HintLogWorldParam{"Kafka", MakeKafkaHintLogWorld}),
                         NameOfWorld);

}  // namespace
}  // namespace tollbridge::test
