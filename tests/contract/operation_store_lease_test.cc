#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/contract/operation_store_fixture.h"

namespace tollbridge::test {
namespace {

using ports::ClaimVerdict;
using ports::ExpiredOperation;
using ports::FinishVerdict;
using ports::OperationState;

class OperationStoreLease : public OperationStoreContractTest {
 protected:
  std::vector<ExpiredOperation> Expire(std::size_t limit = 100) { return TakeDue(limit).expired; }
};

INSTANTIATE_TEST_SUITE_P(Stores, OperationStoreLease,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(OperationStoreLease, OnlyEndedLeasesAreClosedAndOnlyOnce) {
  Claim(Identity(1));
  world_->AdvanceTime(ports::Millis(20'000));
  Claim(Identity(2));
  EXPECT_TRUE(Expire().empty());
  world_->AdvanceTime(ports::Millis(10'000));

  const std::vector<ExpiredOperation> expired = Expire();

  ASSERT_EQ(expired.size(), 1U);
  EXPECT_EQ(expired[0].id, Id(1));
  EXPECT_EQ(expired[0].rpc, Identity(1).rpc);
  EXPECT_EQ(expired[0].became, operations::v1::OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(Read(Identity(2)).state(), operations::v1::OPERATION_STATE_RUNNING);
  EXPECT_TRUE(Expire().empty());
}

TEST_P(OperationStoreLease, OldestFirstUpToTheLimit) {
  for (const std::uint8_t number : std::initializer_list<std::uint8_t>{3, 1, 2}) {
    Claim(Identity(number));
    world_->AdvanceTime(ports::Millis(1'000));
  }
  world_->AdvanceTime(kLease);
  const std::vector<ExpiredOperation> first = Expire(2);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].id, Id(3));
  EXPECT_EQ(first[1].id, Id(1));
  const std::vector<ExpiredOperation> second = Expire(2);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].id, Id(2));
}

TEST_P(OperationStoreLease, AFinishedOperationHasNoLease) {
  std::uint8_t number = 0;
  for (const OperationState to :
       {operations::v1::OPERATION_STATE_DONE, operations::v1::OPERATION_STATE_NOT_EXECUTED,
        operations::v1::OPERATION_STATE_NEEDS_REVIEW}) {
    Claim(Identity(++number));
    ASSERT_EQ(Finish(Result(Identity(number), to)), FinishVerdict::kRecorded);
  }
  world_->AdvanceTime(kLease * 2);
  const ports::DueOperations due = TakeDue();
  EXPECT_TRUE(due.expired.empty());
  EXPECT_TRUE(due.to_look_at.empty());
}

TEST_P(OperationStoreLease, TheNextAttemptHasALeaseOfItsOwn) {
  Claim(Identity(1));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  world_->AdvanceTime(ports::Millis(20'000));
  ASSERT_EQ(Claim(Identity(1)).attempt, 2U);
  world_->AdvanceTime(ports::Millis(20'000));
  EXPECT_TRUE(Expire().empty());
  world_->AdvanceTime(ports::Millis(10'000));
  EXPECT_EQ(Expire().size(), 1U);
}

TEST_P(OperationStoreLease, TheOwnerMayStillProveThatNothingWasSent) {
  Claim(Identity(1));
  world_->AdvanceTime(kLease);
  ASSERT_EQ(Expire().size(), 1U);
  EXPECT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1)).attempt, 2U);
}

TEST_P(OperationStoreLease, AFurtherStepIsSentAndTheOneBeforeItDone) {
  Claim(Identity(1));

  ASSERT_TRUE(BeginStep(Identity(1), 1, "owner-1").ok());

  const operations::v1::Operation operation = Read(Identity(1));
  ASSERT_EQ(operation.steps_size(), 2);
  EXPECT_EQ(operation.steps(0).state(), operations::v1::STEP_STATE_DONE);
  EXPECT_EQ(operation.steps(0).name(), "create_order");
  EXPECT_EQ(operation.steps(1).state(), operations::v1::STEP_STATE_SENT);
  EXPECT_EQ(operation.steps(1).name(), "authenticate");
  world_->AdvanceTime(kLease);
  EXPECT_EQ(Claim(Identity(1)).order_id, kOrder);
}

TEST_P(OperationStoreLease, AFurtherStepNeedsTheRunningAttemptItsOwnerAndALiveLease) {
  EXPECT_EQ(BeginStep(Identity(1), 1, "owner-1").code(), absl::StatusCode::kFailedPrecondition);
  Claim(Identity(1));
  EXPECT_EQ(BeginStep(Identity(1), 1, "stranger").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(BeginStep(Identity(1), 2, "owner-1").code(), absl::StatusCode::kFailedPrecondition);
  world_->AdvanceTime(kLease);
  EXPECT_EQ(BeginStep(Identity(1), 1, "owner-1").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Read(Identity(1)).steps_size(), 1);
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(BeginStep(Identity(1), 1, "owner-1").code(), absl::StatusCode::kFailedPrecondition);
}

TEST_P(OperationStoreLease, TheLastThirtyTwoTransitionsAreKeptInOrder) {
  constexpr int kRuns = 20;
  for (int run = 1; run <= kRuns; ++run) {
    const std::string owner = "owner-" + std::to_string(run);
    const ports::ClaimResult claimed = Claim(Identity(1), owner);
    ASSERT_EQ(claimed.verdict, ClaimVerdict::kClaimed);
    ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED,
                            claimed.attempt, owner)),
              FinishVerdict::kRecorded);
  }
  const operations::v1::Operation operation = Read(Identity(1));
  ASSERT_EQ(operation.transitions_size(), 32);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(operation.transitions(i).owner(), "owner-" + std::to_string(5 + i / 2)) << i;
    EXPECT_EQ(operation.transitions(i).number(), static_cast<std::uint32_t>(9 + i));
  }
}

}  // namespace
}  // namespace tollbridge::test
