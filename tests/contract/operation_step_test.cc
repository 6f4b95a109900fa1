// The further steps of a plan, at the store: each is SENT before its first byte, the gate of an
// order that the operation has made itself is taken with it, and what a failover lost comes back
// with the result.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/contract/operation_store_fixture.h"

namespace tollbridge::test {
namespace {

using ports::ClaimVerdict;
using ports::FinishRequest;
using ports::FinishVerdict;
using ports::OperationState;

class OperationStep : public OperationStoreContractTest {
 protected:
  /// A step about the order that the first one made.
  absl::Status BeginAbout(std::uint8_t number, const std::string& order,
                          const std::string& name = "pay", const std::string& owner = "owner-1") {
    const ports::ClaimResult claim{.attempt = 1, .epoch = epoch_};
    return Run(world_->operations().BeginStep(Identity(number, order), claim, owner,
                                              {.name = name, .order_id = order}, kLease, Within()));
  }
  void FailOver() {
    world_->Stop();
    world_->Restart();
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, OperationStep, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

TEST_P(OperationStep, TakesTheGateOfTheOrderThatExistsNow) {
  Claim(Identity(1));
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kClaimed) << "nobody holds it yet";
  ASSERT_EQ(Finish(Result(Identity(2, kOrder), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);

  ASSERT_TRUE(BeginAbout(1, kOrder).ok());

  const ports::ClaimResult busy = Claim(Identity(3, kOrder));
  EXPECT_EQ(busy.verdict, ClaimVerdict::kOrderBusy);
  EXPECT_EQ(busy.holder, Id(1).ToString());
  ASSERT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_UNKNOWN)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(3, kOrder)).verdict, ClaimVerdict::kOrderBusy) << "UNKNOWN keeps it";
  const ports::DueOperations due = [this] {
    world_->AdvanceTime(kLease);
    return TakeDue();
  }();
  ASSERT_EQ(due.to_look_at.size(), 1U);
  EXPECT_EQ(due.to_look_at[0].identity.gate_order, kOrder);
  ASSERT_EQ(Finish(Conclusion(due.to_look_at[0].identity, operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(3, kOrder)).verdict, ClaimVerdict::kClaimed);
}

TEST_P(OperationStep, IsRefusedWhereAnotherHoldsTheGateAndThenNothingChanges) {
  Claim(Identity(2, kOrder));
  Claim(Identity(1));
  EXPECT_EQ(BeginAbout(1, kOrder).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Read(Identity(1)).steps_size(), 1);
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(3, kOrder)).verdict, ClaimVerdict::kOrderBusy) << "the holder's still";
}

TEST_P(OperationStep, TheNextAttemptTakesTheGateOfItsOwnOrder) {
  Claim(Identity(1));
  ASSERT_TRUE(BeginAbout(1, kOrder).ok());
  ASSERT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  ASSERT_EQ(Claim(Identity(1)).attempt, 2U);
  const ports::ClaimResult claim{.attempt = 2, .epoch = epoch_};
  const absl::Status begun = Run(
      world_->operations().BeginStep(Identity(1, kOtherOrder), claim, "owner-1",
                                     {.name = "pay", .order_id = kOtherOrder}, kLease, Within()));
  ASSERT_TRUE(begun.ok()) << begun;
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(Claim(Identity(3, kOtherOrder)).verdict, ClaimVerdict::kOrderBusy);
}

TEST_P(OperationStep, RenewsTheLease) {
  Claim(Identity(1));
  world_->AdvanceTime(kLease - ports::Millis(1'000));
  ASSERT_TRUE(BeginAbout(1, kOrder).ok());
  world_->AdvanceTime(kLease - ports::Millis(1'000));
  EXPECT_TRUE(TakeDue().expired.empty());
  EXPECT_TRUE(BeginAbout(1, kOrder, "more").ok());
  world_->AdvanceTime(kLease);
  EXPECT_EQ(TakeDue().expired.size(), 1U);
}

TEST_P(OperationStep, WhatADueOperationMayLackIsKnownByItsEpoch) {
  Claim(Identity(1));
  world_->AdvanceTime(kLease);
  ports::DueOperations due = TakeDue();
  ASSERT_EQ(due.to_look_at.size(), 1U);
  EXPECT_FALSE(due.to_look_at[0].may_lack_steps);
  FailOver();
  ASSERT_EQ(Claim(Identity(2)).verdict, ClaimVerdict::kLookFirst);
  ASSERT_TRUE(BeginStep(Identity(2), 1, "owner-1").ok());
  world_->AdvanceTime(kLease);
  due = TakeDue();
  ASSERT_EQ(due.to_look_at.size(), 2U);
  for (const ports::DueOperation& operation : due.to_look_at) {
    EXPECT_EQ(operation.may_lack_steps, operation.identity.id == Id(1));
  }
}

/// The failover lost the second step's SENT; its sender answers.
TEST_P(OperationStep, AStepThatTheRecordLacksComesWithItsResult) {
  for (const OperationState to :
       {operations::v1::OPERATION_STATE_DONE, operations::v1::OPERATION_STATE_UNKNOWN}) {
    const std::uint8_t number = to == operations::v1::OPERATION_STATE_DONE ? 1 : 2;
    Claim(Identity(number));
    FinishRequest result = Result(Identity(number, kOrder), to);
    result.step = {.name = "pay", .order_id = kOrder, .transaction_id = "t"};
    result.step_number = 2;
    result.sent_ago = ports::Millis(0);
    ASSERT_EQ(Finish(result), FinishVerdict::kRecorded);
    const operations::v1::Operation operation = Read(Identity(number));
    ASSERT_EQ(operation.steps_size(), 2);
    EXPECT_EQ(operation.steps(0).name(), "create_order");
    EXPECT_EQ(operation.steps(0).state(), operations::v1::STEP_STATE_DONE);
    EXPECT_EQ(operation.steps(1).name(), "pay");
    EXPECT_EQ(operation.steps(1).order_id(), kOrder);
    EXPECT_EQ(operation.steps(1).state(), to == operations::v1::OPERATION_STATE_DONE
                                              ? operations::v1::STEP_STATE_DONE
                                              : operations::v1::STEP_STATE_UNKNOWN);
    EXPECT_EQ(operation.order_id(), kOrder);
  }
}

}  // namespace
}  // namespace tollbridge::test
