#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/contract/operation_store_fixture.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::test {
namespace {

using std::chrono::seconds;

/// Records that a later version made or that are damaged, and what is said of who asked.
class DamagedRecords : public OperationStoreContractTest {
 protected:
  void SetField(std::uint8_t number, const std::string& name, const std::string& value) {
    world_->Ask({"HSET", KeysOf("shop") + "o:" + Id(number).ToBytes(), name, value});
  }
};

/// The owner of two died; the step of one is damaged. The other has to be closed all the same.
TEST_P(DamagedRecords, ADamagedStepOfARunningOperationHoldsUpNoOther) {
  Claim(Identity(1));
  Claim(Identity(2));
  SetField(1, "p1", "Sdamaged");
  world_->AdvanceTime(kLease + seconds(1));
  const auto due = Run(world_->unresolved().TakeDue("shop", 100, "token-1", kLease, Within()));
  EXPECT_TRUE(due.ok()) << due.status();
  EXPECT_EQ(Read(Identity(2)).state(), operations::v1::OPERATION_STATE_UNKNOWN);
}

TEST_P(DamagedRecords, ARunningOperationWithoutItsLeaseHoldsUpNoOther) {
  Claim(Identity(1));
  Claim(Identity(2));
  world_->Ask({"HDEL", KeysOf("shop") + "o:" + Id(1).ToBytes(), "l"});
  world_->AdvanceTime(kLease + seconds(1));
  const auto due = Run(world_->unresolved().TakeDue("shop", 100, "token-1", kLease, Within()));
  EXPECT_TRUE(due.ok()) << due.status();
}

/// The list of an order must not expire while an operation in a later version's state is in it.
TEST_P(DamagedRecords, TheListOfAnOrderKeepsWhatIsOpenInALaterVersionsState) {
  ports::OperationIdentity first = Identity(1);
  const ports::ClaimRequest request{.identity = first,
                                    .owner = "owner-1",
                                    .lease = kLease,
                                    .good_for = seconds(5),
                                    .first_step = Step(kOrder)};
  ASSERT_TRUE(Run(world_->operations().Claim(request, Within())).ok());
  SetField(1, "s", "W");
  const std::string list = KeysOf("shop") + "i:" + kOrder;
  world_->Ask({"PERSIST", list});
  ports::ClaimRequest other = request;
  other.identity = Identity(2);
  ASSERT_TRUE(Run(world_->operations().Claim(other, Within())).ok());
  EXPECT_EQ(world_->Ask({"PTTL", list}).integer, -1) << "it expires while one in it is open";
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
  ASSERT_EQ(taken->size(), 1U);
  EXPECT_EQ(taken->at(0).records.at(0).transition().caller(), "spiffe://shop/backend");
}

TEST_P(DamagedRecords, ANumberThatIsNoneHoldsUpNoOther) {
  Claim(Identity(1));
  Claim(Identity(2));
  SetField(1, "tn", "many");
  SetField(1, "td", "many");
  world_->AdvanceTime(kLease + seconds(1));
  const auto due = Run(world_->unresolved().TakeDue("shop", 100, "token-1", kLease, Within()));
  ASSERT_TRUE(due.ok()) << due.status();
  EXPECT_EQ(due->unreadable, std::vector<Uuid>{Id(1)});
  EXPECT_EQ(Read(Identity(2)).state(), operations::v1::OPERATION_STATE_UNKNOWN);
  const auto taken = Run(world_->outbox().Take("shop", 10, kLease, Within()));
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Stores, DamagedRecords, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

}  // namespace
}  // namespace tollbridge::test
