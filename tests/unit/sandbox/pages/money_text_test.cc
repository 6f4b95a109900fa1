#include "sandbox/pages/money_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace tollbridge::sandbox {
namespace {

TEST(MoneyText, HasTheDecimalsOfTheCurrency) {
  EXPECT_EQ(MoneyText(1250, "EUR"), "12.50 EUR");
  EXPECT_EQ(MoneyText(1250, "JPY"), "1250 JPY");
  EXPECT_EQ(MoneyText(1250, "KWD"), "1.250 KWD");
  EXPECT_EQ(MoneyText(1250, "XOF"), "1250 XOF");
  EXPECT_EQ(MoneyText(1250, "ZZZ"), "12.50 ZZZ");
}

TEST(MoneyText, FillsUpSmallAmounts) {
  EXPECT_EQ(MoneyText(0, "EUR"), "0.00 EUR");
  EXPECT_EQ(MoneyText(5, "EUR"), "0.05 EUR");
  EXPECT_EQ(MoneyText(50, "EUR"), "0.50 EUR");
  EXPECT_EQ(MoneyText(0, "JPY"), "0 JPY");
  EXPECT_EQ(MoneyText(7, "KWD"), "0.007 KWD");
}

TEST(MoneyText, TakesTheLargestAmount) {
  EXPECT_EQ(MoneyText(std::numeric_limits<std::int64_t>::max(), "EUR"), "92233720368547758.07 EUR");
}

}  // namespace
}  // namespace tollbridge::sandbox
