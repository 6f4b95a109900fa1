#include <gtest/gtest.h>

#include <vector>

#include "tests/contract/operation_store_fixture.h"
#include "tests/support/fails_with.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::test {
namespace {

using operations::v1::OperationRecord;
using ports::ClaimVerdict;
using ports::FinishVerdict;
using ports::Millis;
using ports::UndrainedOperation;

class OperationOutbox : public OperationStoreContractTest {
 protected:
  static constexpr Millis kDrainLease{20'000};

  std::vector<UndrainedOperation> Take(std::size_t limit = 100) {
    absl::StatusOr<std::vector<UndrainedOperation>> taken =
        Run(world_->outbox().Take("shop", limit, kDrainLease, Within()));
    EXPECT_TRUE(taken.ok()) << taken.status();
    return taken.ok() ? *std::move(taken) : std::vector<UndrainedOperation>{};
  }
  void Drain(const Uuid& id, std::uint32_t number) {
    const absl::Status drained = Run(world_->outbox().Drained("shop", id, number, Within()));
    ASSERT_TRUE(drained.ok()) << drained;
  }
  void RunOnce(const ports::OperationIdentity& identity) {
    const ports::ClaimResult claimed = Claim(identity);
    ASSERT_EQ(claimed.verdict, ClaimVerdict::kClaimed);
    ASSERT_EQ(
        Finish(Result(identity, operations::v1::OPERATION_STATE_NOT_EXECUTED, claimed.attempt)),
        FinishVerdict::kRecorded);
  }
  /// A number in the record's hash; -1 when it is not there.
  std::int64_t Field(const Uuid& id, const std::string& name) {
    return world_->Ask({"HGET", test::ShopKeys() + "o:" + id.ToBytes(), name})
        .AsInteger()
        .value_or(-1);
  }
  bool Keeps(const Uuid& id, const std::string& name) {
    return world_->Ask({"HEXISTS", test::ShopKeys() + "o:" + id.ToBytes(), name}).integer == 1;
  }
  std::int64_t Lifetime(const Uuid& id) {
    return world_->Ask({"PTTL", test::ShopKeys() + "o:" + id.ToBytes()}).integer;
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, OperationOutbox,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(OperationOutbox, EachTransitionIsARecordOfItsOwn) {
  const ports::OperationIdentity identity = Identity(1, kOrder);
  Claim(identity);
  ASSERT_EQ(Finish(Result(identity, operations::v1::OPERATION_STATE_NEEDS_REVIEW)),
            FinishVerdict::kRecorded);

  const std::vector<UndrainedOperation> taken = Take();

  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].id, identity.id);
  ASSERT_EQ(taken[0].records.size(), 2U);
  const OperationRecord& first = taken[0].records[0];
  EXPECT_EQ(first.operation_id(), identity.id.ToString());
  EXPECT_EQ(first.rpc(), identity.rpc);
  EXPECT_EQ(first.project(), "shop");
  EXPECT_EQ(first.order_id(), kOrder);
  EXPECT_EQ(first.transition().number(), 1U);
  EXPECT_EQ(first.transition().attempt(), 1U);
  EXPECT_EQ(first.transition().to(), operations::v1::OPERATION_STATE_RUNNING);
  EXPECT_EQ(first.transition().owner(), "owner-1");
  EXPECT_TRUE(first.transition().has_time());
  EXPECT_FALSE(first.has_review_reason());
  EXPECT_FALSE(first.has_review_of());
  const OperationRecord& second = taken[0].records[1];
  EXPECT_EQ(second.transition().number(), 2U);
  EXPECT_EQ(second.transition().from(), operations::v1::OPERATION_STATE_RUNNING);
  EXPECT_EQ(second.transition().to(), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_EQ(second.transition().evidence(), "seen");
  EXPECT_EQ(second.review_reason(), "AMBIGUOUS_EVIDENCE");
}

TEST_P(OperationOutbox, ReviewRecordsAndOrphansSayWhatTheyAreAbout) {
  RunOnce(Identity(1));
  ASSERT_EQ(Judge(Identity(1), 1, kOrder, true), ports::MarkVerdict::kOrphan);
  const std::vector<UndrainedOperation> taken = Take();
  ASSERT_EQ(taken.size(), 2U);
  const bool operation_first = taken[0].id == Id(1);
  const OperationRecord& note = taken[operation_first ? 0 : 1].records.back();
  EXPECT_EQ(note.orphan_order_id(), kOrder);
  EXPECT_EQ(note.transition().from(), note.transition().to());
  const OperationRecord& review = taken[operation_first ? 1 : 0].records.front();
  EXPECT_EQ(review.review_of(), Id(1).ToString());
  EXPECT_EQ(review.review_reason(), "ORPHAN_PAID");
  EXPECT_EQ(review.order_id(), kOrder);
}

TEST_P(OperationOutbox, WhatIsTakenIsLeftAloneUntilTheLeaseEndsAndRepeatsAreExactCopies) {
  Claim(Identity(1));
  const std::vector<UndrainedOperation> first = Take();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_TRUE(Take().empty());
  // What came meanwhile waits too, and the order that is known by then is not written back.
  ports::FinishRequest done = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  done.step = Step(kOrder);
  ASSERT_EQ(Finish(done), FinishVerdict::kRecorded);
  EXPECT_TRUE(Take().empty());
  world_->AdvanceTime(kDrainLease);

  const std::vector<UndrainedOperation> second = Take();

  ASSERT_EQ(second.size(), 1U);
  ASSERT_EQ(second[0].records.size(), 2U);
  EXPECT_EQ(second[0].records[0].SerializeAsString(), first[0].records[0].SerializeAsString());
}

TEST_P(OperationOutbox, WhatIsDrainedIsNotTakenAgain) {
  RunOnce(Identity(1));
  ASSERT_EQ(Take().size(), 1U);
  Drain(Id(1), 1);

  const std::vector<UndrainedOperation> rest = Take();

  ASSERT_EQ(rest.size(), 1U) << "draining ends the lease";
  ASSERT_EQ(rest[0].records.size(), 1U);
  EXPECT_EQ(rest[0].records[0].transition().number(), 2U);
  Drain(Id(1), 2);
  world_->AdvanceTime(kDrainLease);
  EXPECT_TRUE(Take().empty());
  Drain(Id(1), 1);
  EXPECT_TRUE(Take().empty()) << "a late repeat takes nothing back";
  EXPECT_EQ(Read(Identity(1)).transitions_size(), 2) << "the last ones stay";
}

TEST_P(OperationOutbox, OldestFirstUpToTheLimitPastThoseThatAreTaken) {
  for (const std::uint8_t number : std::initializer_list<std::uint8_t>{3, 1, 2}) {
    Claim(Identity(number));
    world_->AdvanceTime(Millis(10));
  }
  const std::vector<UndrainedOperation> first = Take(1);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].id, Id(3));
  const std::vector<UndrainedOperation> second = Take(1);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].id, Id(1));
}

TEST_P(OperationOutbox, TheSurveySaysHowLongTheOldestTransitionWaits) {
  EXPECT_EQ(Survey().oldest_record.count(), 0);
  Claim(Identity(1));
  world_->AdvanceTime(Millis(10'000));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN)),
            FinishVerdict::kRecorded);
  ASSERT_EQ(Take().size(), 1U);
  world_->AdvanceTime(Millis(5'000));
  EXPECT_GE(Survey().oldest_record, Millis(15'000)) << "a taker that fails does not hide it";
  Drain(Id(1), 1);
  EXPECT_GE(Survey().oldest_record, Millis(5'000));
  EXPECT_LT(Survey().oldest_record, Millis(15'000));
  Drain(Id(1), 2);
  EXPECT_EQ(Survey().oldest_record.count(), 0);
}

TEST_P(OperationOutbox, AClosedRecordExpiresOnlyAfterItIsDrained) {
  RunOnce(Identity(1));
  EXPECT_EQ(Lifetime(Id(1)), -1);
  Drain(Id(1), 1);
  EXPECT_EQ(Lifetime(Id(1)), -1);
  Drain(Id(1), 2);
  EXPECT_GT(Lifetime(Id(1)), 0);
  ASSERT_EQ(Judge(Identity(1), 1, kOrder), ports::MarkVerdict::kOrphan);
  EXPECT_EQ(Lifetime(Id(1)), -1) << "there is something to drain again";
  Drain(Id(1), 3);
  EXPECT_GT(Lifetime(Id(1)), 0);
}

TEST_P(OperationOutbox, TransitionsAreDroppedOnceDrainedButForTheLastOnes) {
  for (int i = 0; i < 20; ++i) RunOnce(Identity(1));
  ASSERT_EQ(Field(Id(1), "tn"), 40);
  EXPECT_TRUE(Keeps(Id(1), "t1")) << "not drained";
  Drain(Id(1), 20);
  EXPECT_FALSE(Keeps(Id(1), "t8"));
  EXPECT_TRUE(Keeps(Id(1), "t9"));
  RunOnce(Identity(1));
  EXPECT_FALSE(Keeps(Id(1), "t10"));
  EXPECT_TRUE(Keeps(Id(1), "t11"));
  Drain(Id(1), 42);
  EXPECT_FALSE(Keeps(Id(1), "t10"));
  EXPECT_TRUE(Keeps(Id(1), "t11"));
  EXPECT_EQ(Read(Identity(1)).transitions_size(), 32);
}

TEST_P(OperationOutbox, ARecordThatNobodyDrainsTakesNoMoreClaims) {
  for (int i = 0; i < 48; ++i) RunOnce(Identity(1, kOrder));
  ASSERT_EQ(Field(Id(1), "tn"), 96);

  const absl::Status refused = TryClaim(Identity(1, kOrder)).status();

  EXPECT_THAT(refused, FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kClaimed) << "it took no gate";
  Drain(Id(1), 1);
  ASSERT_EQ(Finish(Result(Identity(2, kOrder), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1, kOrder)).verdict, ClaimVerdict::kClaimed);
}

TEST_P(OperationOutbox, AnEntryWhoseRecordIsGoneIsDropped) {
  Claim(Identity(1));
  world_->Ask({"DEL", test::ShopKeys() + "o:" + Id(1).ToBytes()});
  EXPECT_TRUE(Take().empty());
  EXPECT_EQ(world_->Ask({"ZCARD", test::ShopKeys() + "operations:undrained"}).integer, 0);
}

}  // namespace
}  // namespace tollbridge::test
