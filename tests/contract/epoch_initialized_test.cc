// An epoch that a person initialized (docs/design/operations.md#rule-12).

#include <gtest/gtest.h>

#include <chrono>

#include "tests/contract/operation_store_fixture.h"

namespace tollbridge::test {
namespace {

using ports::ClaimResult;
using ports::ClaimVerdict;
using ports::Millis;

class EpochInitialized : public OperationStoreContractTest {
 protected:
  static constexpr Millis kFailoverDoubt = std::chrono::hours(1);
};

INSTANTIATE_TEST_SUITE_P(Stores, EpochInitialized,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(EpochInitialized, AnEpochIsInitializedOnceOnly) {
  world_->LoseMemory();
  const Uuid epoch = Uuid::V4({0x77});
  for (const bool first : {true, false}) {
    const absl::StatusOr<bool> wrote =
        Run(world_->operations().InitializeEpoch(first ? epoch : Uuid::V4({0x78}), Within()));
    ASSERT_TRUE(wrote.ok());
    EXPECT_EQ(*wrote, first);
    const ClaimResult result = Claim(Identity(first ? 1 : 2));
    EXPECT_EQ(result.verdict, ClaimVerdict::kClaimed);
    EXPECT_EQ(result.epoch, epoch.ToString().substr(0, 8));
  }
}

/// By mistake, in a store that lost its memory: who used it before knows another epoch.
TEST_P(EpochInitialized, AnEpochThatIsInitializedWhereSomebodyKnowsAnotherIsDoubted) {
  Claim(Identity(1));
  world_->LoseMemory();
  ASSERT_TRUE(Run(world_->operations().InitializeEpoch(Uuid::V4({0x77}), Within())).ok());
  const ClaimResult result = Claim(Identity(1));
  EXPECT_EQ(result.verdict, ClaimVerdict::kLookFirst);
  EXPECT_GT(result.doubtful_left, kFailoverDoubt - Millis(10'000));
}

}  // namespace
}  // namespace tollbridge::test
