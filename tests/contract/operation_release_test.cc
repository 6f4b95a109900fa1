// A claim that is undone, and what a new order is to the next claim.
#include <gtest/gtest.h>

#include "tests/contract/operation_store_fixture.h"

namespace tollbridge::test {
namespace {

using ports::ClaimVerdict;
using ports::FinishRequest;
using ports::FinishVerdict;
using ports::Millis;

class OperationRelease : public OperationStoreContractTest {};

INSTANTIATE_TEST_SUITE_P(Stores, OperationRelease,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(OperationRelease, UndoesAClaimAnyNumberOfTimes) {
  Claim(Identity(1, kOrder));
  Release(Identity(1, kOrder));
  Release(Identity(1, kOrder));

  const operations::v1::Operation operation = Read(Identity(1));
  EXPECT_EQ(operation.state(), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  ASSERT_EQ(operation.steps_size(), 1);
  EXPECT_EQ(operation.steps(0).state(), operations::v1::STEP_STATE_NOT_SENT);
  EXPECT_EQ(operation.transitions_size(), 2);
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kClaimed) << "the order is free";
}

TEST_P(OperationRelease, LeavesAClaimOfAnotherAlone) {
  Claim(Identity(1));
  Release(Identity(1), "owner-2");
  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_RUNNING);
  Release(Identity(1));
  ASSERT_EQ(Claim(Identity(1), "owner-2").attempt, 2U);
  Release(Identity(1));
  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_RUNNING);
}

TEST_P(OperationRelease, OfAClaimThatWasNeverRecordedDoesNothing) {
  Release(Identity(1));
  EXPECT_EQ(TryRead(Id(1)).status().code(), absl::StatusCode::kNotFound);
}

TEST_P(OperationRelease, UndoesAClaimWhoseLeaseHasEnded) {
  Claim(Identity(1));
  world_->AdvanceTime(kLease);
  ASSERT_EQ(TakeDue().to_look_at.size(), 1U);
  Release(Identity(1));
  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_P(OperationRelease, LeavesWhatIsClosed) {
  Claim(Identity(1));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  Release(Identity(1));
  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_DONE);
}

TEST_P(OperationRelease, AFurtherStepRenewsTheLease) {
  Claim(Identity(1));
  world_->AdvanceTime(Millis(20'000));
  ASSERT_TRUE(BeginStep(Identity(1), 1, "owner-1").ok());
  world_->AdvanceTime(Millis(20'000));
  EXPECT_TRUE(TakeDue().expired.empty());
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kInProgress);
  world_->AdvanceTime(Millis(10'000));
  EXPECT_EQ(TakeDue().expired.size(), 1U);
}

TEST_P(OperationRelease, AnOrderThatWeMadeIsFreshForAMinute) {
  EXPECT_FALSE(Claim(Identity(2, kOrder)).fresh_order);
  Release(Identity(2, kOrder));
  Claim(Identity(1));
  FinishRequest create = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  create.step = Step(kOrder);
  create.order = Entry();
  create.created_order = true;
  ASSERT_EQ(Finish(create), FinishVerdict::kRecorded);

  EXPECT_TRUE(Claim(Identity(2, kOrder)).fresh_order);
  Release(Identity(2, kOrder));
  EXPECT_FALSE(Claim(Identity(3, kOtherOrder)).fresh_order);
  world_->AdvanceTime(std::chrono::seconds(60));
  EXPECT_FALSE(Claim(Identity(2, kOrder)).fresh_order);
}

TEST_P(OperationRelease, AnOrderThatWeOnlyChangedIsNotFresh) {
  Claim(Identity(1, kOrder));
  FinishRequest change = Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_DONE);
  change.order = Entry();
  ASSERT_EQ(Finish(change), FinishVerdict::kRecorded);
  EXPECT_FALSE(Claim(Identity(2, kOrder)).fresh_order);
}

}  // namespace
}  // namespace tollbridge::test
