#include "services/domain/formats.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tollbridge::domain {
namespace {

struct Case {
  bool (*fits)(std::string_view);
  std::vector<std::string> good;
  std::vector<std::string> bad;
};

TEST(Formats, AcceptWhatFitsAndRefuseWhatDoesNot) {
  const std::vector<Case> cases = {
      {IsCurrencyCode, {"EUR", "ISK"}, {"", "eur", "EU", "EURO", "E1R", "EU\xc3"}},
      {IsTwoLetterCode, {"NL", "US"}, {"", "nl", "N", "NLD", "N1"}},
      {IsIso8601Duration,
       {"PT1H", "P20D", "P2W", "P1Y2M3DT4H5M6S", "PT0.5S", "PT1,5H", "P1M", "PT1M"},
       {"", "P", "PT", "1H", "P1H", "PT1D", "P1DT", "PT1H1H", "P1D1Y", "P-1D", "PT1.H", "PT0.5H1M",
        "P1W2D", "P0.5DT1H", "pt1h", "PT1H ", "PTH", "P1"}},
      {IsHttpUri,
       {"https://shop.test/return", "http://127.0.0.1:8080/x?y=z#w", "HTTPS://shop.test",
        "https://[::1]/"},
       {"", "shop.test", "/return", "//shop.test", "ftp://shop.test", "https://", "https:///x",
        "https:shop.test", "https://shop test/", "javascript:alert(1)", "https://shop.test:99999/",
        "https://shop.test/\n"}},
      {IsIdempotencyKey,
       {"k", "order 17/retry~", std::string(128, 'x')},
       {"", std::string(129, 'x'), "a\tb", "a\nb", "caf\xc3\xa9", std::string("a\0b", 3), "\x7f"}},
      // Zeros have the check digit 0.
      {IsCardNumber,
       {std::string(12, '0'), std::string(19, '0'), std::string(14, '0') + "18"},
       {"", std::string(11, '0'), std::string(20, '0'), std::string(15, '0') + "1",
        std::string(15, '0') + " ", "0000 0000 0000 0000"}},
      {IsCardSecurityCode, {"123", "1234"}, {"", "12", "12345", "12a", " 123"}},
      {IsHostName,
       {"shop.example", "a", "xn--caf-dma.example", "1.2.3.4", std::string(63, 'a') + ".test"},
       {"", ".", "shop.", ".example", "a..b", "-a.test", "a-.test", "a_b.test", "https://a.test",
        "a.test:443", "a.test/x", std::string(64, 'a') + ".test", std::string(254, 'a')}},
      {IsCardExpiry, {"012030", "122026"}, {"", "002030", "132030", "12030", "0120301", "ab2030"}},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const std::string& text : cases[i].good) EXPECT_TRUE(cases[i].fits(text)) << i << text;
    for (const std::string& text : cases[i].bad) EXPECT_FALSE(cases[i].fits(text)) << i << text;
  }
}

}  // namespace
}  // namespace tollbridge::domain
