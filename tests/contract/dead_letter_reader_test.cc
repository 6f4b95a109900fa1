// What KafkaDeadLetterLog writes, DeadLetterReader reads, on the real broker.

#include "adapters/kafka/dead_letter_reader.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/kafka/dead_letter_log.h"
#include "adapters/kafka/producer.h"
#include "tests/contract/kafka_topics.h"
#include "tests/support/async_test.h"

namespace tollbridge::kafka {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Await;

class DeadLetterReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    test::CreateTopic(context_, topic_, 2);
    auto producer =
        Producer::Create({.client = test::OwnBrokerSettings()}, context_.get_executor());
    ASSERT_TRUE(producer.ok()) << producer.status();
    producer_ = *std::move(producer);
  }

  void Write(const ports::DeadLetter& letter) {
    KafkaDeadLetterLog log(*producer_, topic_, "hints");
    const ports::Context context{.deadline = BootClock::now() + seconds(15), .trace = {}};
    const absl::Status written = Await(context_, log.Append(letter, context));
    ASSERT_TRUE(written.ok()) << written;
  }
  void WriteRaw(const std::string& value) {
    const OutgoingRecord record{Purpose::kHints, topic_, "raw", value, {}};
    const absl::Status written =
        Await(context_, producer_->Produce(record, BootClock::now() + seconds(15))).status();
    ASSERT_TRUE(written.ok()) << written;
  }
  std::unique_ptr<DeadLetterReader> Open() {
    auto reader = DeadLetterReader::Open(test::OwnBrokerSettings(), topic_, seconds(15));
    EXPECT_TRUE(reader.ok()) << reader.status();
    return *std::move(reader);
  }
  /// All that there is, to the end.
  std::vector<StoredLetter> ReadAll(DeadLetterReader& reader) {
    std::vector<StoredLetter> letters;
    while (true) {
      auto letter = reader.Next(seconds(15));
      EXPECT_TRUE(letter.ok()) << letter.status();
      if (!letter.ok() || !letter->has_value()) return letters;
      letters.push_back(**std::move(letter));
    }
  }
  static ports::DeadLetter Letter(const std::string& key) {
    return {
        .record = {.partition = 5,
                   .offset = 4711,
                   .key = key,
                   .value = std::string("\x00\xffjunk", 6),
                   .trace = telemetry::TraceContext::FromHeaders(
                                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "shop=7")
                                .value()},
        .cause = "unparsable",
        .tries = 4,
        .first_failure = WallTime(milliseconds(1'767'225'600'123)),
        .last_failure = WallTime(milliseconds(1'767'225'636'456))};
  }

  const std::string topic_ = test::UniqueName("letters");
  boost::asio::io_context context_;
  std::unique_ptr<Producer> producer_;
};

TEST_F(DeadLetterReaderTest, GivesEveryLetterAsItWasWrittenAndThenTheEnd) {
  for (const char* key : {"a", "b", "c", "d"}) Write(Letter(key));
  const auto reader = Open();
  const std::vector<StoredLetter> letters = ReadAll(*reader);
  ASSERT_EQ(letters.size(), 4U);
  for (const StoredLetter& stored : letters) {
    const ports::DeadLetter wanted = Letter(stored.letter.record.key);
    EXPECT_EQ(stored.letter.record.partition, 5);
    EXPECT_EQ(stored.letter.record.offset, 4711);
    EXPECT_EQ(stored.letter.record.value, wanted.record.value);
    EXPECT_EQ(stored.letter.record.trace, wanted.record.trace);
    EXPECT_EQ(stored.letter.cause, "unparsable");
    EXPECT_EQ(stored.letter.tries, 4U);
    EXPECT_EQ(stored.letter.first_failure, wanted.first_failure);
    EXPECT_EQ(stored.letter.last_failure, wanted.last_failure);
  }
}

TEST_F(DeadLetterReaderTest, EndsWhereTheTopicEndedWhenItWasOpened) {
  EXPECT_TRUE(ReadAll(*Open()).empty());
  Write(Letter("a"));
  const auto reader = Open();
  Write(Letter("a"));
  EXPECT_GE(ReadAll(*reader).size(), 1U);
  const auto after = reader->Next(seconds(15));
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_FALSE(after->has_value());
}

TEST_F(DeadLetterReaderTest, ReadsOneByItsPlaceAndTellsThatThereIsNone) {
  for (const char* key : {"a", "b", "c", "d"}) Write(Letter(key));
  const std::vector<StoredLetter> letters = ReadAll(*Open());
  ASSERT_EQ(letters.size(), 4U);
  const auto reader = Open();
  for (const StoredLetter& wanted : {letters[3], letters[0], letters[3]}) {
    const auto letter = reader->ReadAt(wanted.place, seconds(15));
    ASSERT_TRUE(letter.ok()) << letter.status();
    EXPECT_EQ(letter->place, wanted.place);
    EXPECT_EQ(letter->letter.record.key, wanted.letter.record.key);
  }
  for (const RecordPlace& place : {RecordPlace{0, 4}, RecordPlace{2, 0}, RecordPlace{-1, 0}}) {
    EXPECT_TRUE(absl::IsNotFound(reader->ReadAt(place, seconds(15)).status()));
  }
}

TEST_F(DeadLetterReaderTest, WhatSomebodyElseWroteHasNoFacts) {
  WriteRaw("junk");
  const std::vector<StoredLetter> letters = ReadAll(*Open());
  ASSERT_EQ(letters.size(), 1U);
  EXPECT_EQ(letters[0].letter.cause, "");
  EXPECT_EQ(letters[0].letter.record.partition, -1);
  EXPECT_EQ(letters[0].letter.record.value, "junk");
  EXPECT_EQ(letters[0].letter.last_failure, WallTime{});
}

TEST_F(DeadLetterReaderTest, ATopicThatIsNotThereIsNotFound) {
  const auto reader =
      DeadLetterReader::Open(test::OwnBrokerSettings(), "no-such-topic", seconds(15));
  EXPECT_TRUE(absl::IsNotFound(reader.status())) << reader.status();
}

}  // namespace
}  // namespace tollbridge::kafka
