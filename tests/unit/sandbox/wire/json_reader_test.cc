#include "sandbox/wire/json_reader.h"
#include "sandbox/core/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/json/parse.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace tollbridge::sandbox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
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

/// The error after a first reading of `text`, whose fields may be `known`.
std::string ErrorOf(std::string_view text, JsonReader::Names known = kKnown) {
  const Result<void> read = JsonReader(ParseBody(text), known).Done();
  return read.ok() ? "" : read.error().value;
}

TEST(JsonReader, RefusesUnknownFieldsByTheirPath) {
  JsonReader outer(ParseBody(R"({"a": [{}, {"a": 1, "c": 2}]})"), kKnown);
  std::vector<JsonReader> inner = outer.Objects("a");
  ASSERT_EQ(inner.size(), 2U);
  inner[0].Only(kKnown);
  EXPECT_TRUE(outer.ok());
  inner[1].Only(kKnown);
  ASSERT_FALSE(outer.ok());
  EXPECT_EQ(outer.Done().error().status, 422);
  EXPECT_EQ(outer.Done().error().value, "a[1].c is not a field; known here: a, b");
}

TEST(JsonReader, NamesWhatIsMeantByAnUnknownField) {
  EXPECT_EQ(ErrorOf(R"({"amuont": 1})", {"amount", "currency"}),
            "amuont is not a field; did you mean 'amount'?");
  EXPECT_EQ(ErrorOf(R"({"price": 1})", {"amount", "currency"}),
            "price is not a field; known here: amount, currency");
  EXPECT_EQ(ErrorOf(R"({"amount": 1})", {}), "amount is not a field");
}

TEST(JsonReader, UnknownNamesAreShownShortAndWithoutCardNumbers) {
  EXPECT_THAT(ErrorOf(R"({"4111111111111111": 1})"), Not(HasSubstr("41111111111")));
  EXPECT_EQ(ErrorOf("{\"" + std::string(10'000, 'x') + "\": 1}"),
            std::string(64, 'x') + " is not a field; known here: a, b");
}

TEST(JsonReader, WhatIsNoObjectIsTheFirstError) {
  EXPECT_EQ(ErrorOf("{"), "the body is not JSON");
  EXPECT_EQ(ErrorOf("[]"), "the body must be an object");
}

TEST(JsonReader, NullCountsAsAbsent) {
  JsonReader fields(Object(R"({"a": null})"), kKnown);
  EXPECT_FALSE(fields.Has("a"));
  EXPECT_EQ(fields.String("a"), std::nullopt);
  EXPECT_EQ(fields.Integer("a", 0), std::nullopt);
  EXPECT_FALSE(fields.Object("a"));
  EXPECT_THAT(fields.Objects("a"), IsEmpty());
  EXPECT_TRUE(fields.ok());
  fields.Require({"a"});
  EXPECT_EQ(fields.Done().error().value, "a is required");
}

TEST(JsonReader, FirstErrorStaysAndEndsTheReading) {
  JsonReader fields(Object(R"({"a": 1, "b": 2})"), kKnown);
  fields.String("a");
  EXPECT_EQ(fields.Integer("b", 0), std::nullopt);
  fields.String("b");
  fields.Fail(Invalid("another"));
  EXPECT_EQ(fields.Done().error().value, "a must be a string");
}

TEST(JsonReader, ReadsWhatKeepsToItsRule) {
  JsonReader fields(Object(R"({"a": "2026", "b": 9007199254740991})"), kKnown);
  EXPECT_EQ(fields.String("a"), "2026");
  EXPECT_EQ(fields.Digits("a", 3, 4), "2026");
  EXPECT_EQ(fields.Integer("b", 0), kMaxInteger);
  EXPECT_TRUE(fields.ok());
  JsonReader more(Object(R"({"a": "6F9619FF-8B86-4011-B42D-00CF4FC964FF", "b": true})"), kKnown);
  EXPECT_EQ(more.Id("a")->ToString(), "6f9619ff-8b86-4011-b42d-00cf4fc964ff");
  EXPECT_EQ(more.Bool("b"), true);
  JsonReader last(Object(R"({"a": ["x", ""], "b": {"n": [1.5]}})"), kKnown);
  EXPECT_THAT(*last.Strings("a"), ElementsAre("x", ""));
  EXPECT_EQ(boost::json::parse(*last.FreeObject("b")), last.object().at("b"));
  EXPECT_EQ(last.Object("b")->Array("n")->size(), 1U);
  EXPECT_TRUE(last.ok());
  JsonReader bounds(Object(R"({"a": "PT5M", "b": 0.5})"), kKnown);
  EXPECT_EQ(bounds.Duration("a"), std::chrono::minutes(5));
  EXPECT_EQ(bounds.Duration("a", Millis{0}, std::chrono::minutes(5)), std::chrono::minutes(5));
  EXPECT_EQ(bounds.Filled("a", 4), "PT5M");
  EXPECT_EQ(bounds.Number("b", 0, 1), 0.5);
  EXPECT_TRUE(bounds.ok());
}

TEST(JsonReader, EachRuleIsNamedAndNoValueRepeated) {
  const struct {
    std::string_view value;
    void (*read)(JsonReader&);
    std::string_view expected;
  } rows[] = {
      {"7", [](JsonReader& f) { f.String("a"); }, "a must be a string"},
      {R"("SECRET")", [](JsonReader& f) { f.String("a", 5); }, "a must have at most 5 bytes"},
      {R"("SECRET")", [](JsonReader& f) { f.OneOf("a", kChoices); }, "a must be x or y"},
      {R"("12")", [](JsonReader& f) { f.Digits("a", 3, 4); }, "a must have 3 to 4 digits"},
      {R"("12345")", [](JsonReader& f) { f.Digits("a", 3, 4); }, "a must have 3 to 4 digits"},
      {R"("12x")", [](JsonReader& f) { f.Digits("a", 3, 4); }, "a must have 3 to 4 digits"},
      {R"("SECRET")", [](JsonReader& f) { f.Id("a"); }, "a must be a uuid"},
      {R"("1")", [](JsonReader& f) { f.Integer("a", 0); },
       "a must be an integer from 0 to 9007199254740991"},
      {"1.0", [](JsonReader& f) { f.Integer("a", 0); },
       "a must be an integer from 0 to 9007199254740991"},
      {"1e2", [](JsonReader& f) { f.Integer("a", 0); },
       "a must be an integer from 0 to 9007199254740991"},
      {"true", [](JsonReader& f) { f.Integer("a", 0); },
       "a must be an integer from 0 to 9007199254740991"},
      {"0", [](JsonReader& f) { f.Integer("a", 1, 5); }, "a must be an integer from 1 to 5"},
      {"6", [](JsonReader& f) { f.Integer("a", 1, 5); }, "a must be an integer from 1 to 5"},
      {"9007199254740992", [](JsonReader& f) { f.Integer("a", 0); },
       "a must be an integer from 0 to 9007199254740991"},
      {"18446744073709551615", [](JsonReader& f) { f.Integer("a", 0); },
       "a must be an integer from 0 to 9007199254740991"},
      {"99999999999999999999999", [](JsonReader& f) { f.Integer("a", 0); },
       "a must be an integer from 0 to 9007199254740991"},
      {"0", [](JsonReader& f) { f.Bool("a"); }, "a must be true or false"},
      {R"("eur")", [](JsonReader& f) { f.Currency("a"); }, "a must match ^[A-Z]{3}$"},
      {R"("EURO")", [](JsonReader& f) { f.Currency("a"); }, "a must match ^[A-Z]{3}$"},
      {R"("/x")", [](JsonReader& f) { f.Url("a"); }, "a must be an absolute http or https URL"},
      {R"("ftp://shop.example/")", [](JsonReader& f) { f.Url("a"); },
       "a must be an absolute http or https URL"},
      {R"("PT")", [](JsonReader& f) { f.Duration("a"); },
       "a must be an ISO 8601 duration longer than zero"},
      {R"("PT0S")", [](JsonReader& f) { f.Duration("a"); },
       "a must be an ISO 8601 duration longer than zero"},
      {R"("PT6M")", [](JsonReader& f) { f.Duration("a", Millis{1}, Millis{300'000}); },
       "a must be an ISO 8601 duration longer than zero and at most PT5M"},
      {"300", [](JsonReader& f) { f.Duration("a"); }, "a must be a string"},
      {"1.01", [](JsonReader& f) { f.Number("a", 0, 1); }, "a must be a number from 0 to 1"},
      {"-1", [](JsonReader& f) { f.Number("a", 0, 1); }, "a must be a number from 0 to 1"},
      {"1e400", [](JsonReader& f) { f.Number("a", 0, 1); }, "a must be a number from 0 to 1"},
      {R"("1")", [](JsonReader& f) { f.Number("a", 0, 1); }, "a must be a number from 0 to 1"},
      {R"("")", [](JsonReader& f) { f.Filled("a", 5); }, "a must have 1 to 5 bytes"},
      {R"("SECRET")", [](JsonReader& f) { f.Filled("a", 5); }, "a must have 1 to 5 bytes"},
      {R"("x")", [](JsonReader& f) { f.Strings("a"); }, "a must be an array"},
      {R"(["x", 1])", [](JsonReader& f) { f.Strings("a"); }, "a[1] must be a string"},
      {"[]", [](JsonReader& f) { f.Object("a"); }, "a must be an object"},
      {"[{}, 1]", [](JsonReader& f) { f.Objects("a"); }, "a[1] must be an object"},
      {R"({"b": 1})", [](JsonReader& f) { f.Object("a")->String("b"); }, "a.b must be a string"},
      {"{}", [](JsonReader& f) { f.Array("a"); }, "a must be an array"},
      {R"({"n": 12345})", [](JsonReader& f) { f.FreeObject("a", 8); },
       "a must have at most 8 bytes"},
  };
  for (const auto& [value, read, expected] : rows) {
    SCOPED_TRACE(expected);
    JsonReader fields(Object("{\"a\": " + std::string(value) + "}"), kKnown);
    read(fields);
    ASSERT_FALSE(fields.ok());
    EXPECT_EQ(fields.Done().error().status, 422);
    EXPECT_EQ(fields.Done().error().type, "ValidationError");
    EXPECT_EQ(fields.Done().error().value, expected);
  }
}

TEST(JsonReader, StringsAreBoundedWhereverTheyStand) {
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
      JsonReader fields(Object("{\"a\": " + value + "}"), kKnown);
      if (shape.starts_with('"')) fields.String("a");
      if (shape.starts_with('[')) fields.Strings("a");
      if (shape.starts_with('{')) fields.FreeObject("a");
      EXPECT_EQ(fields.ok(), text == fits);
    }
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
