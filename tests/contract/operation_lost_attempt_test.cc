// An attempt of an epoch that neither the record nor the store has: the store was restarted before
// it and behind it, and lost it (docs/design/operations.md#rule-12).
#include <gtest/gtest.h>

#include <string>

#include "tests/contract/operation_store_fixture.h"
#include "tests/support/operation_records.h"

namespace tollbridge::test {
namespace {

using operations::v1::OPERATION_STATE_DONE;
using operations::v1::OPERATION_STATE_NOT_EXECUTED;
using ports::ClaimVerdict;
using ports::FinishRequest;
using ports::FinishVerdict;
using ports::MarkVerdict;

class LostAttempt : public OperationStoreContractTest {
 protected:
  static constexpr const char* kOther = "5f1c3a52-7a3e-4a53-9e0c-0d7d1f6f0009";

  /// The first attempt is refused, and the second has its effect in the epoch after, of which a
  /// third begins without it.
  void LoseTheSecond() {
    ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kClaimed);
    first_epoch_ = epoch_;
    ASSERT_EQ(Finish(Result(Identity(1), OPERATION_STATE_NOT_EXECUTED)), FinishVerdict::kRecorded);
    const std::string record = world_->Ask({"GET", RecordKey(Identity(1).id)}).text;
    ASSERT_FALSE(record.empty());
    RestartAndForgetTheDoubt();
    const ports::ClaimResult second = Claim(Identity(1));
    ASSERT_EQ(second.verdict, ClaimVerdict::kClaimed);
    ASSERT_EQ(second.attempt, 2U);
    const std::string second_epoch = epoch_;
    ASSERT_NE(second_epoch, first_epoch_);
    world_->Ask({"SET", RecordKey(Identity(1).id), record});
    RestartAndForgetTheDoubt();
    ASSERT_NE(epoch_, second_epoch);
    epoch_ = second_epoch;
  }

  /// An attempt of the store's epoch, which the record knows then.
  void RefuseTheNext() {
    const std::string second_epoch = epoch_;
    ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kClaimed);
    ASSERT_EQ(Finish(Result(Identity(1), OPERATION_STATE_NOT_EXECUTED, 2)),
              FinishVerdict::kRecorded);
    epoch_ = second_epoch;
  }

  void RestartAndForgetTheDoubt() {
    world_->Stop();
    world_->Restart();
    Claim(Identity(7));  // begins the doubt
    world_->AdvanceTime(std::chrono::hours(73));
    Claim(Identity(8));
  }

  FinishRequest LateResult(std::uint32_t attempt) const {
    FinishRequest late = Result(Identity(1), OPERATION_STATE_DONE, attempt);
    late.late_effect_is_orphan = true;
    late.order = Entry();
    late.created_order = true;
    late.step.order_id = kOrder;
    return late;
  }

  std::string first_epoch_;
};

INSTANTIATE_TEST_SUITE_P(Stores, LostAttempt, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

TEST_P(LostAttempt, IsLookedForThoughTheNextServersClockIsBehind) {
  ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kClaimed);
  ASSERT_EQ(Finish(Result(Identity(1), OPERATION_STATE_NOT_EXECUTED)), FinishVerdict::kRecorded);
  world_->AdvanceTime(-std::chrono::seconds(20));
  world_->Stop();
  world_->Restart();
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst)
      << "a second attempt may have gone with the server";
}

TEST_P(LostAttempt, MadeAnOrderThatIsOurs) {
  LoseTheSecond();
  EXPECT_EQ(Judge(Identity(1), 2, kOrder), MarkVerdict::kOurs)
      << "its caller may have been told that it is done";
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst)
      << "its order was seen: the key sends nothing before it has looked";
  EXPECT_FALSE(BeginStep(Identity(1), 2, "owner-1").ok());
}

TEST_P(LostAttempt, ClosesNothingOfAnotherUnknownEpochWithoutAnEffect) {
  ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kClaimed);
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN)),
            FinishVerdict::kRecorded);
  RestartAndForgetTheDoubt();
  epoch_ = "ffffffff";
  EXPECT_EQ(Finish(Result(Identity(1), OPERATION_STATE_NOT_EXECUTED, 3)), FinishVerdict::kNotOurs);
  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_UNKNOWN);
}

TEST_P(LostAttempt, OfAnOrderThatIsAnOrphanStaysOne) {
  LoseTheSecond();
  RefuseTheNext();
  ASSERT_EQ(Judge(Identity(1), 3, kOrder), MarkVerdict::kOrphan);
  const std::string second_epoch = epoch_;
  RestartAndForgetTheDoubt();
  epoch_ = second_epoch;
  EXPECT_EQ(Judge(Identity(1), 3, kOrder), MarkVerdict::kOrphan) << "as it was judged before";
}

TEST_P(LostAttempt, HasAnOutcomeThatIsRecordedWhenItComes) {
  LoseTheSecond();
  EXPECT_EQ(Finish(LateResult(2)), FinishVerdict::kRecorded);
  const operations::v1::Operation operation = Read(Identity(1));
  EXPECT_EQ(operation.state(), OPERATION_STATE_DONE);
  EXPECT_EQ(operation.attempt(), 2U);
  EXPECT_EQ(Judge(Identity(1), 2, kOrder), MarkVerdict::kOurs);
  EXPECT_EQ(Judge(Identity(1), 2, kOther), MarkVerdict::kOrphan);
}

TEST_P(LostAttempt, IsNotOneThatTheRecordKnowsOf) {
  LoseTheSecond();
  epoch_ = "ffffffff";
  EXPECT_EQ(Judge(Identity(1), 1, kOrder), MarkVerdict::kOrphan) << "a number that was given up";
  EXPECT_EQ(Finish(LateResult(1)), FinishVerdict::kLateEffect);
  EXPECT_EQ(Read(Identity(1)).state(), OPERATION_STATE_NOT_EXECUTED);
}

TEST_P(LostAttempt, IsNoneWhereTheRecordIsOfTheStoresEpoch) {
  LoseTheSecond();
  RefuseTheNext();
  EXPECT_EQ(Judge(Identity(1), 3, kOrder), MarkVerdict::kOrphan) << "nothing of it was lost";
}

}  // namespace
}  // namespace tollbridge::test
