#include "base/core/card_numbers.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/card_forms.h"

namespace tollbridge {
namespace {

constexpr char kCard[] = "4111111111111111";
constexpr char kUuid[] = "41111111-1111-4111-8111-411111111111";

/// As many digits as that, the first not 0.
std::string Digits(std::mt19937& random, std::size_t count) {
  std::string digits(1, static_cast<char>('1' + random() % 9));
  while (digits.size() < count) digits.push_back(static_cast<char>('0' + random() % 10));
  return digits;
}

std::string RandomUuid(std::mt19937& random) {
  std::array<char, 37> text{};
  std::snprintf(text.data(), text.size(), "%08lx-%04lx-4%03lx-8%03lx-%06lx%06lx", random(),
                random() & 0xFFFF, random() & 0xFFF, random() & 0xFFF, random() & 0xFFFFFF,
                random() & 0xFFFFFF);
  return text.data();
}

/// Of 100,000 such texts those that hold what reads as a card number.
template <typename Make>
int Refused(Make make) {
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 100'000; ++i) refused += HoldsCardNumber(make(random)) ? 1 : 0;
  return refused;
}

TEST(CardNumbersTest, MasksHundredsOfWrittenForms) {
  const std::vector<std::string> forms = test::CardForms(kCard);
  EXPECT_EQ(forms.size(), 250U);
  for (const std::string& form : forms) {
    const std::string masked = MaskCardNumbers(form);
    EXPECT_EQ(test::DigitsOf(masked).find(kCard), std::string::npos) << masked;
    EXPECT_NE(masked.find('*'), std::string::npos) << masked;
    EXPECT_EQ(masked.size(), form.size());
  }
}

TEST(CardNumbersTest, MasksWhateverStandsBesideTheNumber) {
  struct Case {
    std::string text;
    std::string masked;
  };
  const std::vector<Case> cases = {
      {"4111111111111111", "411111******1111"},
      {"card 4111111111111111 123", "card 411111******1111 123"},
      {"4111111111111111 2030", "411111******1111 2030"},
      {"4242.4242.4242.4242", "4242.42**.****.4242"},
      {"3782 822463 10005", "3782 82**** *0005"},
      {"PAN4111111111111111.", "PAN411111******1111."},
      {"5555-5555-5555-4444, 737", "5555-55**-****-4444, 737"},
      {"4111\xE2\x80\x93"
       "1111\xE2\x80\x93"
       "1111\xE2\x80\x93"
       "1111",
       "4111\xE2\x80\x93"
       "11**\xE2\x80\x93"
       "****\xE2\x80\x93"
       "1111"},
      // Begins like no card, but is a whole run that passes Luhn.
      {"1234567890123452", "123456******3452"},
  };
  for (const Case& test : cases) EXPECT_EQ(MaskCardNumbers(test.text), test.masked);
}

/// What may stand between the digits of a card, wherever.
constexpr auto kTight = std::to_array<std::string_view>({" ",
                                                         "-",
                                                         ".",
                                                         "/",
                                                         "_",
                                                         "\t",
                                                         "    ",
                                                         " - ",
                                                         "%20",
                                                         "&nbsp;",
                                                         "\xC2\xA0",
                                                         "\xC2\xAD",
                                                         "\xE2\x80\x83",
                                                         "\xE2\x80\x8B",
                                                         "\xE2\x80\x8C",
                                                         "\xE2\x80\x8D",
                                                         "\xE2\x80\x93",
                                                         "\xE2\x80\xA8",
                                                         "\xE2\x80\xAF",
                                                         "\xE2\x81\x9F",
                                                         "\xE2\x81\xA0",
                                                         "\xE2\x88\x92",
                                                         "\xE3\x80\x80",
                                                         "\xEF\xBB\xBF"});

/// What may stand between the groups that are printed on it.
constexpr auto kLoose = std::to_array<std::string_view>(
    {"\n", "\r", "\r\n", ",", ", ", ":", ";", " ; ", "|", " | ", "*", "+", "~", "'", "%0A", "%2C"});

TEST(CardNumbersTest, FindsItWhateverSeparatesTheGroupsOfACard) {
  struct Card {
    std::string_view digits;
    std::vector<std::size_t> groups;
  };
  const std::vector<Card> cards = {{kCard, {4, 4, 4, 4}},
                                   {"378282246310005", {4, 6, 5}},
                                   {"30569309025904", {4, 6, 4}},
                                   {"6304000000000000018", {4, 4, 4, 4, 3}}};
  const auto expect_found = [](std::string_view digits, const std::string& form) {
    const std::string masked = MaskCardNumbers("a " + form + " 123");
    EXPECT_NE(masked, "a " + form + " 123");
    EXPECT_EQ(test::DigitsOf(masked).find(digits), std::string::npos) << masked;
    EXPECT_EQ(masked.size(), form.size() + 6);
    EXPECT_TRUE(HoldsCardNumber("a " + form + " b")) << form;
  };
  for (const Card& card : cards) {
    for (const std::string_view separator : kTight) {
      expect_found(card.digits, test::InGroups(card.digits, card.groups, separator));
    }
    for (const std::string_view separator : kLoose) {
      expect_found(card.digits, test::InGroups(card.digits, card.groups, separator));
    }
  }
  // In front of it, too.
  expect_found(kCard, "%20411111111111%201111");
  expect_found(kCard, "with%204111%2C1111%2C1111%2C1111");
  // A line that ends within.
  expect_found(kCard, "4111 1111\n1111 1111");
  // Lists and times are no card number, nor is what is masked.
  for (const std::string_view separator : kLoose) {
    for (const std::vector<std::size_t>& lengths :
         {std::vector<std::size_t>{8, 8}, {6, 10}, {5, 5, 6}, std::vector<std::size_t>(16, 1)}) {
      const std::string list = test::InGroups(kCard, lengths, separator);
      EXPECT_EQ(MaskCardNumbers(list), list);
      EXPECT_FALSE(HoldsCardNumber(list)) << list;
    }
  }
  for (const std::string_view separator :
       {"\n\n", "**", ",,", "%2C,", "     ", "%2", "%12", "%25", "%zz"}) {
    const std::string list = test::InGroups(kCard, {4, 4, 4, 4}, separator);
    EXPECT_EQ(MaskCardNumbers(list), list);
    EXPECT_FALSE(HoldsCardNumber(list)) << list;
  }
}

/// The number in the digits of another script, the first of which is that.
std::string InScript(std::string_view digits, std::string_view zero) {
  std::string out;
  for (const char digit : digits) {
    out += zero;
    out.back() = static_cast<char>(out.back() + (digit - '0'));
  }
  return out;
}

TEST(CardNumbersTest, FindsDigitsOfOtherScripts) {
  for (const std::string_view zero : {"\xEF\xBC\x90", "\xD9\xA0", "\xDB\xB0"}) {
    const std::string card = InScript(kCard, zero);
    EXPECT_TRUE(HoldsCardNumber("card " + card));
    const std::string star = zero.size() == 3 ? "\xEF\xBC\x8A" : "\xD9\xAD";
    std::string masked = InScript("411111", zero);
    for (int i = 0; i < 6; ++i) masked += star;
    masked += InScript("1111", zero);
    EXPECT_EQ(MaskCardNumbers("card " + card + "."), "card " + masked + ".");
    EXPECT_EQ(MaskCardNumbers(masked), masked);
    EXPECT_TRUE(HoldsCardNumber("4111 1111" + InScript("11111111", zero)));
    // Cut within the last digit, and beside the digits.
    const std::string cut = card.substr(0, card.size() - 1);
    EXPECT_EQ(MaskCardNumbers(cut), cut);
    EXPECT_FALSE(HoldsCardNumber(card + InScript("1", zero)));
  }
  // The start of such a character at the end of the text.
  for (const char* end : {"\xEF", "\xEF\xBC", "\xD9", "\xDB", "\xE2", "\xE2\x80", "\xE2\x81"}) {
    EXPECT_EQ(MaskCardNumbers(std::string(kCard) + end), std::string("411111******1111") + end);
  }
}

TEST(CardNumbersTest, LeavesADoubtWhereItIsAskedTo) {
  const std::string text = "https://shop.example/1234567890123452?at=1795319099826";
  EXPECT_EQ(MaskCardNumbers(text, Doubt::kLeaves), text);
  EXPECT_EQ(MaskCardNumbers("/4111-1111-1111-1111-123", Doubt::kLeaves),
            "/4111-11**-****-1111-123");
}

TEST(CardNumbersTest, LeavesOtherNumbersAlone) {
  for (const char* text :
       {"", "no digits", "4111111111111112", "411111111111", "1795319099828-0 and 1795319099829-0",
        "2026-11-27T01:47:55.123456789Z", "4111 11; 1111 111111", "4111     1111     1111     1111",
        "10.20.30.40:51234", "Mozilla/5.0 AppleWebKit/537.36 Chrome/120.0.0.0"}) {
    EXPECT_EQ(MaskCardNumbers(text), text);
    EXPECT_FALSE(HoldsCardNumber(text)) << text;
  }
}

TEST(CardNumbersTest, LeavesUuidsAlone) {
  const std::vector<std::string> texts = {
      std::string(kUuid), "operation " + std::string(kUuid) + ".", "7 " + std::string(kUuid),
      "a4111111-1111-1111-1abc-abcdefabcdef " + std::string(kUuid)};
  for (const std::string& text : texts) {
    EXPECT_EQ(MaskCardNumbers(text), text);
    EXPECT_FALSE(HoldsCardNumber(text)) << text;
  }
  // Not when more stands beside it: then it is none.
  const std::string longer = "a4111111-1111-1111-1abc-abcdefabcdef0";
  EXPECT_NE(MaskCardNumbers(longer), longer);
  // The number beside one is masked.
  EXPECT_EQ(MaskCardNumbers(std::string(kCard) + "-" + kUuid),
            std::string("411111******1111-") + kUuid);
}

TEST(CardNumbersTest, FindsWholeRunsThatBeginLikeACard) {
  for (const char* text : {"4111111111111111", "4111 1111 1111 1111", "card 4111111111111111 123",
                           "PAN4111111111111111", "5555-5555-5555-4444", "378282246310005",
                           "6011/1111/1111/1117", "2223003122003222"}) {
    EXPECT_TRUE(HoldsCardNumber(text)) << text;
  }
  for (const char* text : {// No card begins so, or is as long.
                           "1234567890123452", "37828224631000500",
                           // A wrong check digit.
                           "4111111111111112",
                           // Among other digits: masked, not refused.
                           "12344111111111111111", "4111 1111 1111 1111 123"}) {
    EXPECT_FALSE(HoldsCardNumber(text)) << text;
  }
}

TEST(CardNumbersTest, RefusesFewNumbersThatAreNone) {
  // Of numbers that can be no card's: none, or nearly none.
  EXPECT_EQ(Refused(&RandomUuid), 0);
  EXPECT_EQ(Refused([](std::mt19937& random) { return Digits(random, 10); }), 0);
  EXPECT_EQ(Refused([](std::mt19937& random) { return "ORD-2026-" + Digits(random, 8); }), 0);
  // Date and number, as many shops have them.
  EXPECT_EQ(Refused([](std::mt19937& random) { return "20261127" + Digits(random, 8); }), 0);
  const int ibans = Refused([](std::mt19937& random) {
    return "DE" + Digits(random, 2) + " " + Digits(random, 4) + " " + Digits(random, 4) + " " +
           Digits(random, 4) + " " + Digits(random, 4) + " " + Digits(random, 2);
  });
  EXPECT_EQ(ibans, 0) << "22 characters, 20 of them digits";
  const int short_ibans = Refused([](std::mt19937& random) { return "BE" + Digits(random, 14); });
  EXPECT_LT(short_ibans, 1000) << "16 characters, 14 of them digits";
  // Lists of numbers, times and amounts.
  EXPECT_EQ(Refused([](std::mt19937& random) {
              return "[" + Digits(random, 8) + "," + Digits(random, 8) + ", " + Digits(random, 6) +
                     "]";
            }),
            0);
  EXPECT_EQ(Refused([](std::mt19937& random) {
              return Digits(random, 2) + ", " + Digits(random, 3) + ", " + Digits(random, 3) +
                     ", " + Digits(random, 4) + ", " + Digits(random, 4);
            }),
            0);
  EXPECT_EQ(Refused([](std::mt19937& random) {
              return "2026-11-" + Digits(random, 2) + "T" + Digits(random, 2) + ":" +
                     Digits(random, 2) + ":" + Digits(random, 2) + "." + Digits(random, 9) +
                     "+01:00, 2026-11-24T10:00:00";
            }),
            0);
  EXPECT_EQ(Refused([](std::mt19937& random) {
              std::string amount = Digits(random, 1);
              for (int i = 0; i < 5; ++i) amount += "," + Digits(random, 3);
              return amount;
            }),
            0);
  const int fours = Refused([](std::mt19937& random) {
    return Digits(random, 4) + ", " + Digits(random, 4) + ", " + Digits(random, 4) + ", " +
           Digits(random, 4);
  });
  EXPECT_LT(fours, 4500) << "no more than of numbers of 16 digits";
  // Numbers of 16 digits: one in ten passes Luhn, and one in three of those begins like a card.
  const int passing = 10'000;
  const int numbers = Refused([](std::mt19937& random) { return Digits(random, 16); });
  EXPECT_LT(numbers, passing * 45 / 100);
  EXPECT_GT(numbers, passing / 5);
  std::printf("refused of 100,000: %d of 16 digits, %d IBANs of 16 characters, %d lists of fours\n",
              numbers, short_ibans, fours);
}

TEST(CardNumbersTest, ALongTextOfDigitsCostsLittle) {
  std::string digits;
  while (digits.size() < 1'000'000) digits += "4111111111111111";
  // A second at the very most: quadratic work would take hours.
  EXPECT_NE(MaskCardNumbers(digits), digits);
  std::string list;
  while (list.size() < 1'000'000) list += "4111,1111:1,";
  EXPECT_FALSE(HoldsCardNumber(list));
}

}  // namespace
}  // namespace tollbridge
