#include "base/core/card_numbers.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <random>
#include <string>
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

TEST(CardNumbersTest, MasksTwoHundredWrittenForms) {
  const std::vector<std::string> forms = test::CardForms(kCard);
  EXPECT_EQ(forms.size(), 200U);
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

TEST(CardNumbersTest, LeavesOtherNumbersAlone) {
  for (const char* text :
       {"", "no digits", "4111111111111112", "411111111111", "1795319099828-0 and 1795319099829-0",
        "2026-11-27T01:47:55.123456789Z", "4111 1111; 1111 1111", "4111    1111    1111    1111",
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
  // Numbers of 16 digits: one in ten passes Luhn, and one in three of those begins like a card.
  const int passing = 10'000;
  const int numbers = Refused([](std::mt19937& random) { return Digits(random, 16); });
  EXPECT_LT(numbers, passing * 45 / 100);
  EXPECT_GT(numbers, passing / 5);
  std::printf("refused of 100,000: %d of 16 digits, %d IBANs of 16 characters\n", numbers,
              short_ibans);
}

TEST(CardNumbersTest, ALongTextOfDigitsCostsLittle) {
  std::string digits;
  while (digits.size() < 1'000'000) digits += "4111111111111111";
  // A second at the very most: quadratic work would take hours.
  EXPECT_NE(MaskCardNumbers(digits), digits);
}

}  // namespace
}  // namespace tollbridge
