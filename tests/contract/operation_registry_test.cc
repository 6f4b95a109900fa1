#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/contract/operation_store_fixture.h"
#include "tests/support/fails_with.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::test {
namespace {

using ports::ClaimVerdict;
using ports::CloseRequest;
using ports::FinishRequest;
using ports::FinishVerdict;
using ports::MarkVerdict;
using ports::OperationPage;
using ports::OperationQuery;
using ports::OperationState;
using testing::ElementsAre;
using testing::IsEmpty;

class OperationRegistry : public OperationStoreContractTest {
 protected:
  void Leave(const ports::OperationIdentity& identity, OperationState to) {
    const ports::ClaimResult claimed = Claim(identity);
    ASSERT_EQ(Finish(Result(identity, to, claimed.attempt)), FinishVerdict::kRecorded);
  }
  OperationPage List(OperationQuery query) {
    query.project = "shop";
    absl::StatusOr<OperationPage> page = Run(world_->registry().List(query, Within()));
    EXPECT_TRUE(page.ok()) << page.status();
    return page.ok() ? *std::move(page) : OperationPage{};
  }
  static std::vector<std::string> Ids(const OperationPage& page) {
    std::vector<std::string> ids;
    for (const operations::v1::Operation& operation : page.operations)
      ids.push_back(operation.id());
    return ids;
  }
  absl::StatusOr<operations::v1::Operation> Close(CloseRequest request) {
    request.project = "shop";
    request.who = "operators";
    request.note = "found in the back office";
    return Run(world_->registry().Close(request, Within()));
  }
  /// Ids of all that need a review.
  std::vector<std::string> Reviews() {
    return Ids(List({.state = operations::v1::OPERATION_STATE_NEEDS_REVIEW}));
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, OperationRegistry,
                         testing::Values(FakeWorldKind(), RedisWorldKind()), KindName);

TEST_P(OperationRegistry, ARecordSaysWhoIsAtWorkAndWhenItIsLookedAt) {
  Claim(Identity(1, kOrder));
  operations::v1::Operation operation = Read(Identity(1));
  EXPECT_EQ(operation.owner(), "owner-1");
  EXPECT_EQ(operation.order_id(), kOrder);
  EXPECT_EQ(operation.next_look().seconds() - operation.since().seconds(), 30);
  EXPECT_EQ(operation.knowledge(), operations::v1::KNOWLEDGE_UNSPECIFIED);
  EXPECT_EQ(operation.transitions(0).number(), 1U);
  EXPECT_EQ(operation.transitions(0).attempt(), 1U);

  FinishRequest unknown = Result(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN);
  unknown.next_look = ports::Millis(2'000);
  ASSERT_EQ(Finish(unknown), FinishVerdict::kRecorded);
  operation = Read(Identity(1));
  EXPECT_FALSE(operation.has_owner());
  EXPECT_EQ(operation.next_look().seconds() - operation.since().seconds(), 2);

  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  operation = Read(Identity(1));
  EXPECT_EQ(operation.knowledge(), operations::v1::KNOWLEDGE_ANSWERED);
  EXPECT_FALSE(operation.has_next_look());
  EXPECT_FALSE(operation.has_review_of());
}

TEST_P(OperationRegistry, ListsOpenOperationsLongestInTheirStateFirst) {
  Leave(Identity(3), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  world_->AdvanceTime(ports::Millis(10));
  Leave(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN);
  world_->AdvanceTime(ports::Millis(10));
  Claim(Identity(2));
  Leave(Identity(4), operations::v1::OPERATION_STATE_DONE);
  Leave(Identity(5), operations::v1::OPERATION_STATE_NOT_EXECUTED);

  EXPECT_THAT(Ids(List({})), ElementsAre(Id(3).ToString(), Id(1).ToString(), Id(2).ToString()));
  EXPECT_THAT(Ids(List({.state = operations::v1::OPERATION_STATE_UNKNOWN})),
              ElementsAre(Id(1).ToString()));
  EXPECT_THAT(Ids(List({.state = operations::v1::OPERATION_STATE_RUNNING})),
              ElementsAre(Id(2).ToString()));
  EXPECT_THAT(Reviews(), ElementsAre(Id(3).ToString()));
}

TEST_P(OperationRegistry, PagesHoldEachOperationOnce) {
  constexpr std::uint8_t kCount = 25;
  for (std::uint8_t number = 1; number <= kCount; ++number) {
    if (number % 3 == 0) world_->AdvanceTime(ports::Millis(5));  // some share their time
    Leave(Identity(number), number % 2 == 0 ? operations::v1::OPERATION_STATE_UNKNOWN
                                            : operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  }
  std::vector<std::string> all;
  OperationQuery query{.limit = 4};
  std::size_t pages = 0;
  do {
    const OperationPage page = List(query);
    EXPECT_LE(page.operations.size(), 4U);
    std::ranges::copy(Ids(page), std::back_inserter(all));
    query.cursor = page.next;
    ++pages;
  } while (!query.cursor.empty() && pages < 20);
  EXPECT_EQ(pages, 7U);
  EXPECT_EQ(all.size(), kCount);
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::unique(all).size(), 0U);
}

TEST_P(OperationRegistry, AnotherProjectsOperationsAreNotListed) {
  ports::OperationIdentity other = Identity(1, kOrder);
  other.project = "another";
  Claim(other);
  EXPECT_THAT(Ids(List({})), IsEmpty());
  EXPECT_THAT(Ids(List({.order_id = kOrder})), IsEmpty());
}

TEST_P(OperationRegistry, ListsAllOperationsOfAnOrderNewestFirst) {
  Claim(Identity(1));
  FinishRequest create = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  create.order = Entry();
  ASSERT_EQ(Finish(create), FinishVerdict::kRecorded);
  world_->AdvanceTime(ports::Millis(10));
  Leave(Identity(2, kOrder), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  world_->AdvanceTime(ports::Millis(10));
  Leave(Identity(3, kOrder), operations::v1::OPERATION_STATE_UNKNOWN);
  Leave(Identity(4, kOtherOrder), operations::v1::OPERATION_STATE_UNKNOWN);

  EXPECT_THAT(Ids(List({.order_id = kOrder})),
              ElementsAre(Id(3).ToString(), Id(2).ToString(), Id(1).ToString()));
  const OperationPage first = List({.order_id = kOrder, .limit = 2});
  EXPECT_THAT(Ids(first), ElementsAre(Id(3).ToString(), Id(2).ToString()));
  const OperationPage last = List({.order_id = kOrder, .limit = 2, .cursor = first.next});
  EXPECT_THAT(Ids(last), ElementsAre(Id(1).ToString()));
  EXPECT_EQ(last.next, "");
}

/// A payout names its order in its second step, and has made it in the end.
TEST_P(OperationRegistry, WhoNamedTheOrderThatItMadeIsListedOnce) {
  Claim(Identity(1));
  ASSERT_TRUE(BeginStep(Identity(1), 1, "owner-1").ok());
  FinishRequest made = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  made.step_number = 2;
  made.order = Entry();
  made.created_order = true;
  ASSERT_EQ(Finish(made), FinishVerdict::kRecorded);
  EXPECT_THAT(Ids(List({.order_id = kOrder})), ElementsAre(Id(1).ToString()));
}

/// Whatever of it is left out when it closes.
TEST_P(OperationRegistry, AClosedRecordTellsAllThatItToldBefore) {
  std::uint8_t number = 0;
  for (const std::string closes : {"owner-1", "another"}) {
    for (const auto known :
         {operations::v1::KNOWLEDGE_UNSPECIFIED, operations::v1::KNOWLEDGE_ANSWERED,
          operations::v1::KNOWLEDGE_RECOVERED}) {
      ports::OperationIdentity identity = Identity(++number);
      identity.caller = "spiffe://shop/backend";
      Claim(identity);
      const operations::v1::Operation before = Read(identity);
      world_->AdvanceTime(ports::Millis(1'500));
      FinishRequest done = Result(identity, operations::v1::OPERATION_STATE_DONE, 1, closes);
      done.knowledge = known;
      ASSERT_EQ(Finish(done), FinishVerdict::kRecorded);
      const operations::v1::Operation after = Read(identity);
      EXPECT_EQ(after.created().SerializeAsString(), before.created().SerializeAsString());
      EXPECT_EQ(after.caller(), before.caller());
      EXPECT_EQ(after.knowledge(), known);
      ASSERT_EQ(after.steps_size(), 1);
      EXPECT_EQ(after.steps(0).name(), before.steps(0).name());
      EXPECT_EQ(after.steps(0).amount(), before.steps(0).amount());
      EXPECT_EQ(after.steps(0).sent_at().SerializeAsString(),
                before.steps(0).sent_at().SerializeAsString());
      ASSERT_EQ(after.transitions_size(), 2);
      EXPECT_EQ(after.transitions(0).SerializeAsString(),
                before.transitions(0).SerializeAsString());
      EXPECT_EQ(after.transitions(1).owner(), closes);
    }
  }
}

/// A refund that showed up late, and waits for a person.
TEST_P(OperationRegistry, ALateEffectIsListedUnderTheOrderThatItMade) {
  Leave(Identity(1, kOrder), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  FinishRequest late = Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_DONE);
  late.step = Step(kOtherOrder);
  late.order = Entry(kOtherOrder);
  late.created_order = true;
  ASSERT_EQ(Finish(late), FinishVerdict::kLateEffect);
  EXPECT_THAT(Ids(List({.order_id = kOrder})), ElementsAre(Id(1).ToString()));
  EXPECT_THAT(Ids(List({.order_id = kOtherOrder})), ElementsAre(Id(1).ToString()));
}

TEST_P(OperationRegistry, AnOrderKeepsItsLastSixtyFourOperations) {
  for (std::uint8_t number = 1; number <= 70; ++number) {
    Leave(Identity(number, kOrder), operations::v1::OPERATION_STATE_NOT_EXECUTED);
    world_->AdvanceTime(ports::Millis(1));
  }
  const OperationPage page = List({.order_id = kOrder, .limit = 100});
  ASSERT_EQ(page.operations.size(), 64U);
  EXPECT_EQ(page.operations.front().id(), Id(70).ToString());
}

TEST_P(OperationRegistry, ACursorOfSomethingElseIsInvalid) {
  for (const std::string cursor :
       {"x", "17", "17.x", ".", "x.00000000-0000-4000-8000-000000000000"}) {
    EXPECT_EQ(Run(world_->registry().List({.project = "shop", .cursor = cursor}, Within()))
                  .status()
                  .code(),
              absl::StatusCode::kInvalidArgument)
        << cursor;
  }
}

TEST_P(OperationRegistry, APersonClosesAsNotExecutedAndTheKeyRunsAgain) {
  Leave(Identity(1, kOrder), operations::v1::OPERATION_STATE_NEEDS_REVIEW);

  const absl::StatusOr<operations::v1::Operation> closed =
      Close({.id = Id(1), .to = operations::v1::OPERATION_STATE_NOT_EXECUTED});

  ASSERT_TRUE(closed.ok()) << closed.status();
  EXPECT_EQ(closed->state(), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_FALSE(closed->has_review_reason());
  const operations::v1::Transition& last = closed->transitions(closed->transitions_size() - 1);
  EXPECT_EQ(last.owner(), "operators");
  EXPECT_EQ(last.evidence(), "found in the back office");
  EXPECT_TRUE(Survey().needs_review.empty());
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kClaimed) << "the order is free";
  ASSERT_EQ(Finish(Result(Identity(2, kOrder), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1, kOrder)).attempt, 2U);
}

TEST_P(OperationRegistry, APersonClosesAsDoneWithAnOutcomeAndTheOrdersEntry) {
  Leave(Identity(1, kOrder), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  const absl::StatusOr<operations::v1::Operation> closed =
      Close({.id = Id(1),
             .to = operations::v1::OPERATION_STATE_DONE,
             .knowledge = operations::v1::KNOWLEDGE_RECOVERED,
             .outcome = "sealed by evidence",
             .order = Entry()});
  ASSERT_TRUE(closed.ok()) << closed.status();
  EXPECT_EQ(closed->knowledge(), operations::v1::KNOWLEDGE_RECOVERED);
  EXPECT_TRUE(Load(Entry().key).due.has_value());
  const ports::ClaimResult replay = Claim(Identity(1, kOrder));
  EXPECT_EQ(replay.verdict, ClaimVerdict::kDone);
  EXPECT_EQ(replay.outcome, "sealed by evidence");
}

TEST_P(OperationRegistry, ATrialOfClosingAnswersTheRecordAndLeavesIt) {
  Leave(Identity(1, kOrder), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  const operations::v1::Operation before = Read(Identity(1));

  const absl::StatusOr<operations::v1::Operation> tried =
      Close({.id = Id(1),
             .to = operations::v1::OPERATION_STATE_DONE,
             .validate_only = true,
             .knowledge = operations::v1::KNOWLEDGE_RECOVERED,
             .outcome = "sealed by evidence",
             .order = Entry()});

  ASSERT_TRUE(tried.ok()) << tried.status();
  EXPECT_EQ(tried->DebugString(), before.DebugString());
  EXPECT_EQ(Read(Identity(1)).DebugString(), before.DebugString());
  EXPECT_EQ(Reviews().size(), 1U);
  EXPECT_FALSE(Load(Entry().key).due.has_value());
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kOrderBusy) << "the gate is held";

  Leave(Identity(3), operations::v1::OPERATION_STATE_UNKNOWN);
  EXPECT_THAT(
      Close({.id = Id(3), .quarantine = ports::Millis(60'000), .validate_only = true}).status(),
      FailsWith(StatusCode::kFailedPrecondition, domain::reason::kOperationNotInReview));
}

TEST_P(OperationRegistry, OnlyTheRecordThatAPersonSawIsClosed) {
  Leave(Identity(1, kOrder), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  const operations::v1::Operation seen = Read(Identity(1));
  const std::int64_t last = seen.transitions(seen.transitions_size() - 1).number();
  // Another person closes it, the key runs again, and it is in review for another reason.
  ASSERT_TRUE(Close({.id = Id(1)}).ok());
  Leave(Identity(1, kOrder), operations::v1::OPERATION_STATE_NEEDS_REVIEW);

  for (const bool trial : {true, false}) {
    EXPECT_THAT(Close({.id = Id(1), .last_transition = last, .validate_only = trial}).status(),
                FailsWith(StatusCode::kFailedPrecondition, domain::reason::kOperationChanged));
  }
  EXPECT_EQ(Read(Identity(1)).state(), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  const operations::v1::Operation now = Read(Identity(1));
  EXPECT_TRUE(
      Close({.id = Id(1), .last_transition = now.transitions(now.transitions_size() - 1).number()})
          .ok());
}

TEST_P(OperationRegistry, UnknownIsClosedOnlyWhenItsQuarantineIsOver) {
  constexpr ports::Millis kQuarantine{60'000};
  Leave(Identity(1, kOrder), operations::v1::OPERATION_STATE_UNKNOWN);
  world_->AdvanceTime(kQuarantine / 2);
  const absl::Status early = Close({.id = Id(1), .quarantine = kQuarantine}).status();
  EXPECT_THAT(early,
              FailsWith(StatusCode::kFailedPrecondition, domain::reason::kOperationNotInReview));
  EXPECT_THAT(std::string(early.message()), testing::HasSubstr("quarantine"));
  EXPECT_TRUE(early.GetPayload(std::string(domain::kRetryInfoUrl)).has_value());
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kOrderBusy);

  world_->AdvanceTime(kQuarantine / 2);
  const absl::StatusOr<operations::v1::Operation> closed =
      Close({.id = Id(1), .quarantine = kQuarantine});

  ASSERT_TRUE(closed.ok()) << closed.status();
  EXPECT_EQ(closed->state(), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  const operations::v1::Transition& last = closed->transitions(closed->transitions_size() - 1);
  EXPECT_EQ(last.from(), operations::v1::OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(last.owner(), "operators");
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kClaimed) << "the gate is free";
  EXPECT_EQ(Survey().unknown, 0U);
}

TEST_P(OperationRegistry, TheQuarantineIsThatOfTheLastStepAndHoldsForDoneToo) {
  constexpr ports::Millis kQuarantine{60'000};
  Claim(Identity(1));
  world_->AdvanceTime(kLease / 2);
  ASSERT_TRUE(BeginStep(Identity(1), 1, "owner-1").ok());
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN)),
            FinishVerdict::kRecorded);
  world_->AdvanceTime(kQuarantine - kLease / 2);
  for (const auto to :
       {operations::v1::OPERATION_STATE_DONE, operations::v1::OPERATION_STATE_NOT_EXECUTED}) {
    EXPECT_FALSE(Close({.id = Id(1), .to = to, .quarantine = kQuarantine}).ok());
  }
  world_->AdvanceTime(kLease / 2);
  EXPECT_TRUE(
      Close({.id = Id(1), .to = operations::v1::OPERATION_STATE_DONE, .quarantine = kQuarantine})
          .ok());
}

TEST_P(OperationRegistry, ALaterAttemptThatAFailoverMayHaveLostIsInQuarantineToo) {
  constexpr ports::Millis kQuarantine{200'000};
  Leave(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN);
  world_->AdvanceTime(kQuarantine);
  world_->Stop();
  world_->Restart();
  Claim(Identity(2));
  EXPECT_FALSE(Close({.id = Id(1), .quarantine = kQuarantine}).ok());
  world_->AdvanceTime(kQuarantine);
  EXPECT_TRUE(Close({.id = Id(1), .quarantine = kQuarantine}).ok());
}

/// Another store may have run the key since.
TEST_P(OperationRegistry, WhatIsOfBeforeItsProjectLeftIsInQuarantineToo) {
  constexpr ports::Millis kQuarantine{200'000};
  Leave(Identity(1), operations::v1::OPERATION_STATE_UNKNOWN);
  world_->AdvanceTime(kQuarantine);
  ASSERT_EQ(world_->Ask({"HDEL", TestKeyspace().epoch_key(), ShopKeys()}).integer, 1);
  Claim(Identity(2));
  EXPECT_FALSE(Close({.id = Id(1), .quarantine = kQuarantine}).ok());
  world_->AdvanceTime(kQuarantine);
  EXPECT_TRUE(Close({.id = Id(1), .quarantine = kQuarantine}).ok());
}

TEST_P(OperationRegistry, WhatComesAfterTheClosingIsALateEffectAlsoForAnotherAmount) {
  for (std::uint8_t number = 1; number <= 2; ++number) {
    Leave(Identity(number), operations::v1::OPERATION_STATE_UNKNOWN);
    ASSERT_TRUE(Close({.id = Id(number)}).ok());
  }
  EXPECT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kLateEffect);
  FinishRequest other = Result(Identity(2), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  other.review_reason = ports::review::kAmountDiffers;
  other.knowledge = operations::v1::KNOWLEDGE_ANSWERED;
  other.outcome = "sealed";
  EXPECT_EQ(Finish(other), FinishVerdict::kLateEffect);
  EXPECT_EQ(Survey().needs_review.at("LATE_EFFECT"), 2U);
  EXPECT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kPending);
  EXPECT_EQ(Claim(Identity(2)).verdict, ClaimVerdict::kPending);
}

TEST_P(OperationRegistry, WhatHasEndedOrIsUnderWayIsNotClosed) {
  Claim(Identity(1));
  Leave(Identity(2), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  Leave(Identity(3), operations::v1::OPERATION_STATE_DONE);
  for (std::uint8_t number = 1; number <= 3; ++number) {
    const absl::Status status = Close({.id = Id(number)}).status();
    EXPECT_THAT(status,
                FailsWith(StatusCode::kFailedPrecondition, domain::reason::kOperationNotInReview));
  }
  EXPECT_EQ(Close({.id = Id(9)}).status().code(), absl::StatusCode::kNotFound);
}

TEST_P(OperationRegistry, ALateEffectKeepsItsOutcomeForThePersonWhoClosesIt) {
  Leave(Identity(1, kOrder), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  ASSERT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kLateEffect);
  ASSERT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_NOT_EXECUTED)),
            FinishVerdict::kNotOurs)
      << "its owner cannot take it back";
  ASSERT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kLateEffect);
  Release(Identity(1, kOrder));

  ASSERT_TRUE(Close({.id = Id(1), .to = operations::v1::OPERATION_STATE_DONE}).ok());

  EXPECT_EQ(Claim(Identity(1, kOrder)).outcome, "sealed");
}

TEST_P(OperationRegistry, ALateEffectThatAPersonDeniesLeavesNoOutcome) {
  Leave(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  ASSERT_EQ(Finish(Result(Identity(1), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kLateEffect);
  const absl::StatusOr<operations::v1::Operation> closed =
      Close({.id = Id(1), .to = operations::v1::OPERATION_STATE_NOT_EXECUTED});
  ASSERT_TRUE(closed.ok()) << closed.status();
  EXPECT_EQ(closed->knowledge(), operations::v1::KNOWLEDGE_UNSPECIFIED);
  EXPECT_EQ(Claim(Identity(1)).attempt, 2U);
  FinishRequest none = Result(Identity(1), operations::v1::OPERATION_STATE_DONE, 2);
  none.outcome = "";
  ASSERT_EQ(Finish(none), FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(Identity(1)).outcome, "");
}

TEST_P(OperationRegistry, ALateEffectOfAnOlderAttemptIsAReviewOfItsOwn) {
  Leave(Identity(1, kOrder), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  ASSERT_EQ(Claim(Identity(1, kOrder), "owner-2").attempt, 2U);
  FinishRequest late = Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_DONE, 1);
  late.step = Step(kOrder);
  late.order = Entry();
  ASSERT_EQ(Finish(late), FinishVerdict::kLateEffect);
  ASSERT_EQ(Finish(late), FinishVerdict::kLateEffect);

  const Uuid review = Uuid::V5(Id(1), "review." + epoch_ + ".1");
  EXPECT_THAT(Reviews(), ElementsAre(review.ToString()));
  const operations::v1::Operation record = TryRead(review).value();
  EXPECT_EQ(record.review_of(), Id(1).ToString());
  EXPECT_EQ(record.review_reason(), "LATE_EFFECT");
  EXPECT_EQ(record.order_id(), kOrder);
  EXPECT_EQ(record.rpc(), Identity(1).rpc);
  EXPECT_EQ(record.attempt(), 1U);
  EXPECT_EQ(record.knowledge(), operations::v1::KNOWLEDGE_ANSWERED);
  ASSERT_EQ(record.steps_size(), 1);
  EXPECT_EQ(record.steps(0).state(), operations::v1::STEP_STATE_DONE);
  EXPECT_TRUE(Load(Entry().key).due.has_value());
  // It is closed without touching the order of the operation that runs.
  ASSERT_TRUE(Close({.id = review, .to = operations::v1::OPERATION_STATE_DONE}).ok());
  EXPECT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kOrderBusy);
  EXPECT_THAT(Reviews(), IsEmpty());
}

TEST_P(OperationRegistry, ClosingALateEffectDoesNotFreeTheOrderThatAnotherHasTakenSince) {
  Leave(Identity(1, kOrder), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  ASSERT_EQ(Finish(Result(Identity(1, kOrder), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kLateEffect);
  ASSERT_EQ(Claim(Identity(2, kOrder)).verdict, ClaimVerdict::kClaimed);

  ASSERT_TRUE(Close({.id = Id(1), .to = operations::v1::OPERATION_STATE_DONE}).ok());

  EXPECT_EQ(Claim(Identity(3, kOrder)).holder, Id(2).ToString());
}

TEST_P(OperationRegistry, AnOrdersListKeepsWhatIsNotDecidedAndLosesWhatIsRetired) {
  const auto drain_and_retire = [this] {
    const auto taken = Run(world_->outbox().Take("shop", 100, kLease, Within()));
    ASSERT_TRUE(taken.ok() && Run(world_->outbox().Drained("shop", *taken, Within())).ok());
    world_->AdvanceTime(std::chrono::hours(73));
    ASSERT_TRUE(Run(world_->outbox().Retire("shop", 100, Within())).ok());
  };
  Claim(Identity(2, kOrder));
  Claim(Identity(1));
  FinishRequest create = Result(Identity(1), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  create.step = Step(kOrder);
  ASSERT_EQ(Finish(create), FinishVerdict::kRecorded);
  ASSERT_EQ(Finish(Result(Identity(2, kOrder), operations::v1::OPERATION_STATE_DONE)),
            FinishVerdict::kRecorded);
  drain_and_retire();
  const auto page = Run(world_->registry().List({.project = "shop", .order_id = kOrder}, Within()));
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->operations.size(), 1U);
  EXPECT_EQ(page->operations[0].id(), Id(1).ToString());
  ASSERT_TRUE(Close({.id = Id(1), .to = operations::v1::OPERATION_STATE_DONE}).ok());
  drain_and_retire();
  EXPECT_EQ(world_->Ask({"EXISTS", test::ShopKeys() + "i:" + kOrder}).integer, 0);
}

TEST_P(OperationRegistry, AMarkOfTheOperationsOwnOrderIsOurs) {
  Claim(Identity(1));
  EXPECT_EQ(Judge(Identity(1), 1, kOrder), MarkVerdict::kOurs) << "it may become it";
  FinishRequest done = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  done.step = Step(kOrder);
  ASSERT_EQ(Finish(done), FinishVerdict::kRecorded);
  EXPECT_EQ(Judge(Identity(1), 1, kOrder), MarkVerdict::kOurs);
  Leave(Identity(2), operations::v1::OPERATION_STATE_UNKNOWN);
  EXPECT_EQ(Judge(Identity(2), 1, kOrder), MarkVerdict::kOurs);
  EXPECT_EQ(Judge(Identity(9), 1, kOrder), MarkVerdict::kOurs) << "no longer known";
  EXPECT_EQ(Judge(Identity(2), 2, kOrder), MarkVerdict::kOurs) << "an attempt that was lost";
}

TEST_P(OperationRegistry, AnOrderThatIsNotTheOutcomeIsAnOrphanAndNotedOnce) {
  Claim(Identity(1));
  FinishRequest done = Result(Identity(1), operations::v1::OPERATION_STATE_DONE);
  done.step = Step(kOrder);
  ASSERT_EQ(Finish(done), FinishVerdict::kRecorded);

  EXPECT_EQ(Judge(Identity(1), 1, kOtherOrder), MarkVerdict::kOrphan);
  EXPECT_EQ(Judge(Identity(1), 1, kOtherOrder), MarkVerdict::kOrphan);

  const operations::v1::Operation operation = Read(Identity(1));
  EXPECT_EQ(operation.state(), operations::v1::OPERATION_STATE_DONE);
  ASSERT_EQ(operation.transitions_size(), 3);
  EXPECT_EQ(operation.transitions(2).from(), operations::v1::OPERATION_STATE_DONE);
  EXPECT_EQ(operation.transitions(2).to(), operations::v1::OPERATION_STATE_DONE);
  EXPECT_EQ(operation.transitions(2).evidence(), std::string("orphan order ") + kOtherOrder);
  EXPECT_THAT(Reviews(), IsEmpty());
  EXPECT_EQ(Claim(Identity(1)).outcome, "sealed");
}

TEST_P(OperationRegistry, AnOrderOfAnAttemptThatWasGivenUpIsAnOrphan) {
  Leave(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(Judge(Identity(1), 1, kOrder), MarkVerdict::kOrphan);
  ASSERT_EQ(Claim(Identity(1)).attempt, 2U);
  EXPECT_EQ(Judge(Identity(1), 1, kOrder), MarkVerdict::kOrphan);
  EXPECT_EQ(Judge(Identity(1), 2, kOtherOrder), MarkVerdict::kOurs);
}

TEST_P(OperationRegistry, AnOrphanThatIsPaidIsInReviewOnce) {
  Leave(Identity(1), operations::v1::OPERATION_STATE_NOT_EXECUTED);

  EXPECT_EQ(Judge(Identity(1), 1, kOrder, true), MarkVerdict::kOrphan);
  EXPECT_EQ(Judge(Identity(1), 1, kOrder, true), MarkVerdict::kOrphan);

  const Uuid review = Uuid::V5(Id(1), std::string("orphan.") + kOrder);
  EXPECT_THAT(Reviews(), ElementsAre(review.ToString()));
  const operations::v1::Operation record = TryRead(review).value();
  EXPECT_EQ(record.review_reason(), "ORPHAN_PAID");
  EXPECT_EQ(record.review_of(), Id(1).ToString());
  EXPECT_EQ(record.order_id(), kOrder);
  EXPECT_EQ(record.project(), "shop");
  EXPECT_EQ(Survey().needs_review.at("ORPHAN_PAID"), 1U);
  EXPECT_EQ(Claim(Identity(1)).attempt, 2U) << "the key stays free";
}

TEST_P(OperationRegistry, AnOlderOrderMayBeAdoptedWhereNothingWasSentSince) {
  Claim(Identity(1));
  const std::string before = epoch_;
  world_->LoseMemory();
  ASSERT_EQ(Claim(Identity(1)).verdict, ClaimVerdict::kLookFirst);
  epoch_ = before;
  EXPECT_EQ(Judge(Identity(1), 1, kOrder), MarkVerdict::kOurs);
}

}  // namespace
}  // namespace tollbridge::test
