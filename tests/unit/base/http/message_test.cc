#include "base/http/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tollbridge::http {
namespace {

using ::testing::ElementsAre;

TEST(HeadersTest, NamesCompareWithoutCaseAndMayRepeat) {
  Headers headers{{"Accept", "a"}, {"X-Two", "1"}, {"x-two", "2"}};
  EXPECT_EQ(headers.Find("ACCEPT"), "a");
  EXPECT_EQ(headers.Find("Accep"), std::nullopt);
  EXPECT_THAT(headers.FindAll("X-TWO"), ElementsAre("1", "2"));
  headers.Set("X-tWo", *headers.Find("x-two"));
  EXPECT_THAT(headers.FindAll("x-two"), ElementsAre("1"));
  headers.Remove("accept");
  EXPECT_FALSE(headers.Contains("Accept"));
  EXPECT_EQ(headers.size(), 1u);
}

TEST(ReasonPhraseTest, KnowsTheRegisteredOnes) {
  EXPECT_EQ(ReasonPhrase(404), "Not Found");
  EXPECT_EQ(ReasonPhrase(299), "Unknown");
}

}  // namespace
}  // namespace tollbridge::http
