#include "base/core/encoding.h"

#include <gtest/gtest.h>

namespace tollbridge {
namespace {

TEST(Base64Url, HasNoPaddingAndNoCharactersThatUrlsTakeForTheirs) {
  EXPECT_EQ(Base64UrlEncode(""), "");
  EXPECT_EQ(Base64UrlEncode("\xff\xfe"), "__4");
  EXPECT_EQ(Base64UrlEncode("\xfb\xff\xbf\x01"), "-_-_AQ");
}

TEST(Base64Url, ReadsWhatItWrote) {
  std::string raw;
  for (int length = 0; length < 300; ++length) {
    EXPECT_EQ(Base64UrlDecode(Base64UrlEncode(raw)), raw);
    raw += static_cast<char>(length);
  }
}

TEST(Base64Url, TakesOneTextAValueOnly) {
  // Padded; with loose bits; with white space; of the other alphabet; of an impossible length.
  for (const char* text : {"__4=", "__5", "_ _4", "//4", "__4A=", "A", "A%"}) {
    EXPECT_FALSE(Base64UrlDecode(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace tollbridge
