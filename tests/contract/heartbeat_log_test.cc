#include "services/ports/heartbeat_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tests/contract/hint_log_fixture.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::test {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::Pair;

class HeartbeatLogContract : public HintLogContract {
 protected:
  std::vector<ports::HintsProgress> Look() {
    // A broker that has just started finds out who coordinates the group.
    const auto until = BootClock::now() + seconds(20);
    while (true) {
      const auto look = Await(context(), world().heartbeats().Look(ContextFor(seconds(15))));
      if (look.ok()) return *look;
      if (BootClock::now() < until && absl::IsUnavailable(look.status())) continue;
      ADD_FAILURE() << look.status();
      return std::vector<ports::HintsProgress>(HintLogWorld::kPartitions);
    }
  }
  /// Offsets that are stored are committed a moment later.
  bool LooksLike(std::int32_t partition, std::int64_t finished, std::int64_t end) {
    const auto until = BootClock::now() + seconds(10);
    while (BootClock::now() < until) {
      const auto look = Look();
      const ports::HintsProgress& own = look.at(static_cast<std::size_t>(partition));
      if (own.finished == finished && own.end == end) return true;
    }
    return false;
  }
  storage::v1::OutboxEntry Heartbeat() {
    storage::v1::OutboxEntry entry;
    entry.set_topic(world().events_topic());
    entry.set_payload("beat");
    storage::v1::Header* const header = entry.add_headers();
    header->set_name("ce_type");
    header->set_value("tollbridge.heartbeat.v1");
    return entry;
  }
};

TEST_P(HeartbeatLogContract, PartitionsThatNobodyHasReadShowWhatLiesThere) {
  Put("abc", 3);
  const auto look = Look();
  ASSERT_EQ(look.size(), static_cast<std::size_t>(HintLogWorld::kPartitions));
  for (std::int32_t i = 0; i < HintLogWorld::kPartitions; ++i) {
    const ports::HintsProgress& each = look[static_cast<std::size_t>(i)];
    EXPECT_EQ(each.finished, 0) << i;
    EXPECT_EQ(each.end, i == PartitionByVector("abc") ? 3 : 0) << i;
  }
}

TEST_P(HeartbeatLogContract, WhatTheGroupHasFinishedIsSeenByWhoIsNotInIt) {
  const std::int32_t abc = PartitionByVector("abc");
  Put("abc", 5);
  Reading reading(world());
  ASSERT_TRUE(reading.ReadCount(5));
  EXPECT_TRUE(LooksLike(abc, 0, 5)) << "read, and not finished";
  reading.feed().StoreOffset(abc, 4, "");
  ASSERT_TRUE(reading.Stop().ok());
  EXPECT_TRUE(LooksLike(abc, 4, 5)) << "nobody owns the partition now";
  Put("abc", 1);
  EXPECT_TRUE(LooksLike(abc, 4, 6));
}

TEST_P(HeartbeatLogContract, AHeartbeatLiesInItsPartitionWithoutAKey) {
  const auto count = Await(context(), world().heartbeats().CountPartitions(
                                          world().events_topic(), ContextFor(seconds(15))));
  ASSERT_TRUE(count.ok()) << count.status();
  ASSERT_EQ(*count, HintLogWorld::kEventPartitions);
  const storage::v1::OutboxEntry heartbeat = Heartbeat();
  for (std::int32_t partition = 0; partition < *count; ++partition) {
    const absl::Status written = Await(
        context(), world().heartbeats().Append(heartbeat, partition, ContextFor(seconds(15))));
    ASSERT_TRUE(written.ok()) << written;
  }
  std::set<std::int32_t> partitions;
  for (const WrittenHeartbeat& each : world().ReadHeartbeats(3)) {
    partitions.insert(each.partition);
    EXPECT_FALSE(each.has_key);
    EXPECT_EQ(each.value, "beat");
    EXPECT_THAT(each.headers, ElementsAre(Pair("ce_type", "tollbridge.heartbeat.v1")));
  }
  EXPECT_EQ(partitions, (std::set<std::int32_t>{0, 1, 2}));
}

TEST_P(HeartbeatLogContract, ATopicThatIsNotThereIsUnavailable) {
  EXPECT_TRUE(absl::IsUnavailable(
      Await(context(), world().heartbeats().CountPartitions("nowhere", ContextFor(seconds(5))))
          .status()));
}

TEST_P(HeartbeatLogContract, WithoutTheLogEachCallIsUnavailableByItsDeadline) {
  static_cast<void>(Look());
  world().SetReachable(false);
  const BootTime begun = BootClock::now();
  EXPECT_TRUE(absl::IsUnavailable(
      Await(context(), world().heartbeats().Look(ContextFor(seconds(1)))).status()));
  const storage::v1::OutboxEntry heartbeat = Heartbeat();
  EXPECT_TRUE(absl::IsUnavailable(
      Await(context(), world().heartbeats().Append(heartbeat, 0, ContextFor(seconds(1))))));
  EXPECT_LT(BootClock::now() - begun, seconds(10));
}

INSTANTIATE_TEST_SUITE_P(OnFake, HeartbeatLogContract,
                         testing::Values(HintLogWorldParam{"Fake", MakeFakeHintLogWorld}),
                         NameOfWorld);
INSTANTIATE_TEST_SUITE_P(OnKafka, HeartbeatLogContract,
                         testing::Values(HintLogWorldParam{"Kafka", MakeKafkaHintLogWorld}),
                         NameOfWorld);

}  // namespace
}  // namespace tollbridge::test
