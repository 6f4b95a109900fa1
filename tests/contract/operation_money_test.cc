// Limits of money: what a claim takes of a day, and when it is given back
// (docs/design/operations.md#rule-18).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/contract/operation_store_fixture.h"

namespace tollbridge::test {
namespace {

using operations::v1::OPERATION_STATE_DONE;
using operations::v1::OPERATION_STATE_NEEDS_REVIEW;
using operations::v1::OPERATION_STATE_NOT_EXECUTED;
using operations::v1::OPERATION_STATE_UNKNOWN;
using ports::ClaimResult;
using ports::ClaimVerdict;
using ports::OperationIdentity;

constexpr ports::Millis kDay = std::chrono::hours(24);

class Money : public OperationStoreContractTest {
 protected:
  /// A day begins, so that none ends in a test that does not mean it.
  Money() {
    const ports::Millis into = world_->Now().time_since_epoch() % kDay;
    world_->AdvanceTime(kDay - into + std::chrono::hours(1));
  }

  static ports::MoneyClaim Of(std::int64_t amount, std::optional<std::int64_t> most,
                              std::optional<std::int64_t> times = std::nullopt) {
    return {.amount = amount,
            .limits = std::vector<ports::MoneyLimit>{
                {.name = "refunds.EUR", .amount = most, .count = times}}};
  }

  ClaimResult ClaimMoney(const OperationIdentity& identity, const ports::MoneyClaim& money,
                         const std::string& owner = "owner-1") {
    ports::ClaimRequest request{.identity = identity,
                                .owner = owner,
                                .lease = kLease,
                                .good_for = std::chrono::seconds(5),
                                .first_step = Step()};
    if (evidence_shows_) request.looked_for = Step();
    request.money = money;
    absl::StatusOr<ClaimResult> result = Run(world_->operations().Claim(request, Within()));
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    epoch_ = result->epoch;
    return *result;
  }
  /// Of the limit of 100 that the tests have: how much is left today, asked by keys of their own.
  std::int64_t Left() {
    std::int64_t left = 0;
    for (std::int64_t bit = 64; bit > 0; bit /= 2) {
      const OperationIdentity probe = Identity(++probes_);
      if (ClaimMoney(probe, Of(left + bit, kMost)).verdict != ClaimVerdict::kClaimed) continue;
      Release(probe);
      left += bit;
    }
    return left;
  }
  std::int64_t Closed(const OperationIdentity& identity, ports::OperationState to) {
    const ports::CloseRequest request{
        .project = "shop", .id = identity.id, .to = to, .who = "desk", .note = "seen"};
    const auto closed = Run(world_->registry().Close(request, Within()));
    EXPECT_TRUE(closed.ok()) << closed.status();
    return Left();
  }

  static constexpr std::int64_t kMost = 100;
  std::uint8_t probes_ = 100;
};

INSTANTIATE_TEST_SUITE_P(Stores, Money, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

TEST_P(Money, WhatWouldPassTheLimitIsNotClaimedAndLeavesNothing) {
  EXPECT_EQ(ClaimMoney(Identity(1), Of(60, kMost)).verdict, ClaimVerdict::kClaimed);
  const OperationIdentity second = Identity(2, kOrder);

  const ClaimResult refused = ClaimMoney(second, Of(41, kMost));

  EXPECT_EQ(refused.verdict, ClaimVerdict::kMoneyLimit);
  EXPECT_EQ(refused.limit, "refunds.EUR amount");
  EXPECT_GT(refused.retry_after, std::chrono::hours(22));
  EXPECT_LE(refused.retry_after, std::chrono::hours(23));
  EXPECT_TRUE(absl::IsNotFound(TryRead(second.id).status()));
  EXPECT_EQ(Claim(Identity(3, kOrder)).verdict, ClaimVerdict::kClaimed) << "the gate is free";
  EXPECT_EQ(Left(), 40);
  EXPECT_EQ(ClaimMoney(second, Of(40, kMost)).verdict, ClaimVerdict::kOrderBusy);
  EXPECT_EQ(ClaimMoney(Identity(4), Of(40, kMost)).verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(Left(), 0);
}

TEST_P(Money, OperationsAreCountedToo) {
  EXPECT_EQ(ClaimMoney(Identity(1), Of(1, std::nullopt, 2)).verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(ClaimMoney(Identity(2), Of(1, std::nullopt, 2)).verdict, ClaimVerdict::kClaimed);
  const ClaimResult refused = ClaimMoney(Identity(3), Of(1, std::nullopt, 2));
  EXPECT_EQ(refused.verdict, ClaimVerdict::kMoneyLimit);
  EXPECT_EQ(refused.limit, "refunds.EUR count");
  Release(Identity(2));
  EXPECT_EQ(ClaimMoney(Identity(3), Of(1, std::nullopt, 2)).verdict, ClaimVerdict::kClaimed);
}

TEST_P(Money, WhereOneOfSeveralLimitsWouldBePassedNoneIsTaken) {
  ports::MoneyClaim money{.amount = 60, .limits = std::vector<ports::MoneyLimit>{}};
  money.limits->push_back({.name = "refunds.EUR", .amount = kMost, .count = std::nullopt});
  money.limits->push_back({.name = "refunds.EUR of desk", .amount = 50, .count = std::nullopt});
  const ClaimResult refused = ClaimMoney(Identity(1), money);
  EXPECT_EQ(refused.verdict, ClaimVerdict::kMoneyLimit);
  EXPECT_EQ(refused.limit, "refunds.EUR of desk amount");
  EXPECT_EQ(Left(), kMost);
}

TEST_P(Money, ARepeatedKeyTakesNothing) {
  const OperationIdentity identity = Identity(1);
  ClaimMoney(identity, Of(30, kMost));
  EXPECT_EQ(ClaimMoney(identity, Of(30, kMost), "owner-2").verdict, ClaimVerdict::kInProgress);
  EXPECT_EQ(Left(), 70);
  Finish(Result(identity, OPERATION_STATE_DONE));
  EXPECT_EQ(ClaimMoney(identity, Of(30, kMost), "owner-2").verdict, ClaimVerdict::kDone);
  Finish(Result(identity, OPERATION_STATE_DONE));
  EXPECT_EQ(Left(), 70) << "what was done stays counted";
}

TEST_P(Money, AReplayIsAnsweredWhenTheLimitIsUsedUp) {
  const OperationIdentity identity = Identity(1);
  ClaimMoney(identity, Of(kMost, kMost));
  Finish(Result(identity, OPERATION_STATE_DONE));
  EXPECT_EQ(ClaimMoney(identity, Of(kMost, kMost)).verdict, ClaimVerdict::kDone);
}

TEST_P(Money, WhatWasNotExecutedIsGivenBackOnceAndTakenWhenTheKeyRunsAgain) {
  const OperationIdentity other = Identity(2);
  ClaimMoney(other, Of(50, kMost));
  const OperationIdentity identity = Identity(1);
  ClaimMoney(identity, Of(30, kMost));
  EXPECT_EQ(Left(), 20);

  Finish(Result(identity, OPERATION_STATE_NOT_EXECUTED));
  EXPECT_EQ(Left(), 50);
  Finish(Result(identity, OPERATION_STATE_NOT_EXECUTED));
  Release(identity);
  EXPECT_EQ(Left(), 50) << "the same end, once more";

  const ClaimResult again = ClaimMoney(identity, Of(30, kMost), "owner-2");
  EXPECT_EQ(again.verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(again.attempt, 2U);
  EXPECT_EQ(Left(), 20);
}

TEST_P(Money, AClaimThatIsUndoneGivesItBackOnce) {
  ClaimMoney(Identity(2), Of(50, kMost));
  const OperationIdentity identity = Identity(1);
  ClaimMoney(identity, Of(30, kMost));
  Release(identity);
  Release(identity);
  EXPECT_EQ(Left(), 50);
}

TEST_P(Money, UnknownKeepsItUntilAResolverKnowsBetter) {
  const OperationIdentity identity = Identity(1);
  ClaimMoney(identity, Of(30, kMost));
  world_->AdvanceTime(kLease);  // whoever had it is dead
  const ports::DueOperations due = TakeDue();
  ASSERT_EQ(due.to_look_at.size(), 1U);
  EXPECT_EQ(Left(), 70);
  EXPECT_EQ(ClaimMoney(identity, Of(30, kMost), "owner-2").verdict, ClaimVerdict::kPending);
  EXPECT_EQ(Left(), 70);

  Finish(Conclusion(identity, OPERATION_STATE_NOT_EXECUTED));
  Finish(Conclusion(identity, OPERATION_STATE_NOT_EXECUTED));
  EXPECT_EQ(Left(), 100);
}

TEST_P(Money, APersonWhoSaysThatItWasNotExecutedGivesItBack) {
  const OperationIdentity not_done = Identity(1);
  ClaimMoney(not_done, Of(30, kMost));
  Finish(Result(not_done, OPERATION_STATE_NEEDS_REVIEW));
  EXPECT_EQ(Left(), 70);
  EXPECT_EQ(Closed(not_done, OPERATION_STATE_NOT_EXECUTED), 100);

  const OperationIdentity done = Identity(2);
  ClaimMoney(done, Of(30, kMost));
  Finish(Result(done, OPERATION_STATE_NEEDS_REVIEW));
  EXPECT_EQ(Closed(done, OPERATION_STATE_DONE), 70);
}

TEST_P(Money, ALookThatDidNotEndHoldsItAndTakesItOnce) {
  world_->LoseMemory();
  evidence_shows_ = true;
  const OperationIdentity identity = Identity(1);
  EXPECT_EQ(ClaimMoney(identity, Of(30, kMost)).verdict, ClaimVerdict::kLookFirst);
  ports::FinishRequest looked = Result(identity, OPERATION_STATE_UNKNOWN);
  looked.keep_look_first = true;
  looked.next_look = std::chrono::hours(1);
  Finish(looked);
  EXPECT_EQ(ClaimMoney(identity, Of(30, kMost), "owner-2").verdict, ClaimVerdict::kLookFirst);
  Finish(Result(identity, OPERATION_STATE_DONE, 2, "owner-2"));
  const OperationIdentity rest = Identity(2);
  EXPECT_EQ(ClaimMoney(rest, Of(71, kMost)).verdict, ClaimVerdict::kMoneyLimit);
  EXPECT_EQ(ClaimMoney(rest, Of(70, kMost)).verdict, ClaimVerdict::kLookFirst);
}

TEST_P(Money, ADayEndsAtMidnightAndWhatComesLaterOfItChangesNothing) {
  const OperationIdentity identity = Identity(1);
  ClaimMoney(identity, Of(kMost, kMost));
  const ClaimResult refused = ClaimMoney(Identity(2), Of(1, kMost));
  ASSERT_EQ(refused.verdict, ClaimVerdict::kMoneyLimit);
  world_->AdvanceTime(refused.retry_after);
  EXPECT_EQ(ClaimMoney(Identity(2), Of(60, kMost)).verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(ClaimMoney(Identity(3), Of(41, kMost)).verdict, ClaimVerdict::kMoneyLimit);

  Finish(Result(identity, OPERATION_STATE_NOT_EXECUTED));
  EXPECT_EQ(ClaimMoney(Identity(3), Of(41, kMost)).verdict, ClaimVerdict::kMoneyLimit);
  // What runs again counts for the day on which it runs.
  EXPECT_EQ(ClaimMoney(identity, Of(kMost, kMost)).verdict, ClaimVerdict::kMoneyLimit);
  EXPECT_EQ(ClaimMoney(Identity(3), Of(40, kMost)).verdict, ClaimVerdict::kClaimed);
}

TEST_P(Money, TheDaysCountGoesWithTheMemory) {
  ClaimMoney(Identity(1), Of(kMost, kMost));
  world_->LoseMemory();
  EXPECT_EQ(ClaimMoney(Identity(2), Of(kMost, kMost)).verdict, ClaimVerdict::kLookFirst);
  // A result of before gives nothing back that was not taken since.
  ports::FinishRequest late = Result(Identity(1), OPERATION_STATE_NOT_EXECUTED);
  Finish(late);
  EXPECT_EQ(ClaimMoney(Identity(3), Of(1, kMost)).verdict, ClaimVerdict::kMoneyLimit);
}

TEST_P(Money, ProjectsCountApart) {
  ClaimMoney(Identity(1), Of(kMost, kMost));
  OperationIdentity of_another = Identity(2);
  of_another.project = "stall";
  EXPECT_EQ(ClaimMoney(of_another, Of(kMost, kMost)).verdict, ClaimVerdict::kClaimed);
}

TEST_P(Money, MoreThanCanBeCountedExactlyPassesEveryLimit) {
  constexpr std::int64_t kExact = (std::int64_t{1} << 53) - 1;
  const OperationIdentity identity = Identity(1);
  EXPECT_EQ(ClaimMoney(identity, Of(kExact + 1, std::nullopt, 5)).verdict,
            ClaimVerdict::kMoneyLimit);
  EXPECT_EQ(ClaimMoney(identity, Of(kExact, std::nullopt, 5)).verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(ClaimMoney(Identity(2), Of(1, std::nullopt, 5)).verdict, ClaimVerdict::kMoneyLimit);
  Release(identity);
  EXPECT_EQ(ClaimMoney(Identity(3), Of(1, std::nullopt, 5)).verdict, ClaimVerdict::kClaimed);
}

TEST_P(Money, ACurrencyIsAskedForOnlyWhereTheKeyWouldRun) {
  const ports::MoneyClaim unknown{.amount = 30, .limits = std::nullopt};
  const OperationIdentity identity = Identity(1);
  EXPECT_EQ(ClaimMoney(identity, unknown).verdict, ClaimVerdict::kWhoseCurrency);
  EXPECT_TRUE(absl::IsNotFound(TryRead(identity.id).status()));
  ClaimMoney(identity, Of(30, kMost));
  EXPECT_EQ(ClaimMoney(identity, unknown, "owner-2").verdict, ClaimVerdict::kInProgress);
  Finish(Result(identity, OPERATION_STATE_DONE));
  EXPECT_EQ(ClaimMoney(identity, unknown, "owner-2").verdict, ClaimVerdict::kDone);
}

}  // namespace
}  // namespace tollbridge::test
