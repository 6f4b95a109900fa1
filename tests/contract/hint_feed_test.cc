#include <algorithm>

#include "tests/contract/hint_log_fixture.h"

namespace tollbridge::test {
namespace {

using std::chrono::milliseconds;

class HintFeedContract : public HintLogContract {};

std::vector<std::int64_t> OffsetsOf(const std::vector<ports::HintRecord>& records) {
  std::vector<std::int64_t> offsets;
  offsets.reserve(records.size());
  for (const ports::HintRecord& record : records) offsets.push_back(record.offset);
  return offsets;
}

/// from, from + 1, ... until - 1.
std::vector<std::int64_t> Sequence(std::int64_t from, std::int64_t until) {
  std::vector<std::int64_t> numbers;
  for (; from < until; ++from) numbers.push_back(from);
  return numbers;
}

TEST_P(HintFeedContract, AFeedGoesOnAtTheStoredOffsetOfEachPartition) {
  const std::int32_t abc = PartitionByVector("abc");
  const std::int32_t other = PartitionByVector("21");
  ASSERT_NE(abc, other);
  Put("abc", 10);
  Put("21", 10);
  {
    Reading reading(world());
    ASSERT_TRUE(reading.ReadCount(20));
    reading.feed().StoreOffset(other, 7, "");
    reading.feed().StoreOffset(abc, 2, "");
    reading.feed().StoreOffset(abc, 4, "");
    ASSERT_TRUE(reading.Stop().ok());
  }
  Reading again(world());
  ASSERT_TRUE(again.ReadCount(3 + 6));
  EXPECT_EQ(OffsetsOf(again.RecordsOf(abc)), Sequence(4, 10));
  EXPECT_EQ(OffsetsOf(again.RecordsOf(other)), Sequence(7, 10));
}

TEST_P(HintFeedContract, WhatWasReadAndNotStoredComesAgain) {
  Put("abc", 3);
  {
    Reading reading(world());
    ASSERT_TRUE(reading.ReadCount(3));
    ASSERT_TRUE(reading.Stop().ok());
  }
  Reading again(world());
  ASSERT_TRUE(again.ReadCount(3));
  EXPECT_EQ(OffsetsOf(again.records()), Sequence(0, 3));
}

TEST_P(HintFeedContract, ANoteGoesWithTheOffsetToWhoHasThePartitionNext) {
  const std::int32_t abc = PartitionByVector("abc");
  Put("abc", 3);
  {
    Reading reading(world());
    ASSERT_TRUE(reading.ReadCount(3));
    EXPECT_EQ(reading.NoteOf(abc), "") << "nothing was stored yet";
    reading.feed().StoreOffset(abc, 1, "the first");
    ASSERT_TRUE(reading.Stop().ok());
  }
  {
    Reading reading(world());
    ASSERT_TRUE(reading.ReadCount(2));
    EXPECT_EQ(reading.NoteOf(abc), "the first");
    // No further than before: the note alone is new.
    reading.feed().StoreOffset(abc, 1, "the second");
    reading.feed().StoreOffset(abc, 1, std::string(3 * 1024, 'n'));
    ASSERT_TRUE(reading.Stop().ok());
  }
  Reading again(world());
  ASSERT_TRUE(again.ReadCount(2));
  EXPECT_EQ(again.NoteOf(abc), std::string(3 * 1024, 'n'));
  EXPECT_EQ(OffsetsOf(again.records()), Sequence(1, 3));
  again.feed().StoreOffset(abc, 3, "");
  ASSERT_TRUE(again.Stop().ok());
  Reading last(world());
  ASSERT_TRUE(RunUntil(context(), [&] { return last.assigned().contains(abc); }));
  EXPECT_EQ(last.NoteOf(abc), "");
  ASSERT_TRUE(last.Stop().ok());
}

TEST_P(HintFeedContract, ARecordSaysWhichLeaderTookIt) {
  Put("abc", 1);
  Reading reading(world());
  ASSERT_TRUE(reading.ReadCount(1));
  EXPECT_GE(reading.records().front().leader_epoch, 0);
}

TEST_P(HintFeedContract, TwoFeedsOfAGroupShareThePartitionsAndTheObserverHearsOfIt) {
  Put("abc", 2);
  Reading first(world());
  ASSERT_TRUE(first.ReadCount(2));
  first.feed().StoreOffset(PartitionByVector("abc"), 1, "");

  Reading second(world());
  ASSERT_TRUE(RunUntil(context(), [&] { return first.revocations() > 0; }));
  EXPECT_EQ(first.revoked().size(), static_cast<std::size_t>(HintLogWorld::kPartitions));

  // Every partition gets records; which feed has which shows in what it reads of them.
  std::map<std::int32_t, std::string> key_of;
  for (int i = 0; key_of.size() < HintLogWorld::kPartitions; ++i) {
    const std::string key = "spread-" + std::to_string(i);
    world().PutRaw(key, "last");
    const auto seen = [&](const Reading& reading) {
      return std::ranges::find(reading.records(), key, &ports::HintRecord::key);
    };
    ASSERT_TRUE(RunUntil(context(), [&] {
      return seen(first) != first.records().end() || seen(second) != second.records().end();
    }));
    const bool by_first = seen(first) != first.records().end();
    EXPECT_NE(by_first, seen(second) != second.records().end()) << "read twice";
    key_of.emplace(by_first ? seen(first)->partition : seen(second)->partition,
                   by_first ? "first" : "second");
  }
  EXPECT_EQ(std::ranges::count_if(key_of, [](const auto& e) { return e.second == "first"; }), 2);

  // The stored offset was committed when the partition changed hands: the record after it came
  // again, the one before it did not.
  std::vector<std::int64_t> offsets = OffsetsOf(first.RecordsOf(PartitionByVector("abc")));
  const auto of_second = OffsetsOf(second.RecordsOf(PartitionByVector("abc")));
  offsets.insert(offsets.end(), of_second.begin(), of_second.end());
  EXPECT_EQ(std::ranges::count(offsets, 0), 1);
  EXPECT_EQ(std::ranges::count(offsets, 1), 2);
}

TEST_P(HintFeedContract, EachPartitionIsOwnedByOneFeedAtATime) {
  const auto owned = [](const Reading& reading) {
    std::set<std::int32_t> partitions;
    for (std::int32_t i = 0; i < HintLogWorld::kPartitions; ++i) {
      if (reading.feed().Owns(i)) partitions.insert(i);
    }
    return partitions;
  };
  Reading first(world());
  ASSERT_TRUE(RunUntil(context(), [&] { return owned(first).size() == 4; }));
  {
    Reading second(world());
    ASSERT_TRUE(
        RunUntil(context(), [&] { return owned(first).size() == 2 && owned(second).size() == 2; }));
    for (const std::int32_t partition : owned(second)) EXPECT_FALSE(first.feed().Owns(partition));
    ASSERT_TRUE(second.Stop().ok());
    EXPECT_TRUE(owned(second).empty());
  }
  EXPECT_TRUE(RunUntil(context(), [&] { return owned(first).size() == 4; }));
}

TEST_P(HintFeedContract, TheObserverHearsWhichPartitionsItHas) {
  Reading first(world());
  const auto all = static_cast<std::size_t>(HintLogWorld::kPartitions);
  ASSERT_TRUE(RunUntil(context(), [&] { return first.assigned().size() == all; }));
  {
    Reading second(world());
    ASSERT_TRUE(RunUntil(context(), [&] {
      return first.assigned().size() == all / 2 && second.assigned().size() == all / 2;
    }));
    std::set<std::int32_t> both = first.assigned();
    both.insert(second.assigned().begin(), second.assigned().end());
    EXPECT_EQ(both.size(), all);
    ASSERT_TRUE(second.Stop().ok());
    EXPECT_TRUE(second.assigned().empty());
  }
  EXPECT_TRUE(RunUntil(context(), [&] { return first.assigned().size() == all; }));
}

TEST_P(HintFeedContract, StoringAnOffsetOfARevokedPartitionHasNoEffect) {
  for (const auto& [key, hash] : Murmur2Vectors()) Put(key, 3);
  Reading first(world());
  ASSERT_TRUE(first.ReadCount(12));
  {
    Reading second(world());
    // What the second feed reads is its own; the first has lost that.
    ASSERT_TRUE(second.ReadCount(1));
    const std::int32_t lost = second.records()[0].partition;
    first.feed().StoreOffset(lost, 3, "");
    ASSERT_TRUE(second.Stop().ok());
    ASSERT_TRUE(first.Stop().ok());
  }
  Reading last(world());
  ASSERT_TRUE(last.ReadCount(12)) << "an offset was stored by somebody without the partition";
}

TEST_P(HintFeedContract, APausedPartitionGivesNothingUntilItIsResumedAndThenAllOfIt) {
  const std::int32_t abc = PartitionByVector("abc");
  const std::int32_t other = PartitionByVector("21");
  Put("abc", 2);
  Put("21", 2);
  Reading reading(world());
  ASSERT_TRUE(reading.ReadCount(4));
  reading.feed().Pause(abc);
  Put("abc", 3);
  Put("21", 3);
  ASSERT_TRUE(reading.ReadCount(7));
  EXPECT_EQ(OffsetsOf(reading.RecordsOf(other)), Sequence(0, 5));
  EXPECT_EQ(OffsetsOf(reading.RecordsOf(abc)), Sequence(0, 2));
  reading.feed().Resume(abc);
  ASSERT_TRUE(reading.ReadCount(10));
  EXPECT_EQ(OffsetsOf(reading.RecordsOf(abc)), Sequence(0, 5));
}

TEST_P(HintFeedContract, PausingBetweenTwoAnswersNeitherSkipsNorRepeatsWhatWasFetchedAhead) {
  const std::int32_t abc = PartitionByVector("abc");
  Put("abc", 1200);
  const std::unique_ptr<ports::HintFeed> feed = world().MakeFeed();
  struct Deaf final : ports::HintFeedObserver {
    void OnAssigned(const std::vector<ports::HintShare>&) override {}
    void OnRevoked(const std::vector<std::int32_t>&) override {}
  } observer;
  ASSERT_TRUE(feed->Start(&observer).ok());
  std::vector<ports::HintRecord> all;
  while (all.size() < 1200) {
    const auto next = Await(context(), feed->Next());
    ASSERT_TRUE(next.ok()) << next.status();
    all.insert(all.end(), next->begin(), next->end());
    feed->Pause(abc);
    feed->Resume(abc);
  }
  EXPECT_EQ(OffsetsOf(all), Sequence(0, 1200));
}

TEST_P(HintFeedContract, StopEndsTheWaitAndIsQuick) {
  Put("abc", 1);
  Reading reading(world());
  ASSERT_TRUE(reading.ReadCount(1));
  const BootTime start = BootClock::now();
  ASSERT_TRUE(reading.Stop().ok());
  EXPECT_LT(BootClock::now() - start, milliseconds(1500));
  EXPECT_TRUE(RunUntil(context(), [&] { return reading.cancelled(); }));
  EXPECT_TRUE(absl::IsCancelled(Await(context(), reading.feed().Next()).status()));
  EXPECT_TRUE(reading.Stop().ok()) << "a second Stop does nothing";
  // Late ones of the reader's, without effect.
  reading.feed().StoreOffset(0, 1, "");
  reading.feed().Pause(0);
  reading.feed().Resume(0);
}

TEST_P(HintFeedContract, AFeedThatIsStoppedLeavesItsPartitionsToTheOthersAtOnce) {
  Reading second(world());
  {
    Reading first(world());
    Put("abc", 1);
    ASSERT_TRUE(
        RunUntil(context(), [&] { return first.records().size() + second.records().size() > 0; }));
    ASSERT_TRUE(first.Stop().ok());
  }
  const std::size_t before = second.records().size();
  for (const auto& [key, hash] : Murmur2Vectors()) world().PutRaw(key, "x");
  std::set<std::string> keys;
  EXPECT_TRUE(RunUntil(
      context(),
      [&] {
        keys.clear();
        for (std::size_t i = before; i < second.records().size(); ++i) {
          if (second.records()[i].value == "x") keys.insert(second.records()[i].key);
        }
        return keys.size() == Murmur2Vectors().size();
      },
      std::chrono::seconds(8)));
}

INSTANTIATE_TEST_SUITE_P(OnFake, HintFeedContract,
                         testing::Values(HintLogWorldParam{"Fake", MakeFakeHintLogWorld}),
                         NameOfWorld);
INSTANTIATE_TEST_SUITE_P(OnKafka, HintFeedContract,
                         testing::Values(HintLogWorldParam{"Kafka", MakeKafkaHintLogWorld}),
                         NameOfWorld);

}  // namespace
}  // namespace tollbridge::test
