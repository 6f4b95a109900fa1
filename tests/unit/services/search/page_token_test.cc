#include "services/search/page_token.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/core/encoding.h"

namespace tollbridge::search {
namespace {

SearchKey Key() {
  return {.project = "shop", .query = "status:new", .sort = "id asc", .page_size = 100};
}

PagePlace Place() { return {.seen = 300, .hits_at_first = 1000, .cursor = "a cursor with spaces"}; }

TEST(PageToken, BringsThePlaceBack) {
  const auto place = ReadPageToken(Key(), MakePageToken(Key(), Place()));
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->seen, 300);
  EXPECT_EQ(place->hits_at_first, 1000);
  EXPECT_EQ(place->cursor, "a cursor with spaces");
}

TEST(PageToken, IsAWordThatUrlsCanCarry) {
  PagePlace place = Place();
  place.cursor = "\xff\xfe\xfd?>~";
  EXPECT_EQ(
      MakePageToken(Key(), place)
          .find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
      std::string::npos);
}

TEST(PageToken, WithTheLongestCursorFitsIntoAField) {
  PagePlace place = Place();
  place.cursor = std::string(kMaxCursorBytes, 'x');
  EXPECT_LT(MakePageToken(Key(), place).size(), 4096U);
}

TEST(PageToken, OfAnotherSearchIsRefused) {
  const std::string token = MakePageToken(Key(), Place());
  std::vector<SearchKey> others(5, Key());
  others[0].project = "travel";
  others[1].query = "*";
  others[2].sort = "id desc";
  others[3].page_size = 101;
  // The same bytes one after the other.
  others[4].project = "shops";
  others[4].query = "tatus:new";
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_FALSE(ReadPageToken(others[i], token).has_value()) << i;
  }
}

TEST(PageToken, ThatWasChangedAnywhereIsRefused) {
  const std::string token = MakePageToken(Key(), Place());
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(ReadPageToken(Key(), changed).has_value()) << i;
    EXPECT_FALSE(ReadPageToken(Key(), token.substr(0, i)).has_value()) << i;
  }
}

TEST(PageToken, GarbageIsRefused) {
  for (const char* garbage : {"", "x", "%%%", "-1", "AAAA"}) {
    EXPECT_FALSE(ReadPageToken(Key(), garbage).has_value()) << garbage;
  }
  EXPECT_FALSE(ReadPageToken(Key(), MakePageToken(Key(), Place()) + "=").has_value());
  EXPECT_FALSE(ReadPageToken(Key(), Base64UrlEncode(std::string(40, '1'))).has_value());
}

}  // namespace
}  // namespace tollbridge::search
