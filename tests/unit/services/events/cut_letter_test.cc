#include "services/events/cut_letter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/telemetry/metric_definitions.h"
#include "tests/unit/services/events/hint_fixture.h"

namespace tollbridge::events {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using CutLetterTest = HintFixture;

constexpr auto kNew = common::v1::ORDER_STATUS_NEW;

TEST_F(CutLetterTest, KeepsTheBeginningOfTheRecordAndWhatItWas) {
  const ports::DeadLetter letter{
      .record = {.key = std::string(5000, 'k'), .value = "abc" + std::string(70'000, 'v')}};
  const ports::DeadLetter cut = CutLetter(letter);
  EXPECT_THAT(cut.record.key, SizeIs(kCutKeyBytes));
  EXPECT_EQ(cut.record.value, letter.record.value.substr(0, 64 * 1024));
  ASSERT_TRUE(cut.cut_from);
  EXPECT_EQ(cut.cut_from->value_bytes, 70'003U);
  const ports::DeadLetter small{.record = {.value = "abc"}};
  EXPECT_EQ(CutLetter(small).cut_from->value_sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(CutLetterTest, ARecordTooLargeForTheDeadLettersIsBuriedCut) {
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  PutRaw(0, std::string(1'000'001, 'x'));
  PutHint(1);
  ASSERT_THAT(letters_.letters(), SizeIs(1));
  const ports::DeadLetter& letter = letters_.letters().front();
  EXPECT_EQ(letter.cause, "unparsable");
  EXPECT_THAT(letter.record.value, SizeIs(kCutValueBytes));
  EXPECT_EQ(letter.cut_from->value_bytes, 1'000'001U);
  EXPECT_FALSE(feed_.paused[0]);
  EXPECT_THAT(feed_.stored[0], ElementsAre(1, 2)) << "those behind it are not held up";
  EXPECT_EQ(Metric(telemetry::kHintsDeadLettered, "unparsable"), 1);
}

TEST_F(CutLetterTest, ARecordThatIsNotEvenTakenCutIsCountedAndLeft) {
  letters_.SetMostBytes(10);
  reads_.Show(MakeOrder(kNew));
  StartLoop();
  PutRaw(0, "eleven bytes");
  PutHint(1);
  EXPECT_THAT(letters_.letters(), IsEmpty());
  EXPECT_FALSE(feed_.paused[0]);
  EXPECT_THAT(feed_.stored[0], ElementsAre(1, 2));
  EXPECT_EQ(Metric(telemetry::kHintsDeadLettered, "not_taken"), 1);
  EXPECT_EQ(Metric(telemetry::kHintsDeadLettered, "unparsable"), 0);
}

TEST_F(CutLetterTest, WhatCanYetBeTakenIsNotCut) {
  letters_.SetReachable(false);
  StartLoop();
  PutRaw(0, "garbage");
  Pass(minutes(1));
  EXPECT_THAT(feed_.stored[0], IsEmpty());
  letters_.SetReachable(true);
  Pass(minutes(1));
  ASSERT_THAT(letters_.letters(), SizeIs(1));
  EXPECT_FALSE(letters_.letters().front().cut_from);
  EXPECT_THAT(feed_.stored[0], ElementsAre(1));
}

}  // namespace
}  // namespace tollbridge::events
