#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "services/rpc/parse.h"
#include "tollbridge/testing/v1/echo.pb.h"

namespace tollbridge::rpc {
namespace {

using tollbridge::testing::v1::EchoRequest;

// A length-delimited field.
std::string Field(int number, const std::string& value) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         std::string(1, static_cast<char>(value.size())) + value;
}

TEST(FindBadField, NamesTheFirstFieldThatCannotBeRead) {
  const std::string good_text = Field(1, "fine");
  const std::string bad_utf8 = "\xff\xfe";
  struct Case {
    std::string bytes;
    std::string path;
    std::string rule;
  };
  const std::vector<Case> cases = {
      {Field(1, bad_utf8), "text", "must be UTF-8"},
      {Field(1, "\xc0\xaf"), "text", "must be UTF-8"},          // not the shortest form
      {Field(1, "\xed\xa0\x80"), "text", "must be UTF-8"},      // a surrogate
      {Field(1, "\xf4\x90\x80\x80"), "text", "must be UTF-8"},  // above U+10FFFF
      {Field(1, "\xe2\x82"), "text", "must be UTF-8"},          // cut off
      {good_text + Field(4, Field(1, "EUR")) + Field(4, Field(1, bad_utf8)), "formats[1].currency",
       "must be UTF-8"},
      {Field(4, Field(1, "EUR")) + good_text + Field(4, Field(2, bad_utf8)), "formats[1].uuid",
       "must be UTF-8"},
      {Field(5, Field(1, bad_utf8)), "labels", "must be UTF-8"},
      {Field(2, Field(1, Field(1, "k") + Field(2, Field(3, bad_utf8)))), "extra", "must be UTF-8"},
      {good_text + "\x0a\x7f"
                   "short",
       "text", "is longer than the request"},
      {std::string("\x38", 1), "color", "is cut off or malformed"},
      {Field(3, Field(4, "\x80")), "numbers.digits", "is cut off or malformed"},
      {std::string("\x00\x01", 2), "", "is not a protobuf message"},
      {std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), "",
       "is not a protobuf message"},
      {good_text + std::string("\x9d\x06\x01", 3), "#99", "is cut off or malformed"},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EchoRequest message;
    ASSERT_FALSE(message.ParseFromString(cases[i].bytes)) << i;
    const BadField bad = FindBadField(cases[i].bytes, *EchoRequest::descriptor());
    EXPECT_EQ(bad.path, cases[i].path) << i;
    EXPECT_EQ(bad.rule, cases[i].rule) << i;
  }
}

}  // namespace
}  // namespace tollbridge::rpc
