#include "sandbox/wire/body_reader.h"
#include "sandbox/core/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/json/parse.hpp>
#include <string>
#include <string_view>

namespace tollbridge::sandbox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::array<std::string_view, 2> kKnown{"a", "b"};
constexpr std::array<std::string_view, 2> kChoices{"x", "y"};

boost::json::object Object(std::string_view text) {
  return boost::json::parse({text.data(), text.size()}).as_object();
}

std::string Nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseBody, GivesTheObject) {
  const auto read = ParseBody(R"( {"a": 1} )");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, Object(R"({"a": 1})"));
}

TEST(ParseBody, WhatIsNoJsonIsRefusedWith400) {
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("{\"a\": \"\xff\"}"), std::string("{} {}"),
        std::string("{'a': 1}"), std::string("{\"a\": 1,}"), std::string("\0", 1),
        std::string("{\"a\": NaN}"), std::string(100'000, '[')}) {
    SCOPED_TRACE(body.substr(0, 20));
    const auto read = ParseBody(body);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().status, 400);
    EXPECT_EQ(read.error().type, "ValidationError");
  }
}

TEST(ParseBody, WhatIsNoObjectIsRefusedWith422) {
  for (const std::string_view body : {"[]", "null", "1", "\"x\"", "true"}) {
    const auto read = ParseBody(body);
    ASSERT_FALSE(read.ok()) << body;
    EXPECT_EQ(read.error().status, 422) << body;
  }
}

TEST(ParseJson, NestsToTheLimitAndNoDeeper) {
  EXPECT_TRUE(ParseJson(Nested(kMaxBodyDepth)).ok());
  const auto read = ParseJson(Nested(kMaxBodyDepth + 1));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().status, 400);
  EXPECT_THAT(read.error().value, HasSubstr("nested deeper than 32"));
}

TEST(ParseJson, NumbersAreReadToTheNearestDouble) {
  const auto read = ParseJson("[184.91219999999998, 63.576705000000004]");
  const boost::json::array& numbers = read->as_array();
  EXPECT_EQ(numbers[0].as_double(), 184.91219999999998);
  EXPECT_EQ(numbers[1].as_double(), 63.576705000000004);
}

TEST(CheckNoBody, EmptinessInAnyFormCountsAsNone) {
  for (const std::string_view body : {"", "{}", "[]", "null", " {} "}) {
    EXPECT_TRUE(CheckNoBody(body).ok()) << body;
  }
}

TEST(CheckNoBody, ContentIsRefused) {
  const struct {
    std::string_view body;
    int status;
  } rows[] = {{R"({"amount": 1})", 422},
              {"[null]", 422},
              {"0", 422},
              {"\"\"", 422},
              {"false", 422},
              {"{", 400}};
  for (const auto& [body, status] : rows) {
    const auto read = CheckNoBody(body);
    ASSERT_FALSE(read.ok()) << body;
    EXPECT_EQ(read.error().status, status) << body;
    EXPECT_EQ(read.error().type, "ValidationError") << body;
  }
}

TEST(FieldReader, RefusesUnknownFieldsByTheirPath) {
  const boost::json::object object = Object(R"({"a": 1, "c": 2})");
  FieldReader fields(object, "outer[0]", kKnown);
  ASSERT_FALSE(fields.ok());
  EXPECT_EQ(fields.Done().error().status, 422);
  EXPECT_EQ(fields.Done().error().value, "outer[0].c is not a field of this request");
}

TEST(FieldReader, UnknownNamesAreShownShortAndWithoutCardNumbers) {
  const boost::json::object card = Object(R"({"4111111111111111": 1})");
  EXPECT_THAT(FieldReader(card, "", kKnown).Done().error().value, Not(HasSubstr("41111111111")));
  const boost::json::object longer = Object("{\"" + std::string(10'000, 'x') + "\": 1}");
  EXPECT_LT(FieldReader(longer, "", kKnown).Done().error().value.size(), 200u);
}

TEST(FieldReader, NullCountsAsAbsent) {
  const boost::json::object object = Object(R"({"a": null})");
  FieldReader fields(object, "", kKnown);
  EXPECT_FALSE(fields.Has("a"));
  EXPECT_EQ(fields.String("a"), std::nullopt);
  EXPECT_EQ(fields.Integer("a", 0), std::nullopt);
  EXPECT_EQ(fields.Object("a"), nullptr);
  EXPECT_TRUE(fields.ok());
  fields.Require("a");
  EXPECT_EQ(fields.Done().error().value, "a is required");
}

TEST(FieldReader, FirstErrorStaysAndEndsTheReading) {
  const boost::json::object object = Object(R"({"a": 1, "b": 2})");
  FieldReader fields(object, "", kKnown);
  fields.String("a");
  EXPECT_EQ(fields.Integer("b", 0), std::nullopt);
  fields.String("b");
  fields.Include(Result<void>(Invalid("another")));
  EXPECT_EQ(fields.Done().error().value, "a must be a string");
}

TEST(FieldReader, ReadsWhatKeepsToItsRule) {
  const boost::json::object object = Object(R"({"a": "2026", "b": 9007199254740991})");
  FieldReader fields(object, "", kKnown);
  EXPECT_EQ(fields.String("a"), "2026");
  EXPECT_EQ(fields.Digits("a", 3, 4), "2026");
  EXPECT_EQ(fields.Integer("b", 0), kMaxInteger);
  EXPECT_TRUE(fields.ok());
  const boost::json::object second =
      Object(R"({"a": "6F9619FF-8B86-4011-B42D-00CF4FC964FF", "b": true})");
  FieldReader more(second, "", kKnown);
  EXPECT_EQ(more.Id("a")->ToString(), "6f9619ff-8b86-4011-b42d-00cf4fc964ff");
  EXPECT_EQ(more.Bool("b"), true);
  const boost::json::object third = Object(R"({"a": ["x", ""], "b": {"n": [1.5]}})");
  FieldReader last(third, "", kKnown);
  EXPECT_THAT(*last.Strings("a"), ElementsAre("x", ""));
  EXPECT_EQ(boost::json::parse(*last.FreeObject("b")), third.at("b"));
  EXPECT_TRUE(last.ok());
}

TEST(FieldReader, EachRuleIsNamedAndNoValueRepeated) {
  const struct {
    std::string_view value;
    void (*read)(FieldReader&);
    std::string_view expected;
  } rows[] = {
      {"7", [](FieldReader& f) { f.String("a"); }, "a must be a string"},
      {R"("SECRET")", [](FieldReader& f) { f.String("a", 5); }, "a must have at most 5 bytes"},
      {R"("SECRET")", [](FieldReader& f) { f.OneOf("a", kChoices); }, "a must be x or y"},
      {R"("12")", [](FieldReader& f) { f.Digits("a", 3, 4); }, "a must have 3 to 4 digits"},
      {R"("12345")", [](FieldReader& f) { f.Digits("a", 3, 4); }, "a must have 3 to 4 digits"},
      {R"("12x")", [](FieldReader& f) { f.Digits("a", 3, 4); }, "a must have 3 to 4 digits"},
      {R"("SECRET")", [](FieldReader& f) { f.Id("a"); }, "a must be a uuid"},
      {R"("1")", [](FieldReader& f) { f.Integer("a", 0); }, "a must be an integer"},
      {"1.0", [](FieldReader& f) { f.Integer("a", 0); }, "a must be an integer"},
      {"1e2", [](FieldReader& f) { f.Integer("a", 0); }, "a must be an integer"},
      {"true", [](FieldReader& f) { f.Integer("a", 0); }, "a must be an integer"},
      {"0", [](FieldReader& f) { f.Integer("a", 1, 5); }, "a must be from 1 to 5"},
      {"6", [](FieldReader& f) { f.Integer("a", 1, 5); }, "a must be from 1 to 5"},
      {"9007199254740992", [](FieldReader& f) { f.Integer("a", 0); },
       "a must be from 0 to 9007199254740991"},
      {"18446744073709551615", [](FieldReader& f) { f.Integer("a", 0); },
       "a must be from 0 to 9007199254740991"},
      {"99999999999999999999999", [](FieldReader& f) { f.Integer("a", 0); },
       "a must be an integer"},
      {"0", [](FieldReader& f) { f.Bool("a"); }, "a must be true or false"},
      {R"("eur")", [](FieldReader& f) { f.Currency("a"); }, "a must match ^[A-Z]{3}$"},
      {R"("EURO")", [](FieldReader& f) { f.Currency("a"); }, "a must match ^[A-Z]{3}$"},
      {R"("/x")", [](FieldReader& f) { f.Url("a"); }, "a must be an absolute http or https URL"},
      {R"("ftp://shop.example/")", [](FieldReader& f) { f.Url("a"); },
       "a must be an absolute http or https URL"},
      {R"("PT")", [](FieldReader& f) { f.Duration("a"); },
       "a must be an ISO 8601 duration longer than zero"},
      {R"("PT0S")", [](FieldReader& f) { f.Duration("a"); },
       "a must be an ISO 8601 duration longer than zero"},
      {R"("x")", [](FieldReader& f) { f.Strings("a"); }, "a must be an array"},
      {R"(["x", 1])", [](FieldReader& f) { f.Strings("a"); }, "a[1] must be a string"},
      {"[]", [](FieldReader& f) { f.Object("a"); }, "a must be an object"},
      {"{}", [](FieldReader& f) { f.Array("a"); }, "a must be an array"},
      {R"({"n": 12345})", [](FieldReader& f) { f.FreeObject("a", 8); },
       "a must have at most 8 bytes"},
  };
  for (const auto& [value, read, expected] : rows) {
    SCOPED_TRACE(expected);
    const boost::json::object object = Object("{\"a\": " + std::string(value) + "}");
    FieldReader fields(object, "", kKnown);
    read(fields);
    ASSERT_FALSE(fields.ok());
    EXPECT_EQ(fields.Done().error().status, 422);
    EXPECT_EQ(fields.Done().error().type, "ValidationError");
    EXPECT_EQ(fields.Done().error().value, expected);
  }
}

TEST(FieldReader, StringsAreBoundedWhereverTheyStand) {
  const std::string fits(kMaxStringBytes, 'x');
  const std::string too_long(kMaxStringBytes + 1, 'x');
  for (const std::string& shape :
       {std::string(R"("$")"), std::string(R"(["$"])"), std::string(R"({"n": "$"})"),
        std::string(R"({"n": [{"m": "$"}]})"), std::string(R"({"n": {"$": 1}})"),
        std::string(R"({"$": 1})")}) {
    SCOPED_TRACE(shape);
    for (const std::string& text : {fits, too_long}) {
      std::string value = shape;
      value.replace(value.find('$'), 1, text);
      const boost::json::object object = Object("{\"a\": " + value + "}");
      FieldReader fields(object, "", kKnown);
      if (shape.starts_with('"')) fields.String("a");
      if (shape.starts_with('[')) fields.Strings("a");
      if (shape.starts_with('{')) fields.FreeObject("a");
      EXPECT_EQ(fields.ok(), text == fits);
    }
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
