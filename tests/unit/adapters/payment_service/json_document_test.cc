#include "adapters/payment_service/json_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tollbridge::payment_service {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The values of a document as text, so that a test can be compared with what it reads.
std::string Written(const JsonNode& node) {
  switch (node.kind) {
    case JsonNode::Kind::kNull:
      return "null";
    case JsonNode::Kind::kFlag:
      return node.flag ? "true" : "false";
    case JsonNode::Kind::kInteger:
      return std::to_string(node.integer);
    case JsonNode::Kind::kUnsigned:
      return std::to_string(node.whole) + "u";
    case JsonNode::Kind::kDouble:
      return std::to_string(node.number);
    case JsonNode::Kind::kText:
      return "'" + std::string(node.Text()) + "'";
    case JsonNode::Kind::kArray: {
      std::string text = "[";
      for (const JsonNode& element : JsonElements(node)) text += Written(element) + " ";
      return text + "]";
    }
    case JsonNode::Kind::kObject:
      break;
  }
  std::string text = "{";
  for (const auto [name, value] : JsonMembers(node)) {
    text += std::string(name) + "=" + Written(*value) + " ";
  }
  return text + "}";
}

std::string Read(std::string_view json, int max_depth = 4) {
  JsonDocument document;
  const auto error = document.Read(json, max_depth);
  return error ? "error" : Written(document.root());
}

TEST(JsonDocumentTest, HoldsEveryKindOfValue) {
  EXPECT_EQ(Read(" null "), "null");
  EXPECT_EQ(Read("[true,false,-7,9223372036854775807]"), "[true false -7 9223372036854775807 ]");
  EXPECT_EQ(Read("[9223372036854775808,1.5,1e2,18446744073709551616]"),
            "[9223372036854775808u 1.500000 100.000000 18446744073709551616.000000 ]");
  EXPECT_EQ(Read(R"({"a":{},"b":[],"c":[{"d":["e"]},[]],"f":""})"),
            "{a={} b=[] c=[{d=['e' ] } [] ] f='' }");
}

TEST(JsonDocumentTest, ResolvesEscapesInNamesAndTexts) {
  const std::string long_text(10'000, 'x');
  EXPECT_EQ(Read(R"({"\u0061b":"\"c\"","d\n":"e"})"), "{ab='\"c\"' d\n='e' }");
  EXPECT_EQ(Read("[\"" + long_text + "\\t" + long_text + "\",\"plain\"]"),
            "['" + long_text + "\t" + long_text + "' 'plain' ]");
}

TEST(JsonDocumentTest, KeepsRepeatedNamesInTheirOrder) {
  EXPECT_EQ(Read(R"({"a":1,"b":2,"a":3})"), "{a=1 b=2 a=3 }");
}

TEST(JsonDocumentTest, IsNotMadeOfWhatIsNoJson) {
  for (const std::string_view text :
       {"", " ", "{", "[1,]", "nul", "1 2", "{\"a\":1}x", "\"\xff\"", "\"\\ud800\"", "[NaN]", "'a'",
        "{a:1}", "[1]//", "\xef\xbb\xbf{}"}) {
    EXPECT_EQ(Read(text), "error") << text;
  }
  EXPECT_EQ(Read("[[[[]]]]"), "[[[[] ] ] ]");
  EXPECT_EQ(Read("[[[[[]]]]]"), "error");
}

TEST(LastOfEachNameTest, SortsAndLeavesOutWhatIsRepeatedLater) {
  const auto names = [](std::string_view json) {
    JsonDocument document;
    EXPECT_FALSE(document.Read(json, 4));
    std::vector<std::string> found;
    for (const auto& [name, value] : LastOfEachName(document.root())) {
      found.push_back(std::string(name) + "=" + Written(*value));
    }
    return found;
  };
  EXPECT_THAT(names("{}"), IsEmpty());
  EXPECT_THAT(names(R"({"b":[1,2],"a":{"b":0}})"), ElementsAre("a={b=0 }", "b=[1 2 ]"));
  EXPECT_THAT(names(R"({"b":1,"a":2,"b":3,"a":4,"b":5})"), ElementsAre("a=4", "b=5"));
}

}  // namespace
}  // namespace tollbridge::payment_service
