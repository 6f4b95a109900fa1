#include "base/http/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tollbridge::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(UrlTest, TakesAUrlApart) {
  const auto url = ParseUrl("https://pay.example:8443/api/v1/?a=b%20c");
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_TRUE(url->tls);
  EXPECT_EQ(url->host, "pay.example");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(url->path, "/api/v1");
  EXPECT_EQ(url->query, "a=b%20c");
  EXPECT_EQ(url->Authority(), "pay.example:8443");
  EXPECT_EQ(url->Origin(), "https://pay.example:8443");
}

TEST(UrlTest, KnowsTheDefaultPorts) {
  EXPECT_EQ(ParseUrl("http://a")->port, 80);
  EXPECT_EQ(ParseUrl("https://a/")->port, 443);
  EXPECT_EQ(ParseUrl("https://a:443/")->Authority(), "a");
  EXPECT_EQ(ParseUrl("http://a/")->path, "");
}

TEST(UrlTest, KeepsIpv6BracketsOutOfTheHost) {
  const auto url = ParseUrl("http://[::1]:8080/x");
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->Authority(), "[::1]:8080");
}

TEST(UrlTest, RefusesWhatIsNoAbsoluteHttpUrl) {
  for (const char* bad :
       {"", "pay.example", "/path", "ftp://a/", "http://", "http:///x", "http://user:secret@a/",
        "http://a/#f", "http://a:0/", "http://a:99999/", "http://a b/", "http://a/%zz"}) {
    EXPECT_EQ(ParseUrl(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
}

TEST(UrlTest, DecodesATarget) {
  const auto target = ParseTarget("/v1/orders/a%20b%2Fc/?expand=x+y&flag&e=%C3%A9");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_THAT(target->segments, ElementsAre("v1", "orders", "a b/c"));
  EXPECT_THAT(target->query, ElementsAre(Pair("expand", "x y"), Pair("flag", ""), Pair("e", "é")));
  EXPECT_EQ(target->Query("expand"), "x y");
  EXPECT_EQ(target->Query("none"), std::nullopt);
  EXPECT_THAT(ParseTarget("/")->segments, IsEmpty());
}

TEST(UrlTest, RefusesATargetThatIsBroken) {
  for (const char* bad : {"", "*", "v1", "/%", "/a?b=%4"}) {
    EXPECT_EQ(ParseTarget(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
}

TEST(UrlTest, ReadsAForm) {
  const auto form = ParseForm("card=4000+0000&name=A%26B&&");
  ASSERT_TRUE(form.ok());
  EXPECT_THAT(*form, ElementsAre(Pair("card", "4000 0000"), Pair("name", "A&B")));
}

TEST(UrlTest, EncodesAllButUnreservedCharacters) {
  EXPECT_EQ(PercentEncode("a-b_c.d~e/f g+h&é"), "a-b_c.d~e%2Ff%20g%2Bh%26%C3%A9");
}

}  // namespace
}  // namespace tollbridge::http
