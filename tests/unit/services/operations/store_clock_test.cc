#include "services/operations/store_clock.h"

#include <gtest/gtest.h>

namespace tollbridge::operations {
namespace {

using ports::Millis;

constexpr WallTime kStore{Millis(1'800'000'000'000)};
constexpr BootTime kBoot{Millis(3'600'000)};

TEST(StoreClock, IsSteadyFromWhenItWasFirstSeen) {
  StoreClock clock;
  EXPECT_EQ(clock.SteadyFor(kBoot), Millis(0));
  EXPECT_FALSE(clock.Show(kStore, kBoot));
  EXPECT_FALSE(clock.Show(kStore + Millis(60'000), kBoot + Millis(60'000)));
  EXPECT_EQ(clock.SteadyFor(kBoot + Millis(61'000)), Millis(61'000));
}

TEST(StoreClock, AStepEitherWayBeginsAnew) {
  for (const Millis step : {Millis(2'001), Millis(-2'001), Millis(3'600'000)}) {
    StoreClock clock;
    clock.Show(kStore, kBoot);
    EXPECT_TRUE(clock.Show(kStore + Millis(60'000) + step, kBoot + Millis(60'000)));
    EXPECT_EQ(clock.SteadyFor(kBoot + Millis(70'000)), Millis(10'000));
    EXPECT_FALSE(clock.Show(kStore + Millis(90'000) + step, kBoot + Millis(90'000)))
        << "it goes on from there";
  }
}

TEST(StoreClock, SmallStepsAddUp) {
  StoreClock clock;
  clock.Show(kStore, kBoot);
  EXPECT_FALSE(clock.Show(kStore + Millis(11'500), kBoot + Millis(10'000)));
  EXPECT_TRUE(clock.Show(kStore + Millis(23'000), kBoot + Millis(20'000)));
}

}  // namespace
}  // namespace tollbridge::operations
