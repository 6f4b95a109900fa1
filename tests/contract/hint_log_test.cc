#include <algorithm>

#include "tests/contract/hint_log_fixture.h"

namespace tollbridge::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_P(HintLogContract, HintsOfAnOrderComeInTheOrderOfAppending) {
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(Append(HintOf("order-" + std::to_string(i % 7), i)).ok());
  }
  Reading reading(world());
  ASSERT_TRUE(reading.ReadCount(60));
  std::map<std::string, std::int64_t> last_noticed;
  std::map<std::string, std::int32_t> partition_of;
  std::map<std::int32_t, std::int64_t> next_offset;
  for (const ports::HintRecord& record : reading.records()) {
    events::v1::Hint hint;
    ASSERT_TRUE(hint.ParseFromString(record.value));
    EXPECT_EQ(record.key, "shop:" + hint.order_id());
    EXPECT_EQ(hint.source(), events::v1::HINT_SOURCE_WEBHOOK);
    const auto [entry, first] = last_noticed.try_emplace(record.key, hint.noticed_at().seconds());
    EXPECT_TRUE(first || entry->second < hint.noticed_at().seconds());
    entry->second = hint.noticed_at().seconds();
    EXPECT_EQ(partition_of.try_emplace(record.key, record.partition).first->second,
              record.partition);
    EXPECT_EQ(record.offset, next_offset[record.partition]++);
  }
  EXPECT_EQ(last_noticed.size(), 7U);
}

TEST_P(HintLogContract, AKeyLiesInThePartitionThatOtherClientsChoose) {
  for (const auto& [key, hash] : Murmur2Vectors()) world().PutRaw(key, "value");
  Reading reading(world());
  ASSERT_TRUE(reading.ReadCount(Murmur2Vectors().size()));
  for (const ports::HintRecord& record : reading.records()) {
    EXPECT_EQ(record.partition, PartitionByVector(record.key)) << record.key;
  }
}

TEST_P(HintLogContract, TheTraceOfWhoeverAppendsTravelsWithTheHint) {
  ports::Context with = ContextFor(seconds(15));
  with.trace = telemetry::TraceContext::FromHeaders(
                   "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "shop=7")
                   .value();
  ASSERT_TRUE(Append(HintOf("traced"), with).ok());
  ASSERT_TRUE(Append(HintOf("plain")).ok());
  Reading reading(world());
  ASSERT_TRUE(reading.ReadCount(2));
  for (const ports::HintRecord& record : reading.records()) {
    if (record.key == "shop:traced") {
      EXPECT_EQ(record.trace, with.trace);
    } else {
      EXPECT_FALSE(record.trace.valid());
    }
  }
}

TEST_P(HintLogContract, WhatIsNoHintComesAsItIs) {
  const std::string garbage("\xff\x00garbage\n", 10);
  world().PutRaw("", garbage);
  Reading reading(world());
  ASSERT_TRUE(reading.ReadCount(1));
  EXPECT_EQ(reading.records()[0].key, "");
  EXPECT_EQ(reading.records()[0].value, garbage);
}

TEST_P(HintLogContract, AppendIsUnavailableByTheDeadlineWhileTheLogIsAwayAndWorksAfterwards) {
  ASSERT_TRUE(Append(HintOf("before")).ok());
  Reading reading(world());
  ASSERT_TRUE(reading.ReadCount(1));
  world().SetReachable(false);

  const BootTime start = BootClock::now();
  const absl::Status refused = Append(HintOf("while away"), ContextFor(milliseconds(700)));
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_LT(BootClock::now() - start, milliseconds(700) + milliseconds(500));
  EXPECT_TRUE(RunUntil(context(), [&] { return reading.times_unavailable() > 0; }));

  world().SetReachable(true);
  const absl::Status accepted = Append(HintOf("after"), ContextFor(seconds(18)));
  ASSERT_TRUE(accepted.ok()) << accepted;
  // The one that was refused may have come too: it was never said that it does not.
  EXPECT_TRUE(RunUntil(context(), [&] {
    return std::ranges::any_of(reading.records(),
                               [](const auto& record) { return record.key == "shop:after"; });
  }));
  EXPECT_EQ(reading.times_unavailable(), 1) << "once per outage, not in a loop";
}

TEST_P(HintLogContract, AnAppendWhoseDeadlineIsOverAnswersAtOnce) {
  world().SetReachable(false);
  const BootTime start = BootClock::now();
  EXPECT_TRUE(absl::IsUnavailable(Append(HintOf("late"), ContextFor(milliseconds(-5)))));
  EXPECT_LT(BootClock::now() - start, milliseconds(500));
}

TEST_P(HintLogContract, DeadLettersKeepTheRecordAndTellWhy) {
  ports::DeadLetter first{
      .record = {.partition = 3,
                 .offset = 1'234'567'890'123,
                 .key = "shop:order",
                 .value = std::string("\x00\xff", 2),
                 .trace = telemetry::TraceContext::FromHeaders(
                              "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", "shop=7")
                              .value()},
      .cause = "unreadable_answer",
      .tries = 7,
      .first_failure = WallTime(milliseconds(1'767'225'600'123)),
      .last_failure = WallTime(milliseconds(1'767'225'701'000))};
  ports::DeadLetter second = first;
  second.cause = "unparsable";
  second.record.trace = {};
  for (const ports::DeadLetter& letter : {first, second}) {
    const absl::Status appended =
        Await(context(), world().dead_letters().Append(letter, ContextFor(seconds(15))));
    ASSERT_TRUE(appended.ok()) << appended;
  }
  const std::vector<ports::DeadLetter> found = world().ReadDeadLetters(2);
  ASSERT_EQ(found.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const ports::DeadLetter& wanted = i == 0 ? first : second;
    EXPECT_EQ(found[i].cause, wanted.cause);
    EXPECT_EQ(found[i].tries, 7U);
    EXPECT_EQ(found[i].first_failure, wanted.first_failure);
    EXPECT_EQ(found[i].last_failure, wanted.last_failure);
    EXPECT_EQ(found[i].record.partition, 3);
    EXPECT_EQ(found[i].record.offset, 1'234'567'890'123);
    EXPECT_EQ(found[i].record.key, "shop:order");
    EXPECT_EQ(found[i].record.value, wanted.record.value);
    EXPECT_EQ(found[i].record.trace, wanted.record.trace);
  }
}

TEST_P(HintLogContract, ALetterThatIsTooLargeIsNeverTakenAndACutOneSaysWhatItWas) {
  ports::DeadLetter letter{
      .record = {.partition = 1, .offset = 2, .key = "", .value = "", .trace = {}},
      .cause = "unparsable",
      .first_failure = WallTime(milliseconds(1)),
      .last_failure = WallTime(milliseconds(1))};
  letter.record.value = std::string(1'000'001, 'x');
  const auto append = [&] {
    return Await(context(), world().dead_letters().Append(letter, ContextFor(seconds(15))));
  };
  EXPECT_TRUE(absl::IsInvalidArgument(append()));
  letter.record.value = "xx";
  letter.cut_from = {.value_bytes = 1'000'001, .value_sha256 = "ab12"};
  ASSERT_TRUE(append().ok());
  const std::vector<ports::DeadLetter> found = world().ReadDeadLetters(1);
  EXPECT_EQ(found[0].record.value, "xx");
  ASSERT_TRUE(found[0].cut_from);
  EXPECT_EQ(found[0].cut_from->value_bytes, 1'000'001U);
  EXPECT_EQ(found[0].cut_from->value_sha256, "ab12");
}

TEST_P(HintLogContract, ADeadLetterIsUnavailableByTheDeadlineWhileTheLogIsAway) {
  world().SetReachable(false);
  const BootTime start = BootClock::now();
  const absl::Status refused =
      Await(context(), world().dead_letters().Append({}, ContextFor(milliseconds(300))));
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_LT(BootClock::now() - start, milliseconds(800));
}

INSTANTIATE_TEST_SUITE_P(OnFake, HintLogContract,
                         testing::Values(HintLogWorldParam{"Fake", MakeFakeHintLogWorld}),
                         NameOfWorld);
INSTANTIATE_TEST_SUITE_P(OnKafka, HintLogContract,
                         testing::Values(HintLogWorldParam{"Kafka", MakeKafkaHintLogWorld}),
                         NameOfWorld);

}  // namespace
}  // namespace tollbridge::test
