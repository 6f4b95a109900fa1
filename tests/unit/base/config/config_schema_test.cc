#include "base/config/config_schema.h"
#include "base/config/duration_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <regex>
#include <string>
#include <vector>

namespace tollbridge::config {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// One setting of every kind.
struct Settings {
  std::string text = "before";
  std::string choice = "red";
  bool flag = false;
  std::int64_t number = 5;
  milliseconds duration{1000};
  std::vector<std::string> texts = {"x"};
  std::string nested = "before";
  struct Item {
    std::string name;
    std::int64_t size = 1;
  };
  std::vector<Item> items;
};

class ConfigSchemaTest : public testing::Test {
 protected:
  ConfigSchemaTest() {
    root_.Text("text", &settings_.text, "A text");
    root_.Choice("choice", &settings_.choice, {"red", "green"}, "A choice");
    root_.Flag("flag", &settings_.flag, "A flag");
    root_.Number("number", &settings_.number, 1, 10, "A number");
    root_.Duration("duration", &settings_.duration, milliseconds(100), hours(2), "A duration");
    root_.TextList("texts", &settings_.texts, "Texts");
    root_.Sub("section", "A section").Text("nested", &settings_.nested, "A nested text");
    root_.List<Settings::Item>(
        "items", &settings_.items,
        [](Section& section, Settings::Item& item) {
          section.Text("name", &item.name, "Its name");
          section.Number("size", &item.size, 0, 9, "Its size");
        },
        "Items");
  }

  absl::Status Read(std::string_view yaml) { return ReadYaml(yaml, root_); }

  /// What is wrong with a document that must be refused.
  std::string ProblemsOf(std::string_view yaml) {
    const absl::Status status = Read(yaml);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << yaml;
    return std::string(status.message());
  }

  Settings settings_;
  Section root_{"", ""};
};

TEST_F(ConfigSchemaTest, ReadsEveryKind) {
  ASSERT_TRUE(Read("text: a b\n"
                   "choice: green\n"
                   "flag: true\n"
                   "number: 10\n"
                   "duration: 250ms\n"
                   "texts: [a, b]\n"
                   "section:\n  nested: inner\n"
                   "items:\n  - name: first\n    size: 0\n  - name: second\n")
                  .ok());
  EXPECT_EQ(settings_.text, "a b");
  EXPECT_EQ(settings_.choice, "green");
  EXPECT_TRUE(settings_.flag);
  EXPECT_EQ(settings_.number, 10);
  EXPECT_EQ(settings_.duration, milliseconds(250));
  EXPECT_THAT(settings_.texts, ElementsAre("a", "b"));
  EXPECT_EQ(settings_.nested, "inner");
  ASSERT_EQ(settings_.items.size(), 2u);
  EXPECT_EQ(settings_.items[0].name, "first");
  EXPECT_EQ(settings_.items[0].size, 0);
  EXPECT_EQ(settings_.items[1].name, "second");
  EXPECT_EQ(settings_.items[1].size, 1) << "the default of an element";
}

enum class Light { kRed, kGreen };

TEST(ConfigSchemaKindsTest, BindsNumbersAndChoicesOfAnyType) {
  int number = 3;
  std::size_t size = 4;
  Light light = Light::kGreen;
  Section root("", "");
  root.Number("number", &number, -5, 5, "A number");
  root.Number("size", &size, 0, 9, "A size");
  root.Choice<Light>("light", &light, {{"red", Light::kRed}, {"green", Light::kGreen}}, "A light");
  std::string printed;
  root.Print(0, false, &printed);
  EXPECT_EQ(printed, "number: 3\nsize: 4\nlight: green\n");
  EXPECT_EQ(root.JsonSchema().at("properties").at("light").at("default"), "green");

  ASSERT_TRUE(ReadYaml("number: -5\nsize: 9\nlight: red\n", root).ok());
  EXPECT_EQ(number, -5);
  EXPECT_EQ(size, 9U);
  EXPECT_EQ(light, Light::kRed);
  EXPECT_THAT(ReadYaml("light: blue\nsize: -1\n", root).message(),
              AllOf(HasSubstr("light: must be one of red, green"),
                    HasSubstr("size: must be a whole number from 0 to 9")));
  EXPECT_EQ(light, Light::kRed);
}

TEST_F(ConfigSchemaTest, WhatIsNotGivenKeepsItsDefault) {
  for (const std::string_view yaml : {"", "# only a comment\n", "section:\n", "flag: true\n"}) {
    ASSERT_TRUE(Read(yaml).ok()) << yaml;
    EXPECT_EQ(settings_.text, "before");
    EXPECT_EQ(settings_.nested, "before");
    EXPECT_EQ(settings_.number, 5);
  }
}

TEST_F(ConfigSchemaTest, RefusesEveryKindBeyondItsBounds) {
  const struct {
    std::string yaml;
    std::string problem;
  } rows[] = {
      {"text: [a]", "line 1: text: must be a text"},
      {"text:", "line 1: text: must be a text"},
      {"text: ~", "line 1: text: must be a text"},
      {"choice: blue", "line 1: choice: must be one of red, green"},
      {"choice: RED", "line 1: choice: must be one of red, green"},
      {"flag: yes", "line 1: flag: must be true or false"},
      {"flag: 1", "line 1: flag: must be true or false"},
      {"number: 0", "line 1: number: must be a whole number from 1 to 10"},
      {"number: 11", "line 1: number: must be a whole number from 1 to 10"},
      {"number: 99999999999999999999", "line 1: number: must be a whole number from 1 to 10"},
      {"number: 5.0", "line 1: number: must be a whole number from 1 to 10"},
      {"number: 0x5", "line 1: number: must be a whole number from 1 to 10"},
      {"number: five", "line 1: number: must be a whole number from 1 to 10"},
      {"number: ''", "line 1: number: must be a whole number from 1 to 10"},
      {"duration: 99ms", "line 1: duration: must be a duration from 100ms to 2h"},
      {"duration: 3h", "line 1: duration: must be a duration from 100ms to 2h"},
      {"duration: 5", "line 1: duration: must be a duration from 100ms to 2h"},
      {"duration: -1s", "line 1: duration: must be a duration from 100ms to 2h"},
      {"texts: a", "line 1: texts: must be a list of texts"},
      {"texts:\n  - a\n  - [b]", "line 3: texts: must be a list of texts"},
      {"section: a", "line 1: section: must be a map of settings"},
      {"items: a", "line 1: items: must be a list"},
      {"items: [a]", "line 1: items[0]: must be a map of settings"},
      {"items:\n  - name: a\n  - size: 10", "line 3: items[1].size: must be a whole number"},
      {"[a]", "line 1: the document: must be a map of settings"},
  };
  for (const auto& [yaml, problem] : rows) {
    EXPECT_THAT(ProblemsOf(yaml), HasSubstr(problem)) << yaml;
  }
}

TEST_F(ConfigSchemaTest, TakesTheBoundsThemselves) {
  for (const std::string_view yaml :
       {"number: 1", "number: 10", "duration: 100ms", "duration: 2h", "duration: 120m"}) {
    EXPECT_TRUE(Read(yaml).ok()) << yaml;
  }
}

TEST_F(ConfigSchemaTest, NamesAnUnknownKeyWithLineAndNearestName) {
  EXPECT_EQ(ProblemsOf("flag: true\n\nnumbr: 3\n"),
            "line 3: numbr: is not a setting; did you mean 'number'?");
  EXPECT_EQ(ProblemsOf("section:\n  nestled: 3\n"),
            "line 2: section.nestled: is not a setting; did you mean 'nested'?");
  EXPECT_EQ(ProblemsOf("items:\n  - nam: a\n"),
            "line 2: items[0].nam: is not a setting; did you mean 'name'?");
}

TEST_F(ConfigSchemaTest, ListsTheKnownNamesWhenNoneIsNear) {
  EXPECT_EQ(ProblemsOf("items:\n  - whatever: a\n"),
            "line 2: items[0].whatever: is not a setting; known here: name, size");
}

TEST_F(ConfigSchemaTest, RefusesAKeyGivenTwice) {
  EXPECT_EQ(ProblemsOf("number: 3\nflag: true\nnumber: 4\n"), "line 3: number: is given twice");
  EXPECT_EQ(ProblemsOf("section:\n  nested: a\n  nested: b\n"),
            "line 3: section.nested: is given twice");
}

TEST_F(ConfigSchemaTest, ListsAllProblemsAtOnce) {
  EXPECT_EQ(ProblemsOf("number: 0\n"
                       "flagg: true\n"
                       "duration: soon\n"
                       "items:\n  - size: 99\n"),
            "line 1: number: must be a whole number from 1 to 10\n"
            "line 2: flagg: is not a setting; did you mean 'flag'?\n"
            "line 3: duration: must be a duration from 100ms to 2h\n"
            "line 5: items[0].size: must be a whole number from 0 to 9");
}

TEST_F(ConfigSchemaTest, RefusesWhatIsNoYaml) {
  EXPECT_THAT(ProblemsOf("text: a\nsection: [\n"), HasSubstr("not YAML"));
  EXPECT_THAT(ProblemsOf("\ttext: a\n"), HasSubstr("not YAML"));
}

TEST_F(ConfigSchemaTest, RefusesASecondDocument) {
  EXPECT_THAT(ProblemsOf("number: 3\n---\nnumber: 4\n"), HasSubstr("more than one YAML document"));
}

TEST_F(ConfigSchemaTest, PrintsWhatItReads) {
  settings_.text = "with \"quotes\", a \\ and\na line break: # no comment";
  settings_.texts = {"", "a, b", "- c"};
  settings_.items = {{.name = "true", .size = 2}, {.name = "", .size = 3}};
  settings_.duration = milliseconds(90'000);
  std::string printed;
  root_.Print(0, false, &printed);
  const Settings before = settings_;
  settings_ = Settings{};
  ASSERT_TRUE(Read(printed).ok()) << printed;
  EXPECT_EQ(settings_.text, before.text);
  EXPECT_EQ(settings_.texts, before.texts);
  EXPECT_EQ(settings_.duration, before.duration);
  ASSERT_EQ(settings_.items.size(), 2u);
  EXPECT_EQ(settings_.items[0].name, "true");
  EXPECT_EQ(settings_.items[1].size, 3);
}

TEST_F(ConfigSchemaTest, CommentsTellMeaningAndBounds) {
  std::string printed;
  root_.Print(0, true, &printed);
  EXPECT_THAT(printed, HasSubstr("# A number (a whole number from 1 to 10)\nnumber: 5\n"));
  EXPECT_THAT(printed, HasSubstr("# A choice (one of red, green)\nchoice: red\n"));
  EXPECT_THAT(printed, HasSubstr("# A duration (a duration from 100ms to 2h)\nduration: 1s\n"));
  EXPECT_THAT(printed, HasSubstr("# A section\nsection:\n  # A nested text (a text)\n"));
}

TEST(DurationTextTest, FormatsInTheLargestUnitThatFits) {
  EXPECT_EQ(FormatDuration(milliseconds(0)), "0s");
  EXPECT_EQ(FormatDuration(milliseconds(1)), "1ms");
  EXPECT_EQ(FormatDuration(milliseconds(1500)), "1500ms");
  EXPECT_EQ(FormatDuration(seconds(90)), "90s");
  EXPECT_EQ(FormatDuration(seconds(120)), "2m");
  EXPECT_EQ(FormatDuration(hours(72)), "3d");
}

TEST(DurationTextTest, ParsesWhatItFormats) {
  for (const milliseconds value : {milliseconds(0), milliseconds(1), milliseconds(1500),
                                   milliseconds(seconds(90)), milliseconds(hours(9600))}) {
    milliseconds parsed{-1};
    EXPECT_TRUE(ParseDuration(FormatDuration(value), &parsed));
    EXPECT_EQ(parsed, value);
  }
}

TEST(DurationTextTest, RefusesWhatIsNoDuration) {
  for (const std::string_view text : {"", "s", "1", "1.5s", "-1s", "+1s", " 1s", "1s ", "1 s", "1S",
                                      "1w", "1us", "9223372036854775807d", "1h30m"}) {
    milliseconds parsed{7};
    EXPECT_FALSE(ParseDuration(text, &parsed)) << text;
    EXPECT_EQ(parsed, milliseconds(7)) << text;
  }
}

TEST_F(ConfigSchemaTest, JsonSchemaSaysWhatEachKindMayBe) {
  settings_.items.push_back({.name = "not in the schema"});
  const boost::json::value expected = boost::json::parse(R"json({
    "type": "object", "additionalProperties": false,
    "properties": {
      "text": {"description": "A text (a text)", "type": "string", "default": "before"
}
, "choice" : {
  "description" : "A choice (one of red, green)",
  "enum" : [ "red", "green" ],
  "default" : "red"
},
             "flag"
    : {"description" : "A flag (true or false)", "type" : "boolean", "default" : false},
      "number" : {
        "description" : "A number (a whole number from 1 to 10)",
        "type" : "integer",
        "minimum" : 1,
        "maximum" : 10,
        "default" : 5
      },
                 "duration" : {
                   "description" : "A duration (a duration from 100ms to 2h)",
                   "type" : "string",
                   "pattern" : "^[0-9]+(d|h|m|s|ms)$",
                   "default" : "1s"
                 },
                              "texts" : {
                                "description" : "Texts (a list of texts)",
                                "type" : "array",
                                "items" : {"type" : "string"},
                                "default" : ["x"]
                              },
                                        "section"
    : {
      "description" : "A section",
      "type" : "object",
      "additionalProperties" : false,
      "properties" : {
        "nested" :
            {"description" : "A nested text (a text)", "type" : "string", "default" : "before"}
      }
    },
      "items" : {
  "description" : "Items (a list)", "type" : "array", "items" : {
    "type" : "object", "additionalProperties" : false, "properties" : {
      "name" : {"description" : "Its name (a text)", "type" : "string", "default" : ""}, "size" : {
        "description" : "Its size (a whole number from 0 to 9)",
        "type" : "integer",
        "minimum" : 0,
        "maximum" : 9,
        "default" : 1
      }
    }
  }
}
}
})json");
  EXPECT_EQ(boost::json::value(root_.JsonSchema()), expected);
}

TEST_F(ConfigSchemaTest, JsonSchemaOfADurationTakesWhatIsReadAsOne) {
  const std::string schema = PrintJsonSchema(root_, "Settings");
  EXPECT_THAT(schema, HasSubstr("\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  "
                                "\"title\": \"Settings\""));
  const boost::json::value root = boost::json::parse(schema);
  const std::regex pattern(root.at_pointer("/properties/duration/pattern").as_string().c_str());
  for (const char* text :
       {"100ms", "1s", "3m", "2h", "0d", "10", "1w", "s", "1.5s", "-1s", "1 s"}) {
    milliseconds read{};
    EXPECT_EQ(std::regex_search(text, pattern), ParseDuration(text, &read)) << text;
  }
}

}  // namespace
}  // namespace tollbridge::config
