#include "adapters/payment_service/json_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tollbridge::payment_service {
namespace {

TEST(JsonPiecesTest, MembersKeepTheirValuesAsTheyStand) {
  const auto members = MembersOf(R"( {"a" : 1 , "b\"c":{"d":[1,{}],"e":"}]\\\""}, "f":NaN} )");
  ASSERT_TRUE(members);
  ASSERT_EQ(members->size(), 3U);
  EXPECT_EQ((*members)[0].name, "a");
  EXPECT_EQ((*members)[0].value, "1");
  EXPECT_EQ((*members)[1].name, R"(b\"c)");
  EXPECT_EQ((*members)[1].value, R"({"d":[1,{}],"e":"}]\\\""})");
  EXPECT_EQ((*members)[2].value, "NaN");
  EXPECT_TRUE(MembersOf("{}")->empty());
}

TEST(JsonPiecesTest, ElementsAreTakenApartAtAnyDepth) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const std::string text = "[{\"a\":[1,2]}, " + deep + " ,\"\\ud800,\"\t]";
  const auto elements = ElementsOf(text);
  ASSERT_TRUE(elements);
  ASSERT_EQ(elements->size(), 3U);
  EXPECT_EQ((*elements)[0], R"({"a":[1,2]})");
  EXPECT_TRUE((*elements)[1] == deep);
  EXPECT_EQ((*elements)[2], R"("\ud800,")");
  EXPECT_TRUE(ElementsOf(" [ ] ")->empty());
}

TEST(JsonPiecesTest, WhatDoesNotComeToItsEndIsNone) {
  for (const std::string_view text :
       {"", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{\"a\":[1}",
        "{\"a\":\"x}", "{a:1}", "{\"a\" 1}", "{\"a\":}", "{}x", "[]", "7", "\"x\"",
        "{\"a\":\"\\"}) {
    EXPECT_FALSE(MembersOf(text)) << text;
  }
  for (const std::string_view text : {"", "[", "[1", "[1,", "[1,]", "[,]", "[[1]", "[]x", "{}"}) {
    EXPECT_FALSE(ElementsOf(text)) << text;
  }
}

TEST(JsonPiecesTest, ANameIsKnownByWhatItsEscapesStandFor) {
  EXPECT_EQ(MemberOf(R"({"order\u0073": [1]})", "orders"), "[1]");
  EXPECT_EQ(MemberOf(R"({"orders": 1, "\u006f\u0072\u0064\u0065\u0072\u0073": 2})", "orders"), "2");
  EXPECT_EQ(MemberOf(R"({"order\\u0073": 1, "orders\n": 2, "order\uZZZZ": 3})", "orders"),
            std::nullopt);
}

TEST(JsonPiecesTest, TheLastMemberOfANameCounts) {
  EXPECT_EQ(MemberOf(R"({"id":"a","id":"b"})", "id"), "\"b\"");
  EXPECT_FALSE(MemberOf(R"({"x":{"id":"a"}})", "id"));
  EXPECT_EQ(PlainText("\"b\""), "b");
  EXPECT_FALSE(PlainText(R"("b\"")"));
  EXPECT_FALSE(PlainText("\""));
  EXPECT_FALSE(PlainText("7"));
}

}  // namespace
}  // namespace tollbridge::payment_service
