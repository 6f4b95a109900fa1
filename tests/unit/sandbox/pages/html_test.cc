#include "sandbox/pages/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <array>
#include <string>

#include "base/core/encoding.h"
#include "tests/unit/sandbox/pages/html_check.h"

namespace tollbridge::sandbox {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* kOdd = "\xEF\xBF\xBD";

std::string Between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

TEST(EscapeHtml, LeavesNoMarkup) {
  EXPECT_EQ(EscapeHtml("<a href='x' title=\"y\">&"),
            "&lt;a href=&#39;x&#39; title=&quot;y&quot;&gt;&amp;");
  EXPECT_EQ(EscapeHtml("Gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "Gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80");
}

TEST(EscapeHtml, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(EscapeHtml("a\xFF<"), std::string("a") + kOdd + "&lt;");
  EXPECT_EQ(EscapeHtml("\xC3"), kOdd) << "cut off";
  EXPECT_EQ(EscapeHtml("\xC3<"), std::string(kOdd) + "&lt;") << "does not swallow what follows";
  for (const char* bad : {"\xC0\x80", "\xED\xA0\x80", "\xE0\x80\x80", "\xF4\x90\x80\x80",
                          "\xF0\x80\x80\x80", "\x80", "\xF5\x80\x80\x80"}) {
    EXPECT_THAT(EscapeHtml(bad), StartsWith(kOdd));
    EXPECT_THAT(EscapeHtml(bad), Not(HasSubstr(bad)));
  }
}

TEST(EscapeHtml, ReplacesControlCharacters) {
  EXPECT_EQ(EscapeHtml(std::string_view("a\0b\x1B\x7F", 5)),
            std::string("a") + kOdd + "b" + kOdd + kOdd);
  EXPECT_EQ(EscapeHtml("a\n\tb"), "a\n\tb");
}

TEST(Shown, CutsLongTextsAtACharacter) {
  std::string umlauts;
  for (int i = 0; i < 5000; ++i) umlauts += "\xC3\xBC";
  const std::string shown = Shown(umlauts);
  EXPECT_LT(shown.size(), 500u);
  EXPECT_THAT(shown, HasSubstr("\xC3\xBC&hellip;</bdi>"));
  EXPECT_EQ(Shown("short"), "<bdi>short</bdi>");
  EXPECT_EQ(Shown("12345", 3), "<bdi>123&hellip;</bdi>");
}

TEST(Render, StyleIsTheOneThatThePolicyAllows) {
  const http::Response response = Render({.title = "t", .body = ""});
  const std::string style = Between(response.body, "<style>", "</style>");
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  ASSERT_EQ(EVP_Digest(style.data(), style.size(), digest.data(), &size, EVP_sha256(), nullptr), 1);
  const std::string hash =
      "sha256-" + Base64Encode({reinterpret_cast<const char*>(digest.data()), size});
  EXPECT_THAT(std::string(*response.headers.Find("Content-Security-Policy")),
              HasSubstr("style-src '" + hash + "'"));
}

TEST(Render, KeepsThePageOutOfFramesCachesAndReferrers) {
  const http::Response response = Render({.title = "t", .body = ""});
  EXPECT_EQ(response.headers.Find("Cache-Control"), "no-store");
  EXPECT_EQ(response.headers.Find("Referrer-Policy"), "no-referrer");
  EXPECT_EQ(response.headers.Find("X-Frame-Options"), "DENY");
  EXPECT_EQ(response.headers.Find("X-Content-Type-Options"), "nosniff");
  const std::string policy(*response.headers.Find("Content-Security-Policy"));
  for (const char* part : {"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'",
                           "form-action http: https:"}) {
    EXPECT_THAT(policy, HasSubstr(part));
  }
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
}

TEST(Render, FormsOfTheMerchantPageStayOnTheServerAndSayWhereTheyComeFrom) {
  const http::Response response = Render({.title = "t", .body = "", .forms_stay_here = true});
  EXPECT_THAT(std::string(*response.headers.Find("Content-Security-Policy")),
              HasSubstr("form-action 'self'"));
  EXPECT_EQ(response.headers.Find("Referrer-Policy"), "same-origin");
}

TEST(Render, TitleIsTheHeadingAndTellsOfAnError) {
  const http::Response good = Render({.title = "a<b", .body = "<p>x</p>"});
  EXPECT_EQ(good.status, 200);
  EXPECT_THAT(good.body, HasSubstr("<title>a&lt;b</title>"));
  EXPECT_THAT(good.body, HasSubstr("<h1>a&lt;b</h1><p>x</p>"));
  EXPECT_THAT(FaultsOf(good.body), IsEmpty());
  EXPECT_THAT(good.body, Not(HasSubstr("http-equiv")));
  const http::Response bad = Render({.title = "a", .body = "", .status = 422});
  EXPECT_EQ(bad.status, 422);
  EXPECT_THAT(bad.body, HasSubstr("<title>Error: a</title>"));
  EXPECT_THAT(bad.body, HasSubstr("<h1>a</h1>"));
}

TEST(Render, RefreshesWhereItIsAskedTo) {
  EXPECT_THAT(Render({.title = "t", .body = "", .refresh_seconds = 5}).body,
              HasSubstr("<meta http-equiv=\"refresh\" content=\"5\">"));
}

TEST(IsWebAddress, IsWhereABrowserMayBeSent) {
  for (const char* good :
       {"http://shop.example/", "HTTPS://shop.example/a?b=c#d", "https://shop.example/\xC3\xBC"}) {
    EXPECT_TRUE(IsWebAddress(good)) << good;
  }
  for (const char* bad :
       {"", "javascript:alert(1)", "data:text/html,x", "//shop.example/", "/pay/",
        "ftp://shop.example/", "https:/shop.example", "https://shop.example/\r\nSet-Cookie: a=b",
        "https://shop.example/a b", " https://shop.example/", "https://shop.example/\x7F"}) {
    EXPECT_FALSE(IsWebAddress(bad)) << bad;
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
