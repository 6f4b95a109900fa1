#include "services/reconcile/stream_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tollbridge::reconcile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kStream = 1;
constexpr std::uint64_t kNextStream = 2;

/// The events of one family, in the order in which they lie in a partition.
class StreamCheckTest : public testing::Test {
 protected:
  void Put(std::uint32_t sequence, std::uint64_t stream = kStream) {
    Put(sequence, sequence, stream);
  }
  void Put(std::uint32_t sequence, std::uint64_t id, std::uint64_t stream) {
    index_.events.push_back({.root = {},
                             .stream = stream,
                             .id = id,
                             .offset = next_++,
                             .sequence = sequence,
                             .digest = 0,
                             .partition = 0});
  }
  /// As "fault:number", and "+" where it was told again.
  std::vector<std::string> Faults(const IndexedFamily* family = nullptr, bool whole = true) {
    index_.Sort();
    std::vector<std::string> texts;
    for (const StreamFault& fault : CheckStreams(index_.events.cbegin(), index_.events.cend(),
                                                 family, [whole](std::int32_t) { return whole; })) {
      texts.push_back(std::string(NameOf(fault.fault)) + ":" + std::to_string(fault.sequence) +
                      (fault.told_again ? "+" : ""));
    }
    return texts;
  }

  EventIndex index_;
  std::int64_t next_ = 10;
};

TEST_F(StreamCheckTest, NumbersInOrderAndTheirRepeatsAreGood) {
  for (const std::uint32_t sequence : {1U, 2U, 1U, 2U, 3U, 3U}) Put(sequence);
  EXPECT_THAT(Faults(), IsEmpty());
}

TEST_F(StreamCheckTest, ANumberThatIsNotThereIsAGap) {
  for (const std::uint32_t sequence : {1U, 2U, 4U}) Put(sequence);
  EXPECT_THAT(Faults(), ElementsAre("gap:3"));
}

TEST_F(StreamCheckTest, TheFirstNumberIsMissedOnlyWhereNothingWasRemoved) {
  for (const std::uint32_t sequence : {2U, 3U}) Put(sequence);
  EXPECT_THAT(Faults(), ElementsAre("gap:1"));
  EXPECT_THAT(Faults(nullptr, false), IsEmpty());
}

TEST_F(StreamCheckTest, WhatTheSnapshotHasGivenOutIsMissedAtTheEnd) {
  for (const std::uint32_t sequence : {1U, 2U}) Put(sequence);
  IndexedFamily family{.root = {}, .stream = kStream, .sequence = 3};
  EXPECT_THAT(Faults(&family), ElementsAre("gap:3"));
  family.sequence = 2;
  EXPECT_THAT(Faults(&family), IsEmpty());
  family = {.root = {}, .stream = kNextStream, .sequence = 7};
  EXPECT_THAT(Faults(&family), IsEmpty()) << "of another stream";
}

TEST_F(StreamCheckTest, ANumberStandsForOneIdAndOneValue) {
  Put(1);
  Put(1, 99, kStream);
  EXPECT_THAT(Faults(), ElementsAre("two_contents:1"));
  index_.events.clear();
  Put(1);
  Put(1);
  EXPECT_THAT(Faults(), IsEmpty());
  index_.events.back().digest = 5;
  EXPECT_THAT(Faults(), ElementsAre("two_contents:1"));
}

TEST_F(StreamCheckTest, AnEventHasOneNumberOfAStream) {
  Put(1);
  Put(2);
  Put(3, 2, kStream);
  EXPECT_THAT(Faults(), ElementsAre("two_numbers:3"));
  Put(1, kNextStream);
  Put(2, kNextStream);
  EXPECT_THAT(Faults(), ElementsAre("two_numbers:3+")) << "as it has one in the next";
}

TEST_F(StreamCheckTest, ANumberBehindALaterOneIsTheWrongOrder) {
  for (const std::uint32_t sequence : {1U, 3U, 2U}) Put(sequence);
  EXPECT_THAT(Faults(), ElementsAre("wrong_order:2"));
}

TEST_F(StreamCheckTest, AnotherPartitionIsNoOrderAtAll) {
  for (const std::uint32_t sequence : {1U, 2U}) Put(sequence);
  index_.events.back().partition = 3;
  EXPECT_THAT(Faults(), ElementsAre("wrong_order:1"));
}

TEST_F(StreamCheckTest, AStreamThatBeganBehindTheFaultHasToldItAgain) {
  for (const std::uint32_t sequence : {1U, 3U}) Put(sequence);
  for (const std::uint32_t sequence : {1U, 2U}) Put(sequence, kNextStream);
  EXPECT_THAT(Faults(), ElementsAre("gap:2+"));
}

TEST_F(StreamCheckTest, AStreamThatBeganBeforeTheFaultHasNot) {
  Put(1);
  Put(1, kNextStream);
  Put(3);
  EXPECT_THAT(Faults(), ElementsAre("gap:2"));
}

TEST_F(StreamCheckTest, WhatWasWrittenOutsideOfTheTimeIsNoFault) {
  for (const std::uint32_t sequence : {1U, 3U}) Put(sequence);
  for (IndexedEvent& event : index_.events) event.written = InTime::kBefore;
  EXPECT_THAT(Faults(), IsEmpty());
}

/// It was told between the numbers beside it.
TEST_F(StreamCheckTest, AGapIsOfTheTimeBetweenItsNeighbours) {
  for (const std::uint32_t sequence : {1U, 3U}) Put(sequence);
  index_.events.front().written = InTime::kBefore;
  index_.events.back().written = InTime::kAfter;
  EXPECT_THAT(Faults(), ElementsAre("gap:2"));
  index_.events.front().written = InTime::kAfter;
  EXPECT_THAT(Faults(), IsEmpty());
}

TEST_F(StreamCheckTest, AGapAtTheEndIsOfAnyTimeBehindIt) {
  Put(1);
  IndexedFamily family{.root = {}, .stream = kStream, .sequence = 2};
  index_.events.back().written = InTime::kBefore;
  EXPECT_THAT(Faults(&family), ElementsAre("gap:2"));
  index_.events.back().written = InTime::kAfter;
  EXPECT_THAT(Faults(&family), IsEmpty());
}

TEST_F(StreamCheckTest, TheFirstNumberOfAFamilyThatTheTopicReachesIsMissed) {
  for (const std::uint32_t sequence : {2U, 3U}) Put(sequence);
  IndexedFamily family{.root = {}, .stream = kStream, .sequence = 3, .whole = true};
  EXPECT_THAT(Faults(&family, false), ElementsAre("gap:1"));
  family = {.root = {}, .stream = kNextStream, .sequence = 3, .whole = true};
  EXPECT_THAT(Faults(&family, false), IsEmpty()) << "another life may have told it";
}

}  // namespace
}  // namespace tollbridge::reconcile
