#include "base/core/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tollbridge {
namespace {

TEST(Truncated, LeavesWhatFits) {
  EXPECT_EQ(Truncated("", 0), "");
  EXPECT_EQ(Truncated("abc", 3), "abc");
}

TEST(Truncated, CutsBetweenCharactersOnly) {
  EXPECT_EQ(Truncated("abcd", 3), "abc");
  const std::string_view euro_twice = "\xE2\x82\xAC\xE2\x82\xAC";
  EXPECT_EQ(Truncated(euro_twice, 5), "\xE2\x82\xAC");
  EXPECT_EQ(Truncated(euro_twice, 3), "\xE2\x82\xAC");
  EXPECT_EQ(Truncated(euro_twice, 2), "");
}

TEST(OneLineTest, LeavesNothingThatMovesATerminalsCursorOrPaysWithACard) {
  EXPECT_EQ(OneLine("spiffe://shop.example/web", 64), "spiffe://shop.example/web");
  EXPECT_EQ(OneLine("a\nb\x1b[2Jc\x7f", 64), "a b [2Jc ");
  EXPECT_EQ(OneLine("abcdef", 4), "abcd");
  EXPECT_EQ(OneLine("4111111111111111", 64).find("41111111111"), std::string::npos);
}

TEST(OneLineTest, MakesNoCardNumberOfWhatControlCharactersSeparate) {
  for (const std::string between : {"\n", "\r\n", "\t", "\x1b", "\x7f", "\x01"}) {
    const std::string line =
        OneLine("called 4111" + between + "1111" + between + "1111" + between + "1111 ok", 64);
    const std::string space(between.size(), ' ');
    EXPECT_EQ(line, "called 4111" + space + "11**" + space + "****" + space + "1111 ok");
  }
}

TEST(EditDistanceTest, CountsWhatHasToBeChanged) {
  EXPECT_EQ(EditDistance("", ""), 0U);
  EXPECT_EQ(EditDistance("", "abc"), 3U);
  EXPECT_EQ(EditDistance("projcts", "projects"), 1U);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
}

TEST(NearestNameTest, FindsASlipAndNothingFar) {
  const std::vector<std::string> known = {"listen", "max_in_flight", "tls"};
  EXPECT_EQ(NearestName("lisen", known), "listen");
  EXPECT_EQ(NearestName("max_inflight", known), "max_in_flight");
  EXPECT_EQ(NearestName("tsl", known), "tls");
  EXPECT_EQ(NearestName("password", known), "");
  EXPECT_EQ(NearestName("if", std::vector<std::string>{"on"}), "") << "nothing of it is left";
  EXPECT_EQ(NearestName("anything", std::vector<std::string>()), "");
}

}  // namespace
}  // namespace tollbridge
