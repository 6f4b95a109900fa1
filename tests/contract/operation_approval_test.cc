// A second person: nothing runs before another identity has confirmed it
// (docs/design/operations.md#rule-19).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/contract/operation_store_fixture.h"
#include "tests/support/fails_with.h"

namespace tollbridge::test {
namespace {

using absl::StatusCode;
using operations::v1::Operation;
using operations::v1::OPERATION_STATE_AWAITS_APPROVAL;
using operations::v1::OPERATION_STATE_DONE;
using operations::v1::OPERATION_STATE_NEEDS_REVIEW;
using operations::v1::OPERATION_STATE_NOT_EXECUTED;
using operations::v1::OPERATION_STATE_RUNNING;
using operations::v1::OPERATION_STATE_UNKNOWN;
using ports::ClaimResult;
using ports::ClaimVerdict;
using ports::OperationIdentity;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Names = std::vector<std::string>;

constexpr ports::Millis kHour = std::chrono::hours(1);

class Approval : public OperationStoreContractTest {
 protected:
  static Names Asker() { return {"spiffe://shop.example/a", "a.shop.example"}; }
  static Names Other() { return {"spiffe://shop.example/b", "b.shop.example"}; }

  /// Each that is asked for has an id of its own.
  ports::ApprovalRequest Ask(Names names = Asker()) {
    return {.id = Uuid::V4({0xbb, ++asked_}),
            .who = names.empty() ? "anonymous" : names.front(),
            .names = std::move(names),
            .reason = "above 1000 EUR",
            .good_for = kHour};
  }
  /// Of one that has to be confirmed; by a replica without the setting: `approval` is nullopt.
  ClaimResult ClaimWith(const OperationIdentity& identity,
                        std::optional<ports::ApprovalRequest> approval,
                        const std::string& owner = "owner-1",
                        std::optional<ports::MoneyClaim> money = std::nullopt) {
    ports::ClaimRequest request{.identity = identity,
                                .owner = owner,
                                .lease = kLease,
                                .good_for = std::chrono::seconds(5),
                                .first_step = Step()};
    request.identity.caller = "spiffe://shop.example/a";
    if (evidence_shows_) request.looked_for = Step();
    request.approval = std::move(approval);
    request.money = std::move(money);
    absl::StatusOr<ClaimResult> result = Run(world_->operations().Claim(request, Within()));
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    epoch_ = result->epoch;
    return *result;
  }
  ClaimResult ClaimMuch(const OperationIdentity& identity, const std::string& owner = "owner-1") {
    return ClaimWith(identity, Ask(), owner);
  }
  absl::Status Confirm(const OperationIdentity& identity, const Uuid& approval,
                       Names names = Other()) {
    const ports::ConfirmRequest request{.project = "shop",
                                        .id = identity.id,
                                        .confirmation = {.approval = approval, .names = names},
                                        .who = names.empty() ? "anonymous" : names.front(),
                                        .note = "confirmed: seen"};
    return Run(world_->registry().Confirm(request, Within())).status();
  }
  /// Asked and confirmed.
  void Allow(const OperationIdentity& identity) {
    const ClaimResult asked = ClaimMuch(identity);
    ASSERT_EQ(asked.verdict, ClaimVerdict::kApprovalNeeded);
    ASSERT_TRUE(Confirm(identity, asked.approval).ok());
  }

  ports::CloseRequest ToClose(const OperationIdentity& identity, ports::OperationState to) {
    return {.project = "shop",
            .id = identity.id,
            .to = to,
            .who = "spiffe://shop.example/a",
            .note = "looked at it"};
  }
  absl::StatusOr<Operation> AskToClose(const OperationIdentity& identity,
                                       const std::string& reason = "looked at it") {
    ports::CloseRequest request = ToClose(identity, OPERATION_STATE_NOT_EXECUTED);
    request.ask = Ask();
    request.ask->reason = reason;
    return Run(world_->registry().Close(request, Within()));
  }
  absl::StatusOr<Operation> ConfirmClosing(const OperationIdentity& identity, const Uuid& approval,
                                           Names names = Other()) {
    ports::CloseRequest request = ToClose(identity, OPERATION_STATE_NOT_EXECUTED);
    request.who = "spiffe://shop.example/b";
    request.confirm = ports::Confirmation{.approval = approval, .names = std::move(names)};
    return Run(world_->registry().Close(request, Within()));
  }
  static Uuid ApprovalOf(const absl::StatusOr<Operation>& operation) {
    EXPECT_TRUE(operation.ok()) << operation.status();
    if (!operation.ok()) return {};
    return Uuid::Parse(operation->approval().id()).value_or(Uuid());
  }
  void ToReview(const OperationIdentity& identity) {
    Claim(identity);
    Finish(Result(identity, OPERATION_STATE_NEEDS_REVIEW));
  }
  std::size_t Awaiting() { return Survey().awaits_approval; }
  std::vector<std::string> Listed(std::optional<ports::OperationState> state) {
    const auto page =
        Run(world_->registry().List({.project = "shop", .state = state, .limit = 50}, Within()));
    EXPECT_TRUE(page.ok()) << page.status();
    std::vector<std::string> ids;
    if (!page.ok()) return ids;
    for (const Operation& operation : page->operations) ids.push_back(operation.id());
    return ids;
  }

 private:
  std::uint8_t asked_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Stores, Approval, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

TEST_P(Approval, NothingIsClaimedBeforeAnotherIdentityHasConfirmedIt) {
  const OperationIdentity identity = Identity(1);
  const ClaimResult asked = ClaimMuch(identity);
  EXPECT_EQ(asked.verdict, ClaimVerdict::kApprovalNeeded);
  EXPECT_TRUE(asked.asked);
  EXPECT_EQ(asked.retry_after, kHour);
  world_->AdvanceTime(std::chrono::minutes(10));
  const ClaimResult again = ClaimMuch(identity, "owner-2");
  EXPECT_EQ(again.verdict, ClaimVerdict::kApprovalNeeded);
  EXPECT_FALSE(again.asked);
  EXPECT_EQ(again.approval, asked.approval) << "what was asked first stands";
  EXPECT_LE(again.retry_after, std::chrono::minutes(50));
  const Operation waiting = Read(identity);
  EXPECT_EQ(waiting.state(), OPERATION_STATE_AWAITS_APPROVAL);
  EXPECT_EQ(waiting.attempt(), 0U);
  EXPECT_THAT(waiting.steps(), IsEmpty());
  EXPECT_EQ(waiting.approval().id(), asked.approval.ToString());
  EXPECT_EQ(waiting.approval().asked_by(), "spiffe://shop.example/a");
  EXPECT_EQ(waiting.approval().reason(), "above 1000 EUR");
  EXPECT_EQ(waiting.approval().step().amount(), 1250);
  EXPECT_EQ(waiting.approval().step().currency(), "EUR");
  EXPECT_FALSE(waiting.approval().has_resolution());
  EXPECT_FALSE(waiting.approval().has_confirmed_by());

  ASSERT_TRUE(Confirm(identity, asked.approval).ok());
  EXPECT_EQ(Read(identity).approval().confirmed_by(), "spiffe://shop.example/b");
  const ClaimResult claimed = ClaimMuch(identity, "owner-3");
  EXPECT_EQ(claimed.verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(claimed.attempt, 1U);
  EXPECT_FALSE(claimed.earlier_unproven) << "nothing was sent before";
  EXPECT_EQ(Finish(Result(identity, OPERATION_STATE_DONE, 1, "owner-3")),
            ports::FinishVerdict::kRecorded);
  EXPECT_EQ(ClaimMuch(identity).verdict, ClaimVerdict::kDone);
}

TEST_P(Approval, TransitionsTellWhoAskedAndWhoConfirmed) {
  const OperationIdentity identity = Identity(1);
  Allow(identity);
  ClaimMuch(identity, "owner-2");
  const Operation running = Read(identity);
  ASSERT_THAT(running.transitions(), SizeIs(3));
  EXPECT_EQ(running.transitions(0).caller(), "spiffe://shop.example/a");
  EXPECT_THAT(running.transitions(0).evidence(), HasSubstr("above 1000 EUR"));
  EXPECT_EQ(running.transitions(1).from(), OPERATION_STATE_AWAITS_APPROVAL);
  EXPECT_EQ(running.transitions(1).to(), OPERATION_STATE_AWAITS_APPROVAL);
  EXPECT_EQ(running.transitions(1).owner(), "spiffe://shop.example/b");
  EXPECT_EQ(running.transitions(2).to(), OPERATION_STATE_RUNNING);
  const auto taken = Run(world_->outbox().Take("shop", 10, kLease, Within()));
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_THAT(*taken, SizeIs(3)) << "each of them is for the topic";
}

TEST_P(Approval, OneNameInCommonIsTheSameIdentity) {
  const OperationIdentity identity = Identity(1);
  const ClaimResult asked = ClaimMuch(identity);
  for (const Names& names :
       {Asker(), Names{"a.shop.example"},
        Names{"spiffe://shop.example/b", "c.shop.example", "a.shop.example"}, Names{}}) {
    EXPECT_THAT(Confirm(identity, asked.approval, names),
                FailsWith(StatusCode::kFailedPrecondition, "ANOTHER_IDENTITY_NEEDED"));
  }
  EXPECT_EQ(ClaimMuch(identity).verdict, ClaimVerdict::kApprovalNeeded);
  // Of one without names nobody knows who it is.
  const ClaimResult nameless = ClaimWith(Identity(2), Ask({}));
  EXPECT_THAT(Confirm(Identity(2), nameless.approval),
              FailsWith(StatusCode::kFailedPrecondition, "ANOTHER_IDENTITY_NEEDED"));
}

TEST_P(Approval, AnIdentityWithVeryManyNamesIsStillOne) {
  Names many;
  for (int i = 0; i < 500; ++i) many.push_back("spiffe://shop.example/" + std::to_string(i));
  const OperationIdentity identity = Identity(1);
  const ClaimResult asked = ClaimWith(identity, Ask(many));
  EXPECT_THAT(Confirm(identity, asked.approval, {"b.shop.example", many.back()}),
              FailsWith(StatusCode::kFailedPrecondition, "ANOTHER_IDENTITY_NEEDED"));
  EXPECT_TRUE(Confirm(identity, asked.approval).ok());
}

TEST_P(Approval, NothingIsConfirmedButWhatWasSeen) {
  const OperationIdentity identity = Identity(1);
  const ClaimResult asked = ClaimMuch(identity);
  EXPECT_THAT(Confirm(identity, Ask().id),
              FailsWith(StatusCode::kFailedPrecondition, "APPROVAL_OVER"));
  EXPECT_TRUE(absl::IsNotFound(Confirm(Identity(9), asked.approval)));
  world_->AdvanceTime(kHour);
  const ClaimResult anew = ClaimMuch(identity);
  ASSERT_EQ(anew.verdict, ClaimVerdict::kApprovalNeeded);
  EXPECT_TRUE(anew.asked);
  EXPECT_NE(anew.approval, asked.approval);
  EXPECT_THAT(Confirm(identity, asked.approval),
              FailsWith(StatusCode::kFailedPrecondition, "APPROVAL_OVER"));
  EXPECT_EQ(ClaimMuch(identity).verdict, ClaimVerdict::kApprovalNeeded);
  // A store that lost its memory and was asked for something else under the same key.
  world_->LoseMemory();
  EXPECT_EQ(ClaimMuch(identity).verdict, ClaimVerdict::kApprovalNeeded);
  EXPECT_THAT(Confirm(identity, anew.approval),
              FailsWith(StatusCode::kFailedPrecondition, "APPROVAL_OVER"));
}

TEST_P(Approval, ConfirmedOnceMoreNothingChanges) {
  const OperationIdentity identity = Identity(1);
  const ClaimResult asked = ClaimMuch(identity);
  ASSERT_TRUE(Confirm(identity, asked.approval).ok());
  const Operation before = Read(identity);
  EXPECT_TRUE(Confirm(identity, asked.approval).ok());
  EXPECT_TRUE(Confirm(identity, asked.approval, {"c.shop.example"}).ok()) << "the second of two";
  EXPECT_EQ(Read(identity).SerializeAsString(), before.SerializeAsString());
  ClaimMuch(identity);
  Finish(Result(identity, OPERATION_STATE_DONE));
  EXPECT_TRUE(Confirm(identity, asked.approval).ok()) << "also when it has run";
  EXPECT_EQ(Read(identity).state(), OPERATION_STATE_DONE);
}

TEST_P(Approval, AfterItsTimeItIsOverWhetherConfirmedOrNot) {
  const OperationIdentity late = Identity(1);
  const OperationIdentity confirmed = Identity(2);
  const ClaimResult asked = ClaimMuch(late);
  Allow(confirmed);
  EXPECT_EQ(Awaiting(), 2U);
  world_->AdvanceTime(kHour - std::chrono::seconds(30));
  EXPECT_THAT(TakeDue().expired, IsEmpty());
  world_->AdvanceTime(std::chrono::seconds(30));
  EXPECT_THAT(Confirm(late, asked.approval),
              FailsWith(StatusCode::kFailedPrecondition, "APPROVAL_OVER"));
  // A claim finds it over before the resolver does.
  const ClaimResult anew = ClaimMuch(confirmed);
  EXPECT_EQ(anew.verdict, ClaimVerdict::kApprovalNeeded);
  EXPECT_TRUE(anew.asked);

  const ports::DueOperations due = TakeDue();
  ASSERT_THAT(due.expired, SizeIs(1));
  EXPECT_EQ(due.expired[0].id, late.id);
  EXPECT_EQ(due.expired[0].became, OPERATION_STATE_NOT_EXECUTED);
  EXPECT_THAT(due.to_look_at, IsEmpty()) << "nothing was sent";
  EXPECT_EQ(Read(late).state(), OPERATION_STATE_NOT_EXECUTED);
  EXPECT_FALSE(Read(late).has_approval());
  EXPECT_EQ(Awaiting(), 1U);
}

TEST_P(Approval, NobodyTakesItForUnknownAndItIsListed) {
  const OperationIdentity identity = Identity(1);
  ClaimMuch(identity);
  ASSERT_TRUE(Run(world_->unresolved().PullDue("shop", Within())).ok());
  const ports::DueOperations due = TakeDue();
  EXPECT_THAT(due.to_look_at, IsEmpty());
  EXPECT_THAT(due.expired, IsEmpty());
  const ports::UnresolvedSurvey survey = Survey();
  EXPECT_EQ(survey.unknown, 0U);
  EXPECT_EQ(survey.running, 0U);
  EXPECT_EQ(survey.awaits_approval, 1U);
  EXPECT_THAT(Listed(OPERATION_STATE_AWAITS_APPROVAL), ElementsAre(identity.id.ToString()));
  EXPECT_THAT(Listed(std::nullopt), ElementsAre(identity.id.ToString()));
  EXPECT_THAT(Listed(OPERATION_STATE_UNKNOWN), IsEmpty());
  const auto closed =
      Run(world_->registry().Close(ToClose(identity, OPERATION_STATE_DONE), Within()));
  EXPECT_THAT(closed.status(),
              FailsWith(StatusCode::kFailedPrecondition, "OPERATION_NOT_IN_REVIEW"));
}

TEST_P(Approval, AnotherRequestUnderItsKeyConflicts) {
  OperationIdentity identity = Identity(1);
  Allow(identity);
  identity.fingerprints[0].digest = "another one";
  EXPECT_EQ(ClaimMuch(identity).verdict, ClaimVerdict::kKeyReused);
}

/// Also a replica that does not know the limit, or has another one.
TEST_P(Approval, WhatIsAskedForIsNotRunByAReplicaWithoutTheSetting) {
  const OperationIdentity identity = Identity(1);
  const ClaimResult asked = ClaimMuch(identity);
  const ClaimResult other = ClaimWith(identity, std::nullopt);
  EXPECT_EQ(other.verdict, ClaimVerdict::kApprovalNeeded);
  EXPECT_EQ(other.approval, asked.approval);
  ASSERT_TRUE(Confirm(identity, asked.approval).ok());
  EXPECT_EQ(ClaimWith(identity, std::nullopt).verdict, ClaimVerdict::kClaimed);
}

TEST_P(Approval, MoneyIsTakenWhenItRunsAndNotBefore) {
  const ports::MoneyClaim much{
      .amount = 60,
      .limits = std::vector<ports::MoneyLimit>{{.name = "payouts.EUR", .amount = 100}}};
  const OperationIdentity first = Identity(1);
  const OperationIdentity second = Identity(2);
  const ClaimResult asked = ClaimWith(first, Ask(), "owner-1", much);
  ASSERT_EQ(asked.verdict, ClaimVerdict::kApprovalNeeded);
  ASSERT_EQ(ClaimWith(second, Ask(), "owner-2", much).verdict, ClaimVerdict::kApprovalNeeded);
  ASSERT_TRUE(Confirm(first, asked.approval).ok());
  EXPECT_EQ(ClaimWith(first, Ask(), "owner-1", much).verdict, ClaimVerdict::kClaimed);
  // What the day does not have any more nobody needs to confirm.
  EXPECT_EQ(ClaimWith(Identity(3), Ask(), "owner-3", much).verdict, ClaimVerdict::kMoneyLimit);
  EXPECT_TRUE(absl::IsNotFound(TryRead(Identity(3).id).status()));
}

TEST_P(Approval, WhatIsProvenToHaveDoneNothingUsesNothingUp) {
  const OperationIdentity identity = Identity(1);
  Allow(identity);
  ASSERT_EQ(ClaimMuch(identity, "owner-1").verdict, ClaimVerdict::kClaimed);
  Release(identity, "owner-1");
  ASSERT_EQ(ClaimMuch(identity, "owner-2").verdict, ClaimVerdict::kClaimed);
  Finish(Result(identity, OPERATION_STATE_NOT_EXECUTED, 2, "owner-2"));
  ASSERT_EQ(ClaimMuch(identity, "owner-3").verdict, ClaimVerdict::kClaimed);
  ports::FinishRequest perhaps = Result(identity, OPERATION_STATE_NOT_EXECUTED, 3, "owner-3");
  perhaps.unproven = true;
  Finish(perhaps);
  const ClaimResult anew = ClaimMuch(identity, "owner-4");
  EXPECT_EQ(anew.verdict, ClaimVerdict::kApprovalNeeded) << "one effect was allowed, not two";
  EXPECT_TRUE(anew.asked);
}

TEST_P(Approval, WhatMayHaveHadItsEffectDoesNotRunAgainUnconfirmed) {
  const OperationIdentity identity = Identity(1);
  Allow(identity);
  ClaimMuch(identity);
  Finish(Result(identity, OPERATION_STATE_UNKNOWN));
  ASSERT_THAT(TakeDue().to_look_at, SizeIs(1));
  ports::FinishRequest absent = Conclusion(identity, OPERATION_STATE_NOT_EXECUTED);
  absent.by_absence = true;
  ASSERT_EQ(Finish(absent), ports::FinishVerdict::kRecorded);
  EXPECT_EQ(ClaimMuch(identity).verdict, ClaimVerdict::kApprovalNeeded);
}

TEST_P(Approval, WhatTheStoreMayHaveForgottenIsLookedForAllTheSame) {
  evidence_shows_ = true;
  world_->LoseMemory();
  const OperationIdentity identity = Identity(1);
  Allow(identity);
  // The doubt is no excuse when it is over: what it asked is not answered.
  EXPECT_EQ(ClaimMuch(identity).verdict, ClaimVerdict::kLookFirst);
  EXPECT_EQ(Read(identity).state(), OPERATION_STATE_RUNNING);
  ports::FinishRequest undecided = Result(identity, OPERATION_STATE_UNKNOWN);
  undecided.keep_look_first = true;
  Finish(undecided);
  EXPECT_EQ(ClaimMuch(identity, "owner-2").verdict, ClaimVerdict::kLookFirst)
      << "what was confirmed still stands: nothing was sent";
  undecided.attempt = 2;
  undecided.owner = "owner-2";
  Finish(undecided);
  world_->AdvanceTime(kHour);
  EXPECT_EQ(ClaimMuch(identity, "owner-3").verdict, ClaimVerdict::kPending);
}

/// Who is told NOT_EXECUTED takes another key.
TEST_P(Approval, WhatTheStoreMayHaveForgottenIsLookedForWhenNobodyConfirms) {
  evidence_shows_ = true;
  world_->LoseMemory();
  const OperationIdentity unconfirmed = Identity(1);
  const OperationIdentity unclaimed = Identity(2);
  const OperationIdentity again = Identity(3);
  ASSERT_EQ(ClaimMuch(unconfirmed).verdict, ClaimVerdict::kApprovalNeeded);
  Allow(unclaimed);
  ASSERT_EQ(ClaimMuch(again).verdict, ClaimVerdict::kApprovalNeeded);
  world_->AdvanceTime(kHour);
  EXPECT_EQ(ClaimMuch(again).verdict, ClaimVerdict::kPending) << "and is not asked anew";
  const ports::DueOperations due = TakeDue();
  ASSERT_THAT(due.expired, SizeIs(2));
  for (const ports::ExpiredOperation& lapsed : due.expired) {
    EXPECT_EQ(lapsed.became, OPERATION_STATE_UNKNOWN);
  }
  ASSERT_THAT(due.to_look_at, SizeIs(3));
  for (const ports::DueOperation& operation : due.to_look_at) {
    EXPECT_TRUE(operation.nothing_sent);
    ASSERT_THAT(operation.steps, SizeIs(1));
    EXPECT_EQ(operation.steps[0].target.name, Step().name);
  }
  EXPECT_EQ(Awaiting(), 0U);
  EXPECT_EQ(ClaimMuch(unclaimed).verdict, ClaimVerdict::kPending);

  ports::FinishRequest found = Conclusion(unclaimed, OPERATION_STATE_DONE);
  found.attempt = 0;
  found.knowledge = operations::v1::KNOWLEDGE_RECOVERED;
  EXPECT_EQ(Finish(found), ports::FinishVerdict::kRecorded);
  ports::FinishRequest absent = Conclusion(unconfirmed, OPERATION_STATE_NOT_EXECUTED);
  absent.attempt = 0;
  absent.by_absence = true;
  EXPECT_EQ(Finish(absent), ports::FinishVerdict::kRecorded);
  EXPECT_EQ(ClaimMuch(unclaimed).verdict, ClaimVerdict::kDone);
  EXPECT_EQ(ClaimMuch(unconfirmed).verdict, ClaimVerdict::kApprovalNeeded);
}

/// It was confirmed and has run: both are lost.
TEST_P(Approval, WhatAFailoverMayHaveLostIsLookedForWhenNobodyConfirms) {
  evidence_shows_ = true;
  const OperationIdentity identity = Identity(1);
  ASSERT_EQ(ClaimMuch(identity).verdict, ClaimVerdict::kApprovalNeeded);
  world_->AdvanceTime(std::chrono::seconds(1));
  world_->Stop();
  world_->Restart();
  EXPECT_EQ(ClaimMuch(identity).verdict, ClaimVerdict::kApprovalNeeded);
  world_->AdvanceTime(kHour);
  ASSERT_THAT(TakeDue().to_look_at, SizeIs(1));
  EXPECT_EQ(Read(identity).state(), OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(ClaimMuch(identity).verdict, ClaimVerdict::kPending);
}

TEST_P(Approval, ALateEffectOfTheAttemptBeforeStopsTheKey) {
  const OperationIdentity identity = Identity(1);
  Claim(identity);
  ports::FinishRequest given_up = Result(identity, OPERATION_STATE_NOT_EXECUTED);
  given_up.unproven = true;
  Finish(given_up);
  Allow(identity);
  EXPECT_EQ(Read(identity).attempt(), 1U);
  EXPECT_EQ(Finish(Result(identity, OPERATION_STATE_DONE)), ports::FinishVerdict::kLateEffect);
  EXPECT_EQ(Read(identity).state(), OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_EQ(ClaimMuch(identity).verdict, ClaimVerdict::kPending);
  EXPECT_EQ(Awaiting(), 0U);
}

TEST_P(Approval, WhatWasClosedByAbsenceIsLookedAtAgainWhenNobodyConfirms) {
  const OperationIdentity identity = Identity(1);
  Claim(identity);
  Finish(Result(identity, OPERATION_STATE_UNKNOWN));
  world_->AdvanceTime(std::chrono::seconds(1));
  ASSERT_THAT(TakeDue().to_look_at, SizeIs(1));
  ports::FinishRequest absent = Conclusion(identity, OPERATION_STATE_NOT_EXECUTED);
  absent.by_absence = true;
  absent.next_look = std::chrono::minutes(10);
  ASSERT_EQ(Finish(absent), ports::FinishVerdict::kRecorded);
  ASSERT_EQ(ClaimMuch(identity).verdict, ClaimVerdict::kApprovalNeeded);
  world_->AdvanceTime(std::chrono::minutes(30));
  EXPECT_THAT(TakeDue().to_look_at, IsEmpty());
  world_->AdvanceTime(std::chrono::minutes(30));
  TakeDue();
  world_->AdvanceTime(std::chrono::seconds(1));
  const Operation closed = Read(identity);
  EXPECT_EQ(closed.state(), OPERATION_STATE_NOT_EXECUTED);
  EXPECT_TRUE(Reschedule(
      {.identity = identity, .attempt = 1, .epoch = epoch_, .state = OPERATION_STATE_NOT_EXECUTED},
      ports::Millis(1)))
      << "it was taken with the closing";
}

/// The first claim's own result was never known, and its undoing comes late.
TEST_P(Approval, UndoingAnEarlierClaimDoesNotEndWhatIsAskedFor) {
  const OperationIdentity identity = Identity(1);
  Claim(identity, "owner-1");
  Release(identity, "owner-1");
  ClaimMuch(identity, "owner-2");
  Release(identity, "owner-1");
  Release(identity, "owner-2");
  EXPECT_EQ(Read(identity).state(), OPERATION_STATE_AWAITS_APPROVAL);
}

TEST_P(Approval, WhatIsAskedToBeClosedIsNotClosed) {
  const OperationIdentity identity = Identity(1, kOrder);
  ToReview(identity);
  const int seen = Read(identity).transitions_size();
  const absl::StatusOr<Operation> asked = AskToClose(identity);
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_EQ(asked->state(), OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_EQ(asked->approval().resolution(), operations::v1::RESOLUTION_NOT_EXECUTED);
  EXPECT_EQ(asked->approval().asked_by(), "spiffe://shop.example/a");
  EXPECT_EQ(asked->approval().reason(), "looked at it");
  ASSERT_EQ(asked->transitions_size(), seen + 1);
  EXPECT_EQ(asked->transitions(seen).owner(), "spiffe://shop.example/a");
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kOrderBusy) << "the gate is held";

  const absl::StatusOr<Operation> closed = ConfirmClosing(identity, ApprovalOf(asked));
  ASSERT_TRUE(closed.ok()) << closed.status();
  EXPECT_EQ(closed->state(), OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(closed->transitions(seen + 1).owner(), "spiffe://shop.example/b");
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(Read(identity).approval().confirmed_by(), "spiffe://shop.example/b");
  // Once more.
  const absl::StatusOr<Operation> again = ConfirmClosing(identity, ApprovalOf(asked));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->SerializeAsString(), Read(identity).SerializeAsString());
}

TEST_P(Approval, WhoAskedToCloseItCannotConfirmIt) {
  const OperationIdentity identity = Identity(1);
  ToReview(identity);
  const Uuid approval = ApprovalOf(AskToClose(identity));
  EXPECT_THAT(ConfirmClosing(identity, approval, Asker()).status(),
              FailsWith(StatusCode::kFailedPrecondition, "ANOTHER_IDENTITY_NEEDED"));
  EXPECT_THAT(ConfirmClosing(identity, Ask().id).status(),
              FailsWith(StatusCode::kFailedPrecondition, "APPROVAL_OVER"));
  // Nothing but a closing confirms it, and no other one.
  EXPECT_THAT(Confirm(identity, approval),
              FailsWith(StatusCode::kFailedPrecondition, "APPROVAL_OVER"));
  ports::CloseRequest other = ToClose(identity, OPERATION_STATE_DONE);
  other.confirm = ports::Confirmation{.approval = approval, .names = Other()};
  EXPECT_THAT(Run(world_->registry().Close(other, Within())).status(),
              FailsWith(StatusCode::kFailedPrecondition, "APPROVAL_OVER"));
  world_->AdvanceTime(kHour);
  EXPECT_THAT(ConfirmClosing(identity, approval).status(),
              FailsWith(StatusCode::kFailedPrecondition, "APPROVAL_OVER"));
  EXPECT_EQ(Read(identity).state(), OPERATION_STATE_NEEDS_REVIEW);
}

TEST_P(Approval, AskedAgainItIsTheSameAndForAnotherReasonAnother) {
  const OperationIdentity identity = Identity(1);
  ToReview(identity);
  const Uuid first = ApprovalOf(AskToClose(identity));
  const int transitions = Read(identity).transitions_size();
  EXPECT_EQ(ApprovalOf(AskToClose(identity)), first);
  EXPECT_EQ(Read(identity).transitions_size(), transitions);
  const Uuid second = ApprovalOf(AskToClose(identity, "another reason"));
  EXPECT_NE(second, first);
  EXPECT_THAT(ConfirmClosing(identity, first).status(),
              FailsWith(StatusCode::kFailedPrecondition, "APPROVAL_OVER"));
  EXPECT_TRUE(ConfirmClosing(identity, second).ok());
}

TEST_P(Approval, ARecordThatChangedIsNotClosed) {
  const OperationIdentity identity = Identity(1);
  ToReview(identity);
  const Uuid approval = ApprovalOf(AskToClose(identity));
  Judge(identity, 0, kOtherOrder);  // notes an orphan
  EXPECT_FALSE(Read(identity).has_approval()) << "what is over is not shown";
  EXPECT_THAT(ConfirmClosing(identity, approval).status(),
              FailsWith(StatusCode::kFailedPrecondition, "OPERATION_CHANGED"));
  EXPECT_EQ(Read(identity).state(), OPERATION_STATE_NEEDS_REVIEW);
}

/// A resolver's own conclusion comes first.
TEST_P(Approval, WhatEndsByItselfIsNotClosedOnceMore) {
  const OperationIdentity identity = Identity(1);
  Claim(identity);
  Finish(Result(identity, OPERATION_STATE_UNKNOWN));
  world_->AdvanceTime(std::chrono::minutes(10));
  ASSERT_THAT(TakeDue().to_look_at, SizeIs(1));
  const Uuid approval = ApprovalOf(AskToClose(identity));
  ports::FinishRequest found = Conclusion(identity, OPERATION_STATE_DONE);
  ASSERT_EQ(Finish(found), ports::FinishVerdict::kRecorded);
  EXPECT_THAT(ConfirmClosing(identity, approval).status(),
              FailsWith(StatusCode::kFailedPrecondition, "APPROVAL_OVER"));
  EXPECT_EQ(Read(identity).state(), OPERATION_STATE_DONE);
}

TEST_P(Approval, AConfirmedClosingIsNoLeaveToRun) {
  const OperationIdentity identity = Identity(1);
  ToReview(identity);
  ASSERT_TRUE(ConfirmClosing(identity, ApprovalOf(AskToClose(identity))).ok());
  EXPECT_EQ(ClaimMuch(identity).verdict, ClaimVerdict::kApprovalNeeded);
}

}  // namespace
}  // namespace tollbridge::test
