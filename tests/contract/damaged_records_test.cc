#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/contract/operation_store_fixture.h"
#include "tests/support/operation_records.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::test {
namespace {

using std::chrono::seconds;

/// Records that a later version made or that are damaged, and what is said of who asked.
class DamagedRecords : public OperationStoreContractTest {
 protected:
  void SetField(std::uint8_t number, const std::string& name, const std::string& value) {
    world_->Ask(test::SetField(RecordKey(Id(number)), name, value));
  }
  void Damage(std::uint8_t number) { world_->Ask({"SET", RecordKey(Id(number)), "damaged"}); }
};

/// The owner of two died; the record of one is damaged. The other has to be closed all the same.
TEST_P(DamagedRecords, ADamagedRunningOperationHoldsUpNoOther) {
  Claim(Identity(1));
  Claim(Identity(2));
  Damage(1);
  world_->AdvanceTime(kLease + seconds(1));
  const auto due = Run(world_->unresolved().TakeDue("shop", 100, "token-1", kLease, Within()));
  ASSERT_TRUE(due.ok()) << due.status();
  EXPECT_EQ(due->unreadable, std::vector<Uuid>{Id(1)});
  EXPECT_EQ(Read(Identity(2)).state(), operations::v1::OPERATION_STATE_UNKNOWN);
}

TEST_P(DamagedRecords, AStepThatIsNoneHoldsUpNoOther) {
  Claim(Identity(1));
  Claim(Identity(2));
  SetField(1, "p", "damaged");
  world_->AdvanceTime(kLease + seconds(1));
  const auto due = Run(world_->unresolved().TakeDue("shop", 100, "token-1", kLease, Within()));
  EXPECT_TRUE(due.ok()) << due.status();
  EXPECT_EQ(Read(Identity(2)).state(), operations::v1::OPERATION_STATE_UNKNOWN);
}

/// A record that cannot be read is open: nobody changes it, its key does not run and its order is
/// not free.
TEST_P(DamagedRecords, NobodyChangesARecordOfALaterVersion) {
  const ports::ClaimResult claim = Claim(Identity(1, kOrder));
  SetField(1, "V", "2");
  const std::string before = world_->Ask({"GET", RecordKey(Id(1))}).text;
  const ports::ClaimResult again = Claim(Identity(1, kOrder), "owner-2");
  EXPECT_EQ(again.verdict, ports::ClaimVerdict::kPending);
  EXPECT_EQ(again.state, operations::v1::OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ports::ClaimVerdict::kOrderBusy);
  EXPECT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_DONE)),
            ports::FinishVerdict::kNotOurs);
  Release(Identity(1, kOrder));
  EXPECT_FALSE(BeginStep(Identity(1, kOrder), claim.attempt, "owner-1").ok());
  EXPECT_FALSE(TryRead(Id(1)).ok());
  EXPECT_FALSE(Run(world_->registry().Close(
                       {.project = "shop", .id = Id(1), .to = operations::v1::OPERATION_STATE_DONE},
                       Within()))
                   .ok());
  world_->AdvanceTime(kLease + seconds(1));
  EXPECT_EQ(TakeDue().unreadable, std::vector<Uuid>{Id(1)});
  EXPECT_EQ(world_->Ask({"GET", RecordKey(Id(1))}).text, before);
  SetField(1, "V", "1");
  world_->AdvanceTime(kLease + seconds(1));
  EXPECT_EQ(TakeDue().to_look_at.size(), 1U) << "and it comes again for who can read it";
}

/// A later version's fields are not lost by what we do to its record.
TEST_P(DamagedRecords, AFieldOfALaterVersionStays) {
  Claim(Identity(1));
  SetField(1, "zz", "later");
  Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED));
  Claim(Identity(1));
  EXPECT_EQ(world_->Ask(GetField(RecordKey(Id(1)), "zz")).text, "later");
}

TEST_P(DamagedRecords, ARunningOperationWithoutItsLeaseHoldsUpNoOther) {
  Claim(Identity(1));
  Claim(Identity(2));
  SetField(1, "l", "");
  world_->AdvanceTime(kLease + seconds(1));
  const auto due = Run(world_->unresolved().TakeDue("shop", 100, "token-1", kLease, Within()));
  EXPECT_TRUE(due.ok()) << due.status();
}

/// The list of an order keeps what is open, however many others name the order.
TEST_P(DamagedRecords, TheListOfAnOrderKeepsWhatIsOpenInALaterVersionsState) {
  ports::OperationIdentity first = Identity(1);
  const ports::ClaimRequest request{.identity = first,
                                    .owner = "owner-1",
                                    .lease = kLease,
                                    .good_for = seconds(5),
                                    .first_step = Step(kOrder)};
  const auto claimed = Run(world_->operations().Claim(request, Within()));
  ASSERT_TRUE(claimed.ok()) << claimed.status();
  epoch_ = claimed->epoch;
  SetField(1, "s", "W");
  for (std::uint8_t number = 2; number < 80; ++number) {
    ports::ClaimRequest other = request;
    other.identity = Identity(number);
    ASSERT_TRUE(Run(world_->operations().Claim(other, Within())).ok());
    Finish(Result(other.identity, operations::v1::OPERATION_STATE_DONE));
  }
  const std::string list = KeysOf("shop") + "i:" + kOrder;
  EXPECT_EQ(world_->Ask({"ZCARD", list}).integer, 64);
  EXPECT_FALSE(world_->Ask({"ZSCORE", list, Id(1).ToBytes()}).is_nil());
}

/// A result that makes its record is where its attempt begins as far as the topic knows.
TEST_P(DamagedRecords, ARecordThatAResultMakesSaysWhoAsked) {
  ports::OperationIdentity identity = Identity(1);
  identity.caller = "spiffe://shop/backend";
  Claim(identity);
  world_->LoseMemory();
  Finish(Result(identity, operations::v1::OPERATION_STATE_DONE));
  const operations::v1::Operation found = Read(identity);
  EXPECT_EQ(found.caller(), "spiffe://shop/backend");
  ASSERT_EQ(found.transitions_size(), 1);
  EXPECT_EQ(found.transitions(0).caller(), "spiffe://shop/backend");
}

TEST_P(DamagedRecords, AClaimsCallerIsInTheRecordAndWhereTheAttemptBegins) {
  ports::OperationIdentity identity = Identity(1);
  identity.caller = "spiffe://shop/backend";
  const ports::ClaimResult claim = Claim(identity);
  Finish(Result(identity, operations::v1::OPERATION_STATE_DONE, claim.attempt));
  const operations::v1::Operation found = Read(identity);
  EXPECT_EQ(found.caller(), "spiffe://shop/backend");
  ASSERT_EQ(found.transitions_size(), 2);
  EXPECT_EQ(found.transitions(0).caller(), "spiffe://shop/backend");
  EXPECT_FALSE(found.transitions(1).has_caller());
  const auto taken = Run(world_->outbox().Take("shop", 10, kLease, Within()));
  ASSERT_TRUE(taken.ok()) << taken.status();
  ASSERT_EQ(taken->size(), 2U);
  EXPECT_EQ(taken->at(0).record.transition().caller(), "spiffe://shop/backend");
}

TEST_P(DamagedRecords, ANumberThatIsNoneHoldsUpNoOther) {
  Claim(Identity(1));
  Claim(Identity(2));
  SetField(1, "n", "many");
  SetField(1, "l", "many");
  world_->AdvanceTime(kLease + seconds(1));
  const auto due = Run(world_->unresolved().TakeDue("shop", 100, "token-1", kLease, Within()));
  ASSERT_TRUE(due.ok()) << due.status();
  EXPECT_EQ(due->unreadable, std::vector<Uuid>{Id(1)});
  EXPECT_EQ(Read(Identity(2)).state(), operations::v1::OPERATION_STATE_UNKNOWN);
}

/// Nor does one that is to be retired: it stays as it is, and its key does not run again.
TEST_P(DamagedRecords, OneThatCannotBeRetiredStaysAndHoldsUpNoOther) {
  for (const std::uint8_t number : std::initializer_list<std::uint8_t>{1, 2, 3, 4}) {
    Claim(Identity(number));
    Finish(Result(Identity(number), operations::v1::OPERATION_STATE_DONE));
  }
  const auto taken = Run(world_->outbox().Take("shop", 10, kLease, Within()));
  ASSERT_TRUE(taken.ok()) << taken.status();
  ASSERT_TRUE(Run(world_->outbox().Drained("shop", *taken, Within())).ok());
  SetField(2, "k", "");
  SetField(4, "V", "2");
  world_->AdvanceTime(std::chrono::hours(73));
  const auto retired = Run(world_->outbox().Retire("shop", 10, Within()));
  ASSERT_TRUE(retired.ok()) << retired.status();
  EXPECT_EQ(Claim(Identity(1)).verdict, ports::ClaimVerdict::kNotKept);
  EXPECT_EQ(Claim(Identity(3)).verdict, ports::ClaimVerdict::kNotKept);
  EXPECT_EQ(Claim(Identity(2)).verdict, ports::ClaimVerdict::kKeyUnknown);
  EXPECT_EQ(Claim(Identity(4)).verdict, ports::ClaimVerdict::kPending) << "a later version's";
  SetField(2, "k", "k1");
  SetField(4, "V", "1");
  world_->AdvanceTime(std::chrono::hours(73));
  EXPECT_TRUE(Run(world_->outbox().Retire("shop", 10, Within())).ok());
  EXPECT_EQ(Claim(Identity(2)).verdict, ports::ClaimVerdict::kNotKept) << "mended, it goes too";
  EXPECT_EQ(Claim(Identity(4)).verdict, ports::ClaimVerdict::kNotKept);
}

/// Nor does a transition that this version cannot read.
TEST_P(DamagedRecords, ATransitionThatIsNoneHoldsUpNoOther) {
  world_->Ask({"XADD", KeysOf("shop") + "operations:transitions", "*", "i", "short", "t", "none"});
  Claim(Identity(1));
  const auto taken = Run(world_->outbox().Take("shop", 10, kLease, Within()));
  ASSERT_TRUE(taken.ok()) << taken.status();
  ASSERT_EQ(taken->size(), 1U);
  EXPECT_EQ(taken->at(0).record.operation_id(), Id(1).ToString());
}

TEST_P(DamagedRecords, NorDoMoreOfThemThanAreTakenAtATime) {
  const std::string stream = KeysOf("shop") + "operations:transitions";
  for (int i = 0; i < 7; ++i) world_->Ask({"XADD", stream, "*", "i", "short", "t", "none"});
  const auto none = Run(world_->outbox().Take("shop", 3, kLease, Within()));
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_TRUE(none->empty());
  EXPECT_EQ(world_->Ask({"EXISTS", KeysOf("shop") + "operations:drainer"}).integer, 0)
      << "nobody is kept away for them";
  Claim(Identity(1));
  Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE));
  const auto taken = Run(world_->outbox().Take("shop", 3, kLease, Within()));
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->size(), 2U);
  EXPECT_EQ(world_->Ask({"XLEN", stream}).integer, 9);
}

INSTANTIATE_TEST_SUITE_P(Stores, DamagedRecords, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

}  // namespace
}  // namespace tollbridge::test
