#include "gateway/commands/dlq_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>

#include "base/core/encoding.h"

namespace tollbridge::gateway {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kOrder[] = "7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10";
constexpr char kMember[] = "99999999-93b1-4f7a-8a53-1d0f6a4c2b10";
constexpr char kPan[] = "4111111111111111";
const WallTime kNow{std::chrono::seconds(1'767'225'600)};

PlacedLetter Letter(const std::string& value) {
  PlacedLetter letter;
  letter.place = {.partition = 3, .offset = 17};
  letter.letter.record = {.partition = 5,
                          .offset = 4711,
                          .key = std::string("shop:") + kOrder,
                          .value = value,
                          .trace = {}};
  letter.letter.cause = "unreadable_answer";
  letter.letter.tries = 4;
  letter.letter.first_failure = kNow;
  letter.letter.last_failure = kNow + std::chrono::seconds(36);
  return letter;
}

events::v1::Hint Hint() {
  events::v1::Hint hint;
  hint.set_order_id(kOrder);
  hint.set_project("shop");
  hint.set_source(events::v1::HINT_SOURCE_WEBHOOK);
  hint.mutable_noticed_at()->set_seconds(1'767'225'599);
  return hint;
}

TEST(DlqTextTest, TheTableHasOneLineALetterUnderItsHeading) {
  const std::string table = LetterTable({Letter(Hint().SerializeAsString()), Letter("junk\xff")});
  EXPECT_THAT(table, ContainsRegex("^LETTER +CAUSE +TRIES"));
  EXPECT_THAT(table,
              HasSubstr(std::string("3:17    unreadable_answer  4      2026-01-01T00:00:00Z  "
                                    "2026-01-01T00:00:36Z  WEBHOOK  shop     ") +
                        kOrder));
  EXPECT_THAT(table, HasSubstr("2026-01-01T00:00:36Z  -        -        -\n"));
  EXPECT_EQ(LetterTable({}), "no dead letters\n");
}

TEST(DlqTextTest, TheStoryOfAHintTellsWhatItSays) {
  events::v1::Hint hint = Hint();
  hint.set_member(kMember);
  const std::string story = LetterStory(Letter(hint.SerializeAsString()));
  EXPECT_THAT(story, AllOf(ContainsRegex("hint +5:4711"), HasSubstr(kOrder), HasSubstr(kMember),
                           ContainsRegex("source +WEBHOOK"), HasSubstr("2025-12-31T23:59:59Z"),
                           Not(HasSubstr("value_hex"))));
}

TEST(DlqTextTest, WhatIsNoHintIsShownInHexWithoutCardNumbers) {
  const std::string value = std::string("\x01\xff pan=") + kPan;
  const boost::json::object json = LetterJson(Letter(value));
  EXPECT_FALSE(json.at("parsable").as_bool());
  EXPECT_EQ(json.at("value_bytes").as_string(), std::to_string(value.size()));
  EXPECT_EQ(json.at("value_hex").as_string(), HexEncode("\x01\xff pan=411111******1111"));
}

TEST(DlqTextTest, CardNumbersAreMaskedWhereverSomebodyPutThem) {
  events::v1::Hint hint = Hint();
  hint.set_project(kPan);
  PlacedLetter letter = Letter(hint.SerializeAsString());
  letter.letter.cause = kPan;
  letter.letter.record.key = kPan;
  EXPECT_THAT(LetterStory(letter), Not(HasSubstr(kPan)));
  EXPECT_THAT(LetterTable({letter}), Not(HasSubstr(kPan)));
  EXPECT_THAT(boost::json::serialize(LetterJson(letter)), Not(HasSubstr(kPan)));
}

TEST(DlqTextTest, NothingMovesTheCursorAndJsonStaysJson) {
  PlacedLetter letter = Letter("x");
  letter.letter.record.key = "\x1b[2J\xff";
  EXPECT_THAT(LetterStory(letter), Not(HasSubstr("\x1b")));
  EXPECT_THAT(boost::json::serialize(LetterJson(letter)), HasSubstr("?[2J\xef\xbf\xbd"));
}

TEST(DlqTextTest, AnOrderIdThatLooksLikeACardNumberStaysReadable) {
  events::v1::Hint hint = Hint();
  hint.set_order_id("41111111-1111-4111-8111-111111111111");
  PlacedLetter letter = Letter(hint.SerializeAsString());
  letter.letter.record.key = "shop:" + hint.order_id();
  EXPECT_THAT(LetterStory(letter), ContainsRegex("key +shop:41111111-1111-4111-8111-111111111111"));
}

TEST(DlqTextTest, AHintWithoutAnOrderOrAProjectIsNone) {
  EXPECT_TRUE(HintOf(Letter(Hint().SerializeAsString())).has_value());
  events::v1::Hint no_order = Hint();
  no_order.set_order_id("4711");
  EXPECT_FALSE(HintOf(Letter(no_order.SerializeAsString())).has_value());
  events::v1::Hint no_project = Hint();
  no_project.clear_project();
  EXPECT_FALSE(HintOf(Letter(no_project.SerializeAsString())).has_value());
  EXPECT_FALSE(HintOf(Letter("")).has_value());
}

TEST(DlqTextTest, APlaceIsPartitionAndOffset) {
  const auto place = ParsePlace("3:17");
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(PlaceText(*place), "3:17");
  for (const char* text : {"", "3", "3:", ":17", "3:17:1", "-1:0", "0:-1", "a:b"}) {
    EXPECT_FALSE(ParsePlace(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace tollbridge::gateway
