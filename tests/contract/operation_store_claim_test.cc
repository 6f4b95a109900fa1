#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <vector>

#include "tests/contract/operation_store_fixture.h"

namespace tollbridge::test {
namespace {

using ports::ClaimResult;
using ports::ClaimVerdict;
using ports::FinishRequest;
using ports::FinishVerdict;
using ports::OperationIdentity;
using ports::OperationState;

class OperationStoreClaim : public OperationStoreContractTest {};

INSTANTIATE_TEST_SUITE_P(Stores, OperationStoreClaim,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(OperationStoreClaim, UnknownKeyIsClaimedAndItsFirstStepIsSent) {
  const OperationIdentity identity = Identity(1);
  const WallTime before = world_->Now();

  const ClaimResult result = Claim(identity);

  EXPECT_EQ(result.verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(result.attempt, 1U);
  EXPECT_EQ(result.epoch.size(), 8U);
  const operations::v1::Operation operation = Read(identity);
  EXPECT_EQ(operation.id(), identity.id.ToString());
  EXPECT_EQ(operation.rpc(), identity.rpc);
  EXPECT_EQ(operation.project(), "shop");
  EXPECT_EQ(operation.state(), operations::v1::OPERATION_STATE_RUNNING);
  EXPECT_EQ(operation.attempt(), 1U);
  EXPECT_GE(operation.created().seconds() + 1, before.time_since_epoch().count() / 1000);
  ASSERT_EQ(operation.steps_size(), 1);
  EXPECT_EQ(operation.steps(0).name(), "create_order");
  EXPECT_EQ(operation.steps(0).state(), operations::v1::STEP_STATE_SENT);
  EXPECT_TRUE(operation.steps(0).has_sent_at());
  EXPECT_EQ(operation.steps(0).amount(), 1250);
  EXPECT_EQ(operation.steps(0).currency(), "EUR");
  EXPECT_EQ(operation.steps(0).merchant_order_id(), "m-1");
  EXPECT_FALSE(operation.steps(0).has_order_id());
  ASSERT_EQ(operation.transitions_size(), 1);
  EXPECT_EQ(operation.transitions(0).from(), operations::v1::OPERATION_STATE_UNSPECIFIED);
  EXPECT_EQ(operation.transitions(0).to(), operations::v1::OPERATION_STATE_RUNNING);
  EXPECT_EQ(operation.transitions(0).owner(), "owner-1");
}

TEST_P(OperationStoreClaim, RunningUnderALiveLeaseIsInProgressUntilItsEnd) {
  const OperationIdentity identity = Identity(1);
  Claim(identity);
  world_->AdvanceTime(ports::Millis(10'000));

  const ClaimResult result = Claim(identity, "owner-2");

  EXPECT_EQ(result.verdict, ClaimVerdict::kInProgress);
  EXPECT_EQ(result.state, operations::v1::OPERATION_STATE_RUNNING);
  EXPECT_EQ(result.attempt, 1U);
  EXPECT_GT(result.retry_after.count(), 0);
  EXPECT_LE(result.retry_after, kLease - ports::Millis(10'000));
  EXPECT_LE(result.since, world_->Now() - ports::Millis(10'000));
}

TEST_P(OperationStoreClaim, RunningWithAnEndedLeaseBecomesUnknownAndIsPending) {
  const OperationIdentity identity = Identity(1);
  Claim(identity);
  world_->AdvanceTime(kLease);

  const ClaimResult result = Claim(identity, "owner-2");

  EXPECT_EQ(result.verdict, ClaimVerdict::kPending);
  EXPECT_EQ(result.state, operations::v1::OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(result.attempt, 1U);
  EXPECT_LE(result.since, world_->Now());
  EXPECT_GT(result.since, world_->Now() - kLease);
  const operations::v1::Operation operation = Read(identity);
  EXPECT_EQ(operation.state(), operations::v1::OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(operation.steps(0).state(), operations::v1::STEP_STATE_UNKNOWN);
  EXPECT_EQ(operation.steps(0).amount(), 1250);
}

TEST_P(OperationStoreClaim, DoneAnswersTheStoredOutcomeByteForByte) {
  const OperationIdentity identity = Identity(1);
  Claim(identity);
  ports::FinishRequest request = Result(identity, operations::v1::OPERATION_STATE_DONE);
  request.outcome = std::string("\0\r\n\xff sealed $5\r\n", 15);
  ASSERT_EQ(Finish(request), FinishVerdict::kRecorded);

  const ClaimResult result = Claim(identity, "owner-2");

  EXPECT_EQ(result.verdict, ClaimVerdict::kDone);
  EXPECT_EQ(result.outcome, request.outcome);
  EXPECT_EQ(result.attempt, 1U);
}

TEST_P(OperationStoreClaim, UnknownAndNeedsReviewArePendingWithTheirOrder) {
  for (const OperationState state :
       {operations::v1::OPERATION_STATE_UNKNOWN, operations::v1::OPERATION_STATE_NEEDS_REVIEW}) {
    const OperationIdentity identity = Identity(static_cast<std::uint8_t>(state));
    Claim(identity);
    ports::FinishRequest request = Result(identity, state);
    request.step = Step(kOrder);
    ASSERT_EQ(Finish(request), FinishVerdict::kRecorded);

    const ClaimResult result = Claim(identity, "owner-2");

    EXPECT_EQ(result.verdict, ClaimVerdict::kPending);
    EXPECT_EQ(result.state, state);
    EXPECT_EQ(result.order_id, kOrder);
  }
}

TEST_P(OperationStoreClaim, NotExecutedRunsAgainAsTheNextAttempt) {
  const OperationIdentity identity = Identity(1);
  Claim(identity);
  ASSERT_TRUE(BeginStep(identity, 1, "owner-1").ok());
  ASSERT_EQ(Finish(Result(identity, operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);

  const ClaimResult result = Claim(identity, "owner-2");

  EXPECT_EQ(result.verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(result.attempt, 2U);
  const operations::v1::Operation operation = Read(identity);
  EXPECT_EQ(operation.attempt(), 2U);
  ASSERT_EQ(operation.steps_size(), 1);
  EXPECT_EQ(operation.steps(0).state(), operations::v1::STEP_STATE_SENT);
  EXPECT_FALSE(operation.steps(0).has_order_id());
  ASSERT_EQ(operation.transitions_size(), 3);
  EXPECT_EQ(operation.transitions(2).from(), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(operation.transitions(2).owner(), "owner-2");
  // Nor is the last attempt's order said to be this one's.
  world_->AdvanceTime(kLease);
  EXPECT_EQ(Claim(identity).order_id, "");
}

TEST_P(OperationStoreClaim, AnotherFingerprintIsAReusedKeyInEveryState) {
  OperationIdentity other = Identity(1);
  other.fingerprints = {{.key_id = "k1", .digest = "another"}};
  Claim(Identity(1));
  EXPECT_EQ(Claim(other).verdict, ClaimVerdict::kKeyReused);
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(other).verdict, ClaimVerdict::kKeyReused);
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(other).verdict, ClaimVerdict::kKeyReused);
  EXPECT_EQ(Claim(Identity(1)).attempt, 2U);
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE, 2)),
            FinishVerdict::kRecorded);
  const ClaimResult result = Claim(other);
  EXPECT_EQ(result.verdict, ClaimVerdict::kKeyReused);
  EXPECT_TRUE(result.outcome.empty());
}

TEST_P(OperationStoreClaim, AReusedKeyDoesNotCloseARunningOperationWhoseLeaseEnded) {
  OperationIdentity other = Identity(1);
  other.fingerprints = {{.key_id = "k1", .digest = "another"}};
  Claim(Identity(1));
  world_->AdvanceTime(kLease);

  EXPECT_EQ(Claim(other).verdict, ClaimVerdict::kKeyReused);
  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_RUNNING);
}

TEST_P(OperationStoreClaim, ARotatedKeyStillKnowsWhatWasWrittenUnderTheOldOne) {
  Claim(Identity(1));
  OperationIdentity rotated = Identity(1);
  rotated.fingerprints = {{.key_id = "k2", .digest = "fresh"},
                          {.key_id = "k1", .digest = "digest"}};
  EXPECT_EQ(Claim(rotated).verdict, ClaimVerdict::kInProgress);
  rotated.fingerprints[1].digest = "another";
  EXPECT_EQ(Claim(rotated).verdict, ClaimVerdict::kKeyReused);
}

TEST_P(OperationStoreClaim, ARecordUnderAKeyThatNobodyGivesIsNotAnswered) {
  Claim(Identity(1));
  OperationIdentity rotated = Identity(1);
  rotated.fingerprints = {{.key_id = "k2", .digest = "digest"}};
  EXPECT_EQ(Claim(rotated).verdict, ClaimVerdict::kKeyUnknown);
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  const ClaimResult done = Claim(rotated);
  EXPECT_EQ(done.verdict, ClaimVerdict::kKeyUnknown);
  EXPECT_TRUE(done.outcome.empty());
}

TEST_P(OperationStoreClaim, OfTwoHundredClaimsAtOnceExactlyOneWins) {
  constexpr std::size_t kClaims = 200;
  const OperationIdentity identity = Identity(1);
  std::vector<ClaimResult> results;
  for (std::size_t i = 0; i < kClaims; ++i) {
    const ports::ClaimRequest request{.identity = identity,
                                      .owner = "owner-" + std::to_string(i),
                                      .lease = kLease,
                                      .good_for = std::chrono::seconds(5),
                                      .first_step = Step()};
    auto claim = [](ports::OperationStore& store, ports::ClaimRequest mine,
                    std::vector<ClaimResult>& all) -> boost::asio::awaitable<void> {
      const absl::StatusOr<ClaimResult> result = co_await store.Claim(mine, Within());
      all.push_back(result.value());
    };
    boost::asio::co_spawn(world_->context(), claim(world_->operations(), request, results),
                          boost::asio::detached);
  }
  ASSERT_TRUE(RunUntil(world_->context(), [&] { return results.size() == kClaims; }));

  EXPECT_EQ(std::ranges::count(results, ClaimVerdict::kClaimed, &ClaimResult::verdict), 1);
  EXPECT_EQ(std::ranges::count(results, ClaimVerdict::kInProgress, &ClaimResult::verdict), 199);
}

TEST_P(OperationStoreClaim, AnOrderHeldByAnotherOperationIsBusy) {
  Claim(Identity(1, kOrder));

  const ClaimResult busy = Claim(Identity(2, kOrder));

  EXPECT_EQ(busy.verdict, ClaimVerdict::kOrderBusy);
  EXPECT_EQ(busy.holder, Id(1).ToString());
  EXPECT_EQ(TryRead(Id(2)).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Claim(Identity(3, kOtherOrder)).verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(Claim(Identity(4)).verdict, ClaimVerdict::kClaimed);
}

TEST_P(OperationStoreClaim, DoneAndNotExecutedFreeTheOrder) {
  Claim(Identity(1, kOrder));
  ASSERT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kClaimed);
  ASSERT_EQ(Finish(Result(Identity(2, kOrder), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(3, kOrder)).verdict, ClaimVerdict::kClaimed);
}

TEST_P(OperationStoreClaim, ANotExecutedOperationHasToTakeItsOrderAgain) {
  Claim(Identity(1, kOrder));
  ASSERT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kRecorded);
  Claim(Identity(2, kOrder));

  EXPECT_EQ(Claim(Identity(1, kOrder)).verdict, ClaimVerdict::kOrderBusy);

  ASSERT_EQ(Finish(Result(Identity(2, kOrder), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1, kOrder)).attempt, 2U);
  EXPECT_EQ(Claim(Identity(3, kOrder)).holder, Id(1).ToString());
}

TEST_P(OperationStoreClaim, UnknownAndNeedsReviewKeepTheOrder) {
  Claim(Identity(1, kOrder));
  ASSERT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_UNKNOWN)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kOrderBusy);
  ASSERT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_NEEDS_REVIEW)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kOrderBusy);
}

TEST_P(OperationStoreClaim, AnEndedLeaseDoesNotFreeTheOrder) {
  Claim(Identity(1, kOrder));
  world_->AdvanceTime(kLease);
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kOrderBusy);
  const ClaimResult first = Claim(Identity(1, kOrder));
  EXPECT_EQ(first.verdict, ClaimVerdict::kPending);
  EXPECT_EQ(first.order_id, kOrder);
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kOrderBusy);
}

/// Whether a claim says that an earlier attempt may have had its effect.
class EarlierAttempts : public OperationStoreContractTest {
 protected:
  bool Unproven() { return Claim(Identity(1)).earlier_unproven; }
  void End(std::uint32_t attempt, bool unproven) {
    FinishRequest request =
        Result(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED, attempt);
    request.unproven = unproven;
    ASSERT_EQ(Finish(request), FinishVerdict::kRecorded);
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, EarlierAttempts,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(EarlierAttempts, AreProvenWhereEachEndedByAProof) {
  EXPECT_FALSE(Unproven()) << "there is none";
  End(1, false);
  EXPECT_FALSE(Unproven());
  Release(Identity(1));
  EXPECT_FALSE(Unproven());
}

TEST_P(EarlierAttempts, StayUnprovenOnceOneOfThemWas) {
  Claim(Identity(1));
  End(1, true);
  EXPECT_TRUE(Unproven());
  End(2, false);
  EXPECT_TRUE(Unproven());
}

TEST_P(EarlierAttempts, AreUnprovenWhenAPersonHasSaidSo) {
  Claim(Identity(1));
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN)),
            FinishVerdict::kRecorded);
  ASSERT_TRUE(Run(world_->registry().Close({.project = "shop", .id = Id(1)}, Within())).ok());
  EXPECT_TRUE(Unproven());
}

TEST_P(EarlierAttempts, AreUnprovenWhereTheStoreMayHaveForgottenThem) {
  world_->LoseMemory();
  const ClaimResult first = Claim(Identity(1));
  EXPECT_EQ(first.verdict, ClaimVerdict::kLookFirst);
  EXPECT_TRUE(first.earlier_unproven);
  End(1, false);
  EXPECT_TRUE(Unproven()) << "the look showed absence, which is no proof";
}

}  // namespace
}  // namespace tollbridge::test
