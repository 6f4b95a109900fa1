#include "sandbox/core/money.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace tollbridge::sandbox {
namespace {

TEST(MoneyTest, DecimalsGoByTheCurrency) {
  EXPECT_EQ(WithDecimals(1050, "EUR"), "10.50");
  EXPECT_EQ(WithDecimals(1050, "HUF"), "10.50");
  EXPECT_EQ(WithDecimals(1050, "JPY"), "1050");
  EXPECT_EQ(WithDecimals(1050, "KWD"), "1.050");
  EXPECT_EQ(WithDecimals(1050, "QQQ"), "10.50");
}

TEST(MoneyTest, SmallAmountsHaveTheirZeros) {
  EXPECT_EQ(WithDecimals(0, "EUR"), "0.00");
  EXPECT_EQ(WithDecimals(7, "EUR"), "0.07");
  EXPECT_EQ(WithDecimals(99, "EUR"), "0.99");
  EXPECT_EQ(WithDecimals(100, "EUR"), "1.00");
  EXPECT_EQ(WithDecimals(7, "KWD"), "0.007");
  EXPECT_EQ(WithDecimals(0, "JPY"), "0");
}

TEST(MoneyTest, FeeIsAShareAndAQuarterOfTheMainUnit) {
  EXPECT_EQ(Fee(10'000, "EUR"), 140 + 25);
  EXPECT_EQ(Fee(0, "EUR"), 25);
  EXPECT_EQ(Fee(10'000, "KWD"), 140 + 250);
  EXPECT_EQ(Fee(10'000, "JPY"), 140);
}

TEST(MoneyTest, FeeIsRoundedOnceAndHalfUp) {
  EXPECT_EQ(Fee(1035, "EUR"), 39);  // 14.49 + 25
  EXPECT_EQ(Fee(1036, "EUR"), 40);  // 14.504 + 25
  EXPECT_EQ(Fee(1750, "EUR"), 50);  // 24.5 + 25
  EXPECT_EQ(Fee(18, "JPY"), 1);     // 0.252 + 0.25
  EXPECT_EQ(Fee(17, "JPY"), 0);     // 0.238 + 0.25
}

TEST(MoneyTest, TheLargestAmountDoesNotOverflow) {
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(Fee(largest, "EUR"), largest / 1000 * 14 + 36);  // .807 of the last thousand: 11.3 + 25
  EXPECT_EQ(WithDecimals(largest, "EUR"), "92233720368547758.07");
}

}  // namespace
}  // namespace tollbridge::sandbox
