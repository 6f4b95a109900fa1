// Two projects in one store: the same operations, orders, gates and families in every call of its
// ports, and neither is seen, held up, counted or changed by the other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "services/domain/errors.h"
#include "tests/contract/operation_store_fixture.h"
#include "tests/support/fails_with.h"

namespace tollbridge::test {
namespace {

using ports::ClaimResult;
using ports::ClaimVerdict;
using ports::DueOperations;
using ports::DueOrder;
using ports::FinishRequest;
using ports::FinishVerdict;
using ports::Millis;
using ports::OperationPage;
using ports::OperationState;
using ports::SaveRequest;
using ports::SaveVerdict;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr OperationState kRunning = operations::v1::OPERATION_STATE_RUNNING;
constexpr OperationState kUnknown = operations::v1::OPERATION_STATE_UNKNOWN;
constexpr OperationState kDone = operations::v1::OPERATION_STATE_DONE;
constexpr OperationState kNotExecuted = operations::v1::OPERATION_STATE_NOT_EXECUTED;
constexpr OperationState kNeedsReview = operations::v1::OPERATION_STATE_NEEDS_REVIEW;

class Tenancy : public OperationStoreContractTest {
 protected:
  static inline const std::string kShop = "shop";
  static inline const std::string kOther = "other";
  static constexpr WallTime kNow{Millis(1'800'000'000'123)};

  static ports::OperationIdentity In(const std::string& project, std::uint8_t number,
                                     std::optional<std::string> gate = std::nullopt) {
    ports::OperationIdentity identity = Identity(number, std::move(gate));
    identity.project = project;
    return identity;
  }
  static ports::FamilyKey Family(const std::string& project, const std::string& order = kOrder) {
    return {.project = project, .root = *Uuid::Parse(order)};
  }

  /// Claims it and leaves it in a state, due to be looked at now.
  void Leave(const ports::OperationIdentity& identity, OperationState to) {
    const ClaimResult claimed = Claim(identity);
    ASSERT_EQ(claimed.verdict, ClaimVerdict::kClaimed);
    ASSERT_EQ(Finish(Result(identity, to, claimed.attempt)), FinishVerdict::kRecorded);
  }
  OperationState StateIn(const std::string& project, std::uint8_t number) {
    const absl::StatusOr<operations::v1::Operation> operation = ReadIn(project, number);
    EXPECT_TRUE(operation.ok()) << operation.status();
    return operation.ok() ? operation->state() : operations::v1::OPERATION_STATE_UNSPECIFIED;
  }
  absl::StatusOr<operations::v1::Operation> ReadIn(const std::string& project,
                                                   std::uint8_t number) {
    return Run(world_->registry().Read(project, Id(number), Within()));
  }
  OperationPage List(const ports::OperationQuery& query) {
    absl::StatusOr<OperationPage> page = Run(world_->registry().List(query, Within()));
    EXPECT_TRUE(page.ok()) << page.status();
    return page.ok() ? *std::move(page) : OperationPage{};
  }
  static std::vector<std::string> Ids(const OperationPage& page) {
    std::vector<std::string> ids;
    for (const operations::v1::Operation& operation : page.operations) {
      ids.push_back(operation.id());
    }
    return ids;
  }
  std::vector<std::string> OfOrder(const std::string& project) {
    return Ids(List({.project = project, .order_id = kOrder, .limit = 100}));
  }
  absl::StatusOr<operations::v1::Operation> CloseIn(const std::string& project,
                                                    std::uint8_t number) {
    ports::CloseRequest request{.id = Id(number), .to = kNotExecuted};
    request.project = project;
    request.who = "operators";
    request.note = "found in the back office";
    return Run(world_->registry().Close(request, Within()));
  }

  DueOperations TakeDueIn(const std::string& project, const std::string& token = "token-1") {
    absl::StatusOr<DueOperations> due =
        Run(world_->unresolved().TakeDue(project, 100, token, kLease, Within()));
    EXPECT_TRUE(due.ok()) << due.status();
    return due.ok() ? *std::move(due) : DueOperations{};
  }
  ports::UnresolvedSurvey SurveyOf(const std::string& project) {
    absl::StatusOr<ports::UnresolvedSurvey> survey =
        Run(world_->unresolved().Survey(project, Within()));
    EXPECT_TRUE(survey.ok()) << survey.status();
    return survey.ok() ? *std::move(survey) : ports::UnresolvedSurvey{};
  }
  std::vector<ports::UndrainedRecord> TakeRecords(const std::string& project) {
    absl::StatusOr<std::vector<ports::UndrainedRecord>> taken =
        Run(world_->outbox().Take(project, 100, kLease, Within()));
    EXPECT_TRUE(taken.ok()) << taken.status();
    return taken.ok() ? *std::move(taken) : std::vector<ports::UndrainedRecord>{};
  }
  void Drain(const std::string& project) {
    const absl::Status drained =
        Run(world_->outbox().Drained(project, TakeRecords(project), Within()));
    ASSERT_TRUE(drained.ok()) << drained;
  }

  static SaveRequest Snapshot(const ports::FamilyKey& key, std::uint64_t sequence) {
    SaveRequest request{.key = key,
                        .expected_version = 0,
                        .snapshot = {},
                        .outbox = {},
                        .next_due = kNow,
                        .seen_due = std::nullopt,
                        .retention = std::chrono::days(400)};
    request.snapshot.set_stream("stream of " + key.project);
    request.snapshot.set_sequence(sequence);
    request.snapshot.mutable_root()->set_status(common::v1::ORDER_STATUS_COMPLETED);
    request.outbox.add_entries()->set_id("event of " + key.project);
    return request;
  }
  SaveVerdict Save(const SaveRequest& request) {
    const absl::StatusOr<SaveVerdict> verdict = SaveFamily(request);
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.value_or(SaveVerdict::kVersionLost);
  }
  void EnterDue(const ports::FamilyKey& key, WallTime due) {
    ASSERT_TRUE(Run(world_->due_queue().Enter(key, due, Within())).ok());
  }
  std::vector<ports::FamilyKey> TakeOrders(const std::string& project, std::size_t limit = 100) {
    const std::vector<Millis> moves = {Millis(60'000)};
    const absl::StatusOr<std::vector<DueOrder>> taken =
        Run(world_->due_queue().Take(project, kNow, moves, limit, Within()));
    EXPECT_TRUE(taken.ok()) << taken.status();
    std::vector<ports::FamilyKey> keys;
    if (taken.ok()) {
      for (const DueOrder& order : *taken) keys.push_back(order.key);
    }
    return keys;
  }
  std::optional<WallTime> OldestOf(const std::string& project) {
    const absl::StatusOr<std::vector<DueOrder>> first =
        Run(world_->due_queue().First(project, 1, Within()));
    EXPECT_TRUE(first.ok()) << first.status();
    if (!first.ok() || first->empty()) return std::nullopt;
    return first->front().due;
  }
  bool KnowsOrder(const std::string& project) {
    const std::vector<Uuid> orders = {*Uuid::Parse(kOrder)};
    const auto known = Run(world_->known_orders().LookAt(project, orders, Within()));
    EXPECT_TRUE(known.ok()) << known.status();
    return known.ok() && known->at(0).recorded;
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, Tenancy, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

TEST_P(Tenancy, AnIdIsARecordOfItsOwnInEachProject) {
  ASSERT_EQ(Claim(In(kShop, 1)).verdict, ClaimVerdict::kClaimed);
  ASSERT_EQ(Claim(In(kOther, 1)).verdict, ClaimVerdict::kClaimed) << "no one's lease but its own";
  ASSERT_EQ(Finish(Result(In(kShop, 1), kDone)), FinishVerdict::kRecorded);
  EXPECT_EQ(StateIn(kShop, 1), kDone);
  EXPECT_EQ(StateIn(kOther, 1), kRunning);
  EXPECT_EQ(ReadIn(kShop, 1)->project(), kShop);
  EXPECT_EQ(ReadIn(kOther, 1)->project(), kOther);
  ASSERT_EQ(Finish(Result(In(kOther, 1), kNotExecuted)), FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(In(kShop, 1)).outcome, "sealed");
  EXPECT_EQ(Claim(In(kOther, 1)).attempt, 2U);
}

TEST_P(Tenancy, AnotherFingerprintInTheOtherProjectIsNoReuseOfTheKey) {
  ASSERT_EQ(Claim(In(kShop, 1)).verdict, ClaimVerdict::kClaimed);
  ports::OperationIdentity other = In(kOther, 1);
  other.fingerprints = {{.key_id = "k1", .digest = "another digest"}};
  EXPECT_EQ(Claim(other).verdict, ClaimVerdict::kClaimed);
}

TEST_P(Tenancy, AGateIsTheProjects) {
  ASSERT_EQ(Claim(In(kShop, 1, kOrder)).verdict, ClaimVerdict::kClaimed);
  ASSERT_EQ(Claim(In(kOther, 2, kOrder)).verdict, ClaimVerdict::kClaimed);
  ASSERT_EQ(Finish(Result(In(kShop, 1, kOrder), kUnknown)), FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(In(kShop, 3, kOrder)).holder, Id(1).ToString());
  EXPECT_EQ(Claim(In(kOther, 3, kOrder)).holder, Id(2).ToString());

  ASSERT_EQ(Finish(Result(In(kShop, 1, kOrder), kDone)), FinishVerdict::kRecorded);
  EXPECT_EQ(Claim(In(kShop, 3, kOrder)).verdict, ClaimVerdict::kClaimed);
  EXPECT_EQ(Claim(In(kOther, 3, kOrder)).verdict, ClaimVerdict::kOrderBusy);
}

TEST_P(Tenancy, AGateThatAStepTakesIsTheProjectsToo) {
  ASSERT_EQ(Claim(In(kOther, 2, kOrder)).verdict, ClaimVerdict::kClaimed);
  ASSERT_EQ(Claim(In(kShop, 1)).verdict, ClaimVerdict::kClaimed);
  const absl::Status begun = BeginStep(In(kShop, 1, kOrder), 1, "owner-1");
  EXPECT_TRUE(begun.ok()) << begun;
  EXPECT_EQ(Claim(In(kShop, 3, kOrder)).holder, Id(1).ToString());
  EXPECT_EQ(Claim(In(kOther, 3, kOrder)).holder, Id(2).ToString());
}

TEST_P(Tenancy, NobodyReleasesStepsOrFinishesForTheOther) {
  ASSERT_EQ(Claim(In(kShop, 1, kOrder)).verdict, ClaimVerdict::kClaimed);
  EXPECT_FALSE(BeginStep(In(kOther, 1, kOrder), 1, "owner-1").ok());
  Release(In(kOther, 1, kOrder));
  Finish(Result(In(kOther, 1, kOrder), kUnknown));
  EXPECT_EQ(StateIn(kShop, 1), kRunning);
  EXPECT_EQ(ReadIn(kShop, 1)->transitions_size(), 1);
  EXPECT_EQ(Claim(In(kShop, 2, kOrder)).holder, Id(1).ToString());
}

TEST_P(Tenancy, AnOrderIsFreshForTheProjectThatMadeIt) {
  Claim(In(kShop, 1));
  FinishRequest made = Result(In(kShop, 1), kDone);
  made.step = Step(kOrder);
  made.order = Entry();
  made.created_order = true;
  ASSERT_EQ(Finish(made), FinishVerdict::kRecorded);
  EXPECT_TRUE(Claim(In(kShop, 2, kOrder)).fresh_order);
  EXPECT_FALSE(Claim(In(kOther, 2, kOrder)).fresh_order);
}

TEST_P(Tenancy, RecordsAreReadAndClosedInTheirProjectAlone) {
  Leave(In(kShop, 1, kOrder), kNeedsReview);
  EXPECT_THAT(ReadIn(kOther, 1),
              FailsWith(StatusCode::kNotFound, domain::reason::kOperationNotFound));
  EXPECT_THAT(CloseIn(kOther, 1),
              FailsWith(StatusCode::kNotFound, domain::reason::kOperationNotFound));
  EXPECT_EQ(StateIn(kShop, 1), kNeedsReview);

  Leave(In(kOther, 1, kOrder), kNeedsReview);
  ASSERT_TRUE(CloseIn(kOther, 1).ok());
  EXPECT_EQ(StateIn(kOther, 1), kNotExecuted);
  EXPECT_EQ(StateIn(kShop, 1), kNeedsReview);
  EXPECT_EQ(Claim(In(kShop, 2, kOrder)).verdict, ClaimVerdict::kOrderBusy);
}

TEST_P(Tenancy, NoOperationOfTheOtherPushesOneOutOfAnOrdersList) {
  Leave(In(kShop, 1, kOrder), kDone);
  Leave(In(kShop, 2, kOrder), kUnknown);
  const std::vector<std::string> before = OfOrder(kShop);
  ASSERT_THAT(before, UnorderedElementsAre(Id(1).ToString(), Id(2).ToString()));
  for (std::uint8_t number = 3; number < 73; ++number) {
    world_->AdvanceTime(Millis(1));
    Leave(In(kOther, number, kOrder), kNotExecuted);
  }
  EXPECT_EQ(OfOrder(kShop), before);
  EXPECT_THAT(OfOrder(kOther), SizeIs(64));
}

TEST_P(Tenancy, PagesHoldTheProjectsOperationsAndSayWhetherThereAreMore) {
  Leave(In(kShop, 1), kUnknown);
  world_->AdvanceTime(Millis(5));
  Leave(In(kShop, 2), kUnknown);
  world_->AdvanceTime(Millis(5));
  Leave(In(kOther, 3), kUnknown);

  const OperationPage first = List({.project = kShop, .state = kUnknown, .limit = 1});
  EXPECT_THAT(Ids(first), ElementsAre(Id(1).ToString()));
  ASSERT_NE(first.next, "");
  const OperationPage last =
      List({.project = kShop, .state = kUnknown, .limit = 1, .cursor = first.next});
  EXPECT_THAT(Ids(last), ElementsAre(Id(2).ToString()));
  EXPECT_EQ(last.next, "");
  for (const std::size_t limit : {1U, 2U, 50U}) {
    const OperationPage page = List({.project = kOther, .limit = limit});
    EXPECT_THAT(Ids(page), ElementsAre(Id(3).ToString())) << limit;
    EXPECT_EQ(page.next, "") << limit;
  }
  EXPECT_EQ(List({.project = kOther, .state = kNeedsReview, .limit = 1}).next, "");
}

TEST_P(Tenancy, WhatIsDueIsTakenInItsProject) {
  Leave(In(kShop, 1), kUnknown);
  Leave(In(kOther, 1), kUnknown);
  Leave(In(kOther, 2), kUnknown);
  const DueOperations shop = TakeDueIn(kShop);
  ASSERT_THAT(shop.to_look_at, SizeIs(1));
  EXPECT_EQ(shop.to_look_at[0].identity.id, Id(1));
  EXPECT_EQ(shop.to_look_at[0].identity.project, kShop);
  EXPECT_THAT(TakeDueIn(kShop, "token-2").to_look_at, IsEmpty()) << "it is taken";

  const DueOperations other = TakeDueIn(kOther, "token-2");
  ASSERT_THAT(other.to_look_at, SizeIs(2));
  for (const ports::DueOperation& due : other.to_look_at) EXPECT_EQ(due.identity.project, kOther);
}

TEST_P(Tenancy, ALeaseThatEndedIsClosedInItsProject) {
  Claim(In(kShop, 1));
  Claim(In(kOther, 1));
  world_->AdvanceTime(kLease);
  EXPECT_THAT(TakeDueIn(kShop).expired, SizeIs(1));
  EXPECT_EQ(StateIn(kShop, 1), kUnknown);
  EXPECT_EQ(StateIn(kOther, 1), kRunning);
}

TEST_P(Tenancy, ALookIsPutOffAndPulledUpInItsProject) {
  for (const std::string& project : {kShop, kOther}) {
    Leave(In(project, 1), kUnknown);
    const DueOperations due = TakeDueIn(project);
    ASSERT_THAT(due.to_look_at, SizeIs(1));
    ASSERT_TRUE(Reschedule(due.to_look_at[0], Millis(60'000)));
  }
  ASSERT_TRUE(Run(world_->unresolved().PullDue(kShop, Within())).ok());
  EXPECT_THAT(TakeDueIn(kOther).to_look_at, IsEmpty());
  EXPECT_THAT(TakeDueIn(kShop).to_look_at, SizeIs(1));
}

TEST_P(Tenancy, ASurveyCountsOneProject) {
  Claim(In(kShop, 1));
  Leave(In(kOther, 1), kUnknown);
  Leave(In(kOther, 2), kNeedsReview);
  world_->AdvanceTime(Millis(5'000));
  const ports::UnresolvedSurvey shop = SurveyOf(kShop);
  EXPECT_EQ(shop.running, 1U);
  EXPECT_EQ(shop.unknown, 0U);
  EXPECT_THAT(shop.needs_review, IsEmpty());
  EXPECT_EQ(shop.oldest_unknown.count(), 0);
  const ports::UnresolvedSurvey other = SurveyOf(kOther);
  EXPECT_EQ(other.running, 0U);
  EXPECT_EQ(other.unknown, 1U);
  EXPECT_EQ(other.needs_review.at(ports::review::kAmbiguous), 1U);
  EXPECT_GE(other.oldest_unknown, Millis(5'000));
}

TEST_P(Tenancy, RecordsAreDrainedInTheirProject) {
  Claim(In(kShop, 1));
  Claim(In(kOther, 1));
  for (const std::string& project : {kShop, kOther}) {
    const std::vector<ports::UndrainedRecord> taken = TakeRecords(project);
    ASSERT_THAT(taken, SizeIs(1)) << project;
    EXPECT_EQ(taken[0].record.project(), project);
  }
  Drain(kOther);
  EXPECT_THAT(TakeRecords(kOther), IsEmpty());
  EXPECT_THAT(TakeRecords(kShop), SizeIs(1)) << "the other's is on the topic, not this one";
}

TEST_P(Tenancy, RefusedCallsAreTakenAndDrainedInTheirProject) {
  operations::v1::OperationRecord record;
  record.mutable_privileged()->mutable_refused_call()->set_rpc("a.Service/Method");
  for (const std::string& project : {kShop, kOther}) {
    record.set_project(project);
    ASSERT_TRUE(Run(world_->refused_calls().Note(project, record, Within())).value_or(false));
  }
  const auto take = [&](const std::string& project) {
    auto page = Run(world_->refused_calls().Take(project, "", 100, Within()));
    EXPECT_TRUE(page.ok()) << page.status();
    return page.ok() ? page->records : std::vector<ports::UndrainedRecord>{};
  };
  const std::vector<ports::UndrainedRecord> others = take(kOther);
  ASSERT_THAT(others, SizeIs(1));
  EXPECT_EQ(others[0].record.project(), kOther);
  ASSERT_TRUE(Run(world_->refused_calls().Drained(kOther, others, Within())).ok());
  EXPECT_THAT(take(kOther), IsEmpty());
  EXPECT_THAT(take(kShop), SizeIs(1));
}

TEST_P(Tenancy, WhatIsRetiredIsOfOneProject) {
  Leave(In(kOther, 2), kDone);
  for (const std::string& project : {kShop, kOther}) {
    Leave(In(project, 1), kDone);
    Drain(project);
  }
  world_->AdvanceTime(std::chrono::hours(73));
  EXPECT_EQ(Run(world_->outbox().Retire(kOther, 100, Within())).value_or(0), 2U);
  EXPECT_EQ(Claim(In(kShop, 2)).attempt, 1U) << "here nobody has used that key";
  EXPECT_EQ(Claim(In(kOther, 1)).verdict, ports::ClaimVerdict::kNotKept);
  EXPECT_EQ(Claim(In(kShop, 1)).verdict, ports::ClaimVerdict::kDone);
  world_->AdvanceTime(std::chrono::days(31));
  EXPECT_EQ(Run(world_->outbox().Retire(kShop, 100, Within())).value_or(0), 1U);
  EXPECT_EQ(Claim(In(kShop, 1)).verdict, ports::ClaimVerdict::kNotKept);
  EXPECT_EQ(Claim(In(kOther, 1)).verdict, ports::ClaimVerdict::kNotKept)
      << "the other's is forgotten by itself alone";
}

TEST_P(Tenancy, AMarkIsJudgedInTheProjectOfItsOrder) {
  Leave(In(kShop, 1), kNotExecuted);
  const domain::Mark mark{.operation = Id(1), .epoch = epoch_, .attempt = 1};
  const auto judge = [&](const std::string& project) {
    const auto verdict =
        Run(world_->registry().JudgeMark(mark, Family(project), /*paid=*/true, Within()));
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.value_or(ports::MarkVerdict::kOrphan);
  };
  EXPECT_EQ(judge(kOther), ports::MarkVerdict::kOurs) << "there it is nobody's";
  EXPECT_EQ(ReadIn(kShop, 1)->transitions_size(), 2);
  EXPECT_THAT(SurveyOf(kShop).needs_review, IsEmpty());
  EXPECT_THAT(SurveyOf(kOther).needs_review, IsEmpty());
  EXPECT_EQ(judge(kShop), ports::MarkVerdict::kOrphan);
  EXPECT_THAT(SurveyOf(kShop).needs_review, SizeIs(1));
  EXPECT_THAT(SurveyOf(kOther).needs_review, IsEmpty());
}

TEST_P(Tenancy, AnOperationsOrderIsDueInItsProject) {
  Claim(In(kOther, 1));
  FinishRequest done = Result(In(kOther, 1), kDone);
  done.order = ports::OrderEntry{.key = Family(kOther), .capture_mode = "manual"};
  ASSERT_EQ(Finish(done), FinishVerdict::kRecorded);
  EXPECT_TRUE(Load(Family(kOther)).due.has_value());
  EXPECT_FALSE(Load(Family(kShop)).due.has_value());
  EXPECT_EQ(Load(Family(kShop)).entry.capture_mode, "");
  EXPECT_EQ(OldestOf(kShop), std::nullopt);
}

TEST_P(Tenancy, AFamilyIsSavedAndPublishedInItsProject) {
  ASSERT_EQ(Save(Snapshot(Family(kShop), 7)), SaveVerdict::kSaved);
  ASSERT_EQ(Save(Snapshot(Family(kOther), 9)), SaveVerdict::kSaved) << "a version of its own";
  EXPECT_EQ(Load(Family(kShop)).snapshot.stream(), "stream of shop");
  EXPECT_EQ(Load(Family(kOther)).snapshot.stream(), "stream of other");
  EXPECT_TRUE(
      Run(world_->snapshots().ClearOutbox(Family(kOther), 1, Load(Family(kOther)).epoch, Within()))
          .value_or(false));
  EXPECT_FALSE(Load(Family(kOther)).outbox.has_value());
  ASSERT_TRUE(Load(Family(kShop)).outbox.has_value());
  EXPECT_EQ(Load(Family(kShop)).outbox->entries(0).id(), "event of shop");
}

TEST_P(Tenancy, OutboxesThatArePendingAreTheProjects) {
  const auto pending = [&](const std::string& project) {
    const auto found = Run(world_->snapshots().Pending(project, Within()));
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? found->count : std::size_t{99};
  };
  ASSERT_EQ(Save(Snapshot(Family(kShop), 7)), SaveVerdict::kSaved);
  EXPECT_EQ(pending(kShop), 1U);
  EXPECT_EQ(pending(kOther), 0U);
}

TEST_P(Tenancy, AMemberIsNotedInItsProject) {
  const ports::MemberNote note{.member = Family(kOther),
                               .root = *Uuid::Parse(kOtherOrder),
                               .seen_due = std::nullopt,
                               .retention = std::chrono::days(1)};
  ASSERT_TRUE(Run(world_->snapshots().NoteMember(note, Within())).ok());
  EXPECT_EQ(Load(Family(kOther)).root, *Uuid::Parse(kOtherOrder));
  EXPECT_EQ(Load(Family(kShop)).root, std::nullopt);
}

TEST_P(Tenancy, WhatIsDueToBeReadIsTakenInItsProject) {
  EnterDue(Family(kShop), kNow - Millis(10));
  EnterDue(Family(kOther), kNow - Millis(30));
  EnterDue(Family(kOther, kOtherOrder), kNow - Millis(20));
  EXPECT_EQ(OldestOf(kShop), kNow - Millis(10));
  EXPECT_EQ(OldestOf(kOther), kNow - Millis(30));
  EXPECT_THAT(TakeOrders(kShop, 1), ElementsAre(Family(kShop))) << "older ones take no place";
  EXPECT_THAT(TakeOrders(kOther), ElementsAre(Family(kOther), Family(kOther, kOtherOrder)));
}

TEST_P(Tenancy, WhatIsTakenOutOfTheQueueIsTheProjects) {
  EnterDue(Family(kShop), kNow);
  EnterDue(Family(kOther), kNow);
  const Millis later(5);
  ASSERT_TRUE(Run(world_->due_queue().Set(Family(kOther), kNow + later, kNow, Within())).ok());
  EXPECT_EQ(OldestOf(kShop), kNow);
  EXPECT_EQ(OldestOf(kOther), kNow + later);
  ASSERT_TRUE(Run(world_->due_queue().RemoveIf(Family(kOther), kNow + later, Within())).ok());
  EXPECT_EQ(OldestOf(kShop), kNow);
  EXPECT_EQ(OldestOf(kOther), std::nullopt);
}

TEST_P(Tenancy, AnOrderIsKnownInItsProject) {
  ASSERT_EQ(Save(Snapshot(Family(kShop), 7)), SaveVerdict::kSaved);
  EXPECT_TRUE(KnowsOrder(kShop));
  EXPECT_FALSE(KnowsOrder(kOther));
}

TEST_P(Tenancy, ASweepIsTheProjects) {
  storage::v1::SweepProgress progress;
  progress.mutable_pass()->set_orders(7);
  ports::SweepState& sweep = world_->sweep_state();
  const auto taken = Run(sweep.Take(kShop, "a", kLease, Within()));
  ASSERT_TRUE(taken.ok() && *taken);
  progress.set_store_epoch((*taken)->store_epoch());
  ASSERT_TRUE(Run(sweep.Save(kShop, "a", kLease, progress, Within())).value_or(false));
  EXPECT_TRUE(Run(sweep.Take(kOther, "b", kLease, Within()))->has_value());
  EXPECT_EQ(Run(sweep.Load(kOther, Within()))->ByteSizeLong(), 0U);
  EXPECT_FALSE(Run(sweep.Save(kOther, "a", kLease, progress, Within())).value_or(true));
  EXPECT_EQ(Run(sweep.Load(kShop, Within()))->pass().orders(), 7U);
}

TEST_P(Tenancy, AChangeIsToldToWhoWatchesInItsProject) {
  int in_shop = 0;
  int in_other = 0;
  const auto count = [](int* changes) {
    return [changes](ports::ChangeHint hint) {
      if (hint == ports::ChangeHint::kChanged) ++*changes;
    };
  };
  const auto shop = world_->changes().Watch(Family(kShop), count(&in_shop));
  const auto other = world_->changes().Watch(Family(kOther), count(&in_other));
  ASSERT_EQ(Save(Snapshot(Family(kShop), 7)), SaveVerdict::kSaved);
  ASSERT_TRUE(RunUntil(world_->context(), [&] { return in_shop == 1; }));
  ASSERT_EQ(Save(Snapshot(Family(kOther), 7)), SaveVerdict::kSaved);
  ASSERT_TRUE(RunUntil(world_->context(), [&] { return in_other == 1; }));
  EXPECT_EQ(in_shop, 1);
}

}  // namespace
}  // namespace tollbridge::test
