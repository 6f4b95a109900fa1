#include "sandbox/pages/same_origin.h"

#include <gtest/gtest.h>

namespace tollbridge::sandbox {
namespace {

TEST(IsFromOwnPage, LetsThroughWhatComesFromNoBrowser) {
  EXPECT_TRUE(IsFromOwnPage({}));
  EXPECT_TRUE(IsFromOwnPage({{"Host", "127.0.0.1:8080"}}));
}

TEST(IsFromOwnPage, BelievesTheBrowserFirst) {
  EXPECT_TRUE(IsFromOwnPage({{"Sec-Fetch-Site", "same-origin"}, {"Origin", "null"}}));
  for (const char* site : {"cross-site", "same-site", "none", ""}) {
    EXPECT_FALSE(IsFromOwnPage({{"Host", "127.0.0.1:8080"},
                                {"Sec-Fetch-Site", site},
                                {"Origin", "http://127.0.0.1:8080"}}))
        << site;
  }
}

TEST(IsFromOwnPage, ComparesOriginWithHost) {
  const auto from = [](const char* origin) {
    return IsFromOwnPage({{"Host", "127.0.0.1:8080"}, {"Origin", origin}});
  };
  EXPECT_TRUE(from("http://127.0.0.1:8080"));
  EXPECT_TRUE(from("HTTPS://127.0.0.1:8080"));
  for (const char* other : {"null", "", "http://127.0.0.1", "http://127.0.0.1:80801",
                            "http://evil.example", "http://127.0.0.1:8080.evil.example",
                            "http://127.0.0.1:8080@evil.example", "ftp://127.0.0.1:8080"}) {
    EXPECT_FALSE(from(other)) << other;
  }
}

TEST(IsFromOwnPage, FallsBackToReferer) {
  const auto from = [](const char* referer) {
    return IsFromOwnPage({{"Host", "localhost:8080"}, {"Referer", referer}});
  };
  EXPECT_TRUE(from("http://localhost:8080/_sandbox/view/x/"));
  EXPECT_FALSE(from("http://evil.example/?http://localhost:8080/"));
  EXPECT_FALSE(IsFromOwnPage({{"Host", "localhost:8080"},
                              {"Origin", "http://evil.example"},
                              {"Referer", "http://localhost:8080/"}}))
      << "Origin goes first";
  EXPECT_FALSE(IsFromOwnPage({{"Origin", "http://evil.example"}})) << "without Host";
}

}  // namespace
}  // namespace tollbridge::sandbox
