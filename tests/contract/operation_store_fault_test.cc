#include <gtest/gtest.h>

#include "tests/contract/operation_store_fixture.h"

namespace tollbridge::test {
namespace {

using ports::ClaimResult;
using ports::ClaimVerdict;
using ports::OperationState;

class OperationStoreFault : public OperationStoreContractTest {
 protected:
  static void ExpectReason(const absl::Status& status, std::string_view reason) {
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
    EXPECT_EQ(domain::ReasonOf(status), reason) << status;
  }
  void ExpectAllCallsFail(std::string_view reason) {
    ExpectReason(TryClaim(Identity(9)).status(), reason);
    ExpectReason(BeginStep(Identity(1), 1, "owner-1"), reason);
    ExpectReason(Run(world_->operations().Read(Id(1), Within())).status(), reason);
    ExpectReason(Run(world_->operations().ExpireLeases(1, Within())).status(), reason);
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, OperationStoreFault,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(OperationStoreFault, AnUnknownIdIsNotFound) {
  const absl::Status status = Run(world_->operations().Read(Id(1), Within())).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(domain::ReasonOf(status), domain::reason::kOperationNotFound);
}

TEST_P(OperationStoreFault, AnEpochIsWrittenOnceOnly) {
  const std::string before = Claim(Identity(1)).epoch;
  const absl::StatusOr<bool> wrote =
      Run(world_->operations().InitializeEpoch(Uuid::V4({0x77}), Within()));
  ASSERT_TRUE(wrote.ok());
  EXPECT_FALSE(*wrote);
  EXPECT_EQ(Claim(Identity(2)).epoch, before);
}

TEST_P(OperationStoreFault, AfterMemoryWasLostNothingIsClaimedAndNothingIsSaidToBeUnknown) {
  Claim(Identity(1));
  world_->LoseMemory();

  ExpectAllCallsFail(domain::reason::kStoreNotInitialized);

  InitializeEpoch(Uuid::V4({0x77}));
  EXPECT_EQ(Run(world_->operations().Read(Id(9), Within())).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_P(OperationStoreFault, ANewEpochIsLearnedOnTheNextClaim) {
  const std::string before = Claim(Identity(1)).epoch;
  world_->LoseMemory();
  const Uuid epoch = Uuid::V4({0x77});
  InitializeEpoch(epoch);

  const ClaimResult result = Claim(Identity(2));

  EXPECT_EQ(result.verdict, ClaimVerdict::kClaimed);
  EXPECT_NE(result.epoch, before);
  EXPECT_EQ(result.epoch, epoch.ToString().substr(0, 8));
}

TEST_P(OperationStoreFault, WhileNobodyServesEveryCallIsUnavailableAndAfterwardsAllIsThere) {
  Claim(Identity(1));
  world_->Stop();

  const BootTime start = BootClock::now();
  ExpectAllCallsFail(domain::reason::kStoreUnavailable);
  ExpectReason(
      Run(world_->operations().Finish(Result(Identity(1), OperationState::kDone), Within()))
          .status(),
      domain::reason::kStoreUnavailable);
  ExpectReason(Run(world_->operations().InitializeEpoch(Id(1), Within())).status(),
               domain::reason::kStoreUnavailable);
  EXPECT_LT(BootClock::now() - start, std::chrono::seconds(5));

  world_->Restart();
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kInProgress);
  EXPECT_EQ(Claim(Identity(9)).verdict, ClaimVerdict::kClaimed);
}

}  // namespace
}  // namespace tollbridge::test
