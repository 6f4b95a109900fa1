// What the engine reads before it believes, and what the resolver makes of the rest.

#include <string>
#include <utility>

#include <boost/asio/co_spawn.hpp>

#include "tests/support/operation_records.h"
#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

using test::FakePaymentService;

class EvidenceTest : public EngineTest {
 protected:
  common::v1::Order Found(std::int64_t amount = 500) {
    return service_.MakeOrder(Request("found", amount));
  }
  /// A call whose answer is lost, and what it is told.
  Reply LoseAnswer(const std::string& key = "key") {
    service_.AnswerNext(FakePaymentService::NoAnswer("connection reset"));
    return Call(key);
  }
  /// A claim of the key by an owner that does nothing further.
  absl::StatusOr<ports::ClaimResult> Claim(const std::string& owner) {
    ports::ClaimRequest claim;
    claim.identity.id = OperationId(TestProject().id, "key");
    claim.identity.rpc = std::string(kRpc);
    claim.identity.project = "shop";
    claim.identity.fingerprints = {{"f1", "digest"}};
    claim.owner = owner;
    claim.lease = settings_.lease;
    claim.good_for = std::chrono::seconds(5);
    claim.first_step = {.name = "create_order", .amount = 500, .currency = "EUR"};
    return test::Await(context_, memory_.Claim(claim, CallContext()));
  }
  /// As many looks as are wanted before a person is.
  void LookAFewTimes() {
    for (std::size_t look = 0; look < settings_.look_backoff.size(); ++look) {
      clock_.Advance(settings_.look_backoff.back());
      Resolve();
    }
  }
};

TEST_F(EvidenceTest, TheCallerGetsWhatEvidenceShowsWhileThereIsTime) {
  const common::v1::Order order = Found();
  Show(order);
  const Reply reply = LoseAnswer();
  EXPECT_EQ(Response(reply).order().id(), order.id());
  EXPECT_EQ(Response(reply).knowledge(), v1::KNOWLEDGE_RECOVERED);
  EXPECT_EQ(Record("key").knowledge(), v1::KNOWLEDGE_RECOVERED);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
  EXPECT_EQ(Call("key").response, reply.response);
}

TEST_F(EvidenceTest, ALookKnowsTheStepAndTheOperation) {
  LoseAnswer();
  ASSERT_EQ(looks_.size(), 1U);
  EXPECT_EQ(looks_[0].operation, OperationId(TestProject().id, "key"));
  EXPECT_EQ(looks_[0].step.amount, 500);
  EXPECT_EQ(looks_[0].project, &TestProject());
}

TEST_F(EvidenceTest, NothingIsReadWhenTheCallerHasNoTimeLeft) {
  service_.AnswerNext(FakePaymentService::NoAnswer("timeout"));
  ports::Context call = CallContext();
  call.deadline = clock_.BootNow() + settings_.store_timeout;
  const Reply reply = test::Await(context_, engine_->Run(MakePlan(Request("key", 500)), call));
  EXPECT_TRUE(Response(reply).has_pending());
  EXPECT_TRUE(looks_.empty());
}

TEST_F(EvidenceTest, AnotherAmountThanAskedForNeedsReviewAlsoWhenRecovered) {
  Show(Found(499));
  LoseAnswer();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_EQ(Record("key").review_reason(), ports::review::kAmountDiffers);
}

TEST_F(EvidenceTest, TheResolverEndsWhatIsFoundAndTheKeyAnswersIt) {
  LoseAnswer();
  const common::v1::Order order = Found();
  Show(order);
  clock_.Advance(settings_.look_backoff.front());
  EXPECT_EQ(Resolve(), 1U);
  const Reply reply = Call("key");
  EXPECT_TRUE(reply.replay);
  EXPECT_EQ(Response(reply).order().id(), order.id());
  EXPECT_EQ(Response(reply).knowledge(), v1::KNOWLEDGE_RECOVERED);
}

TEST_F(EvidenceTest, TheResolverLeavesAloneWhatIsNotDue) {
  LoseAnswer();
  EXPECT_EQ(Resolve(), 0U);
}

TEST_F(EvidenceTest, AbsenceLetsTheKeyRunAgainOnlyAfterTheQuarantineAndThreeReads) {
  LoseAnswer();
  ShowNothing();
  clock_.Advance(Quarantine(settings_, true) - ports::Millis(1));
  Resolve();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
  clock_.Advance(ports::Millis(1));
  for (int read = 1; read <= 3; ++read) {
    EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN) << "before read " << read;
    EXPECT_EQ(Resolve(), 1U);
    clock_.Advance(settings_.absence_read_interval);
  }
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_TRUE(Response(Call("key")).has_order());
  EXPECT_EQ(service_.created().size(), 2U);
}

TEST_F(EvidenceTest, WhatMayNotRunAgainWaitsForAPerson) {
  kind_.on_absence = OnAbsence::kNeedsReview;
  LoseAnswer();
  ShowNothing();
  LookUntilAbsenceCounts();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_EQ(Record("key").review_reason(), ports::review::kAbsentNotRepeatable);
  EXPECT_TRUE(Response(Call("key")).has_pending());
}

TEST_F(EvidenceTest, WhatHasNoTargetRunsAgainAlsoWhereAbsenceIsForAPerson) {
  kind_.on_absence = OnAbsence::kNeedsReview;
  LoseAnswer();
  finding_ = {.presence = Presence::kNoTarget};
  clock_.Advance(Quarantine(settings_, true));
  for (int read = 1; read <= 3; ++read) {
    EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN) << "before read " << read;
    Resolve();
    clock_.Advance(settings_.absence_read_interval);
  }
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(EvidenceTest, WhatWasThereOnceInThreeReadsIsForAPerson) {
  kind_.on_absence = OnAbsence::kNeedsReview;
  for (int shown = 1; shown <= 3; ++shown) {
    const std::string key = "key " + std::to_string(shown);
    LoseAnswer(key);
    clock_.Advance(Quarantine(settings_, true));
    for (int read = 1; read <= 3; ++read) {
      finding_ = {.presence = read == shown ? Presence::kAbsent : Presence::kNoTarget};
      Resolve();
      clock_.Advance(settings_.absence_read_interval);
    }
    EXPECT_EQ(Record(key).review_reason(), ports::review::kAbsentNotRepeatable) << shown;
  }
}

TEST_F(EvidenceTest, WhatCannotBeReadGoesToAPersonAndHoldsNobodyUpForEver) {
  LoseAnswer();
  LookAFewTimes();
  clock_.Advance(Quarantine(settings_, true));
  Resolve();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
  clock_.Advance(settings_.review_unreadable_after);
  Resolve();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_EQ(Record("key").review_reason(), ports::review::kUnreadable);
}

TEST_F(EvidenceTest, ALongStopOfAllProcessesSendsNobodyToAPerson) {
  LoseAnswer();
  clock_.Advance(std::chrono::hours(3));
  Resolve();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN) << "one look";
  LookAFewTimes();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NEEDS_REVIEW);
}

TEST_F(EvidenceTest, AnAttemptWhoseOwnerDiedAndThatCannotBeReadBackIsNoProof) {
  kind_.look = nullptr;
  ASSERT_TRUE(Claim("dead").ok());
  clock_.Advance(settings_.lease);
  ASSERT_EQ(Resolve(), 1U);
  ASSERT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
  const auto next = Claim("next");
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_TRUE(next->earlier_unproven);
}

TEST_F(EvidenceTest, WhatLacksWhatTheCallerMustGetIsUnreadable) {
  LoseAnswer();
  Show(common::v1::Order());
  clock_.Advance(settings_.look_backoff.front());
  Resolve();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
  LookAFewTimes();
  clock_.Advance(Quarantine(settings_, true) + settings_.review_unreadable_after);
  Resolve();
  EXPECT_EQ(Record("key").review_reason(), ports::review::kUnreadable);
}

TEST_F(EvidenceTest, WhatWasNotLookedAtIsNotUnreadable) {
  for (int i = 0; i < 20; ++i) LoseAnswer("key " + std::to_string(i));
  service_.FailReads(absl::UnavailableError("too much"));
  LookAFewTimes();
  clock_.Advance(Quarantine(settings_, true) + settings_.review_unreadable_after);
  looks_.clear();
  Resolve();
  ASSERT_EQ(looks_.size(), 8U);
  int in_review = 0;
  for (int i = 0; i < 20; ++i) {
    in_review += State("key " + std::to_string(i)) == v1::OPERATION_STATE_NEEDS_REVIEW ? 1 : 0;
  }
  EXPECT_EQ(in_review, 8);
}

TEST_F(EvidenceTest, AnEffectAfterTheCloseIsALateEffectAndStopsTheKey) {
  kind_.late_effect_is_orphan = false;
  LoseAnswer();
  ShowNothing();
  LookUntilAbsenceCounts();
  ASSERT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
  Show(Found());
  clock_.Advance(settings_.look_again.front());
  EXPECT_EQ(Resolve(), 1U);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_EQ(Record("key").review_reason(), ports::review::kLateEffect);
}

TEST_F(EvidenceTest, ADeadOwnersOperationIsTakenOver) {
  ASSERT_TRUE(Claim("dead").ok());
  Show(Found());
  EXPECT_EQ(Resolve(), 0U) << "the lease still runs";
  clock_.Advance(settings_.lease);
  EXPECT_EQ(Resolve(), 1U);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
}

TEST_F(EvidenceTest, SeveralCreatesShareOneScan) {
  for (int i = 0; i < 9; ++i) LoseAnswer("key " + std::to_string(i));
  looks_.clear();
  clock_.Advance(settings_.look_backoff.front());
  EXPECT_EQ(Resolve(), 9U);
  EXPECT_EQ(service_.CallsOf(FakePaymentService::Function::kSearchOrders), 1U);
  EXPECT_EQ(looks_.size(), 9U);
  for (const LookRequest& look : looks_) EXPECT_NE(look.candidates, nullptr);
}

TEST_F(EvidenceTest, AFewCreatesAreSearchedForOneByOne) {
  for (int i = 0; i < 8; ++i) LoseAnswer("key " + std::to_string(i));
  looks_.clear();
  clock_.Advance(settings_.look_backoff.front());
  EXPECT_EQ(Resolve(), 8U);
  EXPECT_EQ(looks_.size(), 8U);
  for (const LookRequest& look : looks_) EXPECT_EQ(look.candidates, nullptr);
}

TEST_F(EvidenceTest, AScanThatFailsHoldsUpNobody) {
  for (int i = 0; i < 20; ++i) LoseAnswer("key " + std::to_string(i));
  service_.FailReads(absl::UnavailableError("too much"));
  for (int pass = 0; pass < 5; ++pass) {
    looks_.clear();
    clock_.Advance(settings_.look_backoff.back());
    Resolve();
    EXPECT_EQ(looks_.size(), 8U) << "in pass " << pass;
  }
}

TEST_F(EvidenceTest, PullDueBringsForwardWhatIsUnknown) {
  LoseAnswer();
  Show(Found());
  ASSERT_TRUE(test::Await(context_, memory_.PullDue(TestProject().name, CallContext())).ok());
  EXPECT_EQ(Resolve(), 1U);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
}

/// While the store is doubtful (docs/design/operations.md#rule-12).
class DoubtTest : public EvidenceTest {
 protected:
  void PassFirstQuarantine() { clock_.Advance(Quarantine(settings_, true)); }
};

TEST_F(DoubtTest, AKeyThatWasForgottenIsLookedForBeforeAnythingIsSent) {
  const Reply first = Call("key");
  memory_.LoseMemory();
  Show(Response(first).order());
  const Reply again = Call("key");
  EXPECT_EQ(Response(again).order().id(), Response(first).order().id());
  EXPECT_EQ(Response(again).knowledge(), v1::KNOWLEDGE_RECOVERED);
  EXPECT_EQ(service_.created().size(), 1U);
}

TEST_F(DoubtTest, NothingIsSentInTheFirstQuarantine) {
  memory_.LoseMemory();
  ShowNothing();
  const Reply reply = Call("key");
  EXPECT_EQ(domain::ReasonOf(reply.status), domain::reason::kStoreDoubtful);
  EXPECT_EQ(Metadata(reply.status, "retry"), "SAFE_SAME_KEY");
  EXPECT_TRUE(HasRetryInfo(reply.status));
  EXPECT_TRUE(service_.created().empty());
}

/// The caller does not come again.
TEST_F(DoubtTest, WhatMayHaveBeenForgottenIsUnknownUntilTheResolverHasLooked) {
  const Reply first = Call("key");
  memory_.LoseMemory();
  ShowNothing();
  EXPECT_EQ(domain::ReasonOf(Call("key").status), domain::reason::kStoreDoubtful);
  EXPECT_EQ(domain::ReasonOf(Call("never ran").status), domain::reason::kStoreDoubtful);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
  clock_.Advance(settings_.look_backoff.front());
  EXPECT_EQ(Resolve(), 2U);
  EXPECT_EQ(State("never ran"), v1::OPERATION_STATE_UNKNOWN) << "within the quarantine";

  LookUntilAbsenceCounts();
  EXPECT_EQ(State("never ran"), v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_TRUE(Response(Call("never ran")).has_order());
}

TEST_F(DoubtTest, TheResolverFindsWhatWasForgotten) {
  const Reply first = Call("key");
  memory_.LoseMemory();
  ShowNothing();
  Call("key");
  Show(Response(first).order());
  clock_.Advance(settings_.look_backoff.front());
  EXPECT_EQ(Resolve(), 1U);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
  EXPECT_EQ(Response(Call("key")).order().id(), Response(first).order().id());
  EXPECT_EQ(service_.created().size(), 1U);
}

/// As of a refund with a mark: what is not there needs no person, since nothing was sent.
TEST_F(DoubtTest, AbsenceOfWhatWasNeverSentIsNoReview) {
  kind_.on_absence = OnAbsence::kNeedsReview;
  marked_ = true;
  memory_.LoseMemory();
  ShowNothing();
  Call("key");
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
  LookUntilAbsenceCounts();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(DoubtTest, ASecondCallCannotSkipTheLook) {
  memory_.LoseMemory();
  ShowNothing();
  Call("key");
  const std::size_t looks = looks_.size();
  Call("key");
  EXPECT_EQ(looks_.size(), looks + 1);
  EXPECT_TRUE(service_.created().empty());
}

TEST_F(DoubtTest, AbsenceAfterTheFirstQuarantineLetsTheKeyRun) {
  memory_.LoseMemory();
  ShowNothing();
  Call("key");
  PassFirstQuarantine();
  EXPECT_TRUE(Response(Call("key")).has_order());
  EXPECT_EQ(service_.created().size(), 1U);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
}

TEST_F(DoubtTest, WhatCannotBeReadSendsNothing) {
  memory_.LoseMemory();
  Call("other");
  PassFirstQuarantine();
  const Reply reply = Call("key");
  EXPECT_EQ(domain::ReasonOf(reply.status), domain::reason::kStoreDoubtful);
  EXPECT_TRUE(service_.created().empty());
}

TEST_F(DoubtTest, StepsWithoutOurIdWaitUntilTheDoubtIsOver) {
  kind_.on_absence = OnAbsence::kNeedsReview;
  memory_.LoseMemory();
  ShowNothing();
  Call("key");
  PassFirstQuarantine();
  EXPECT_EQ(domain::ReasonOf(Call("key").status), domain::reason::kStoreDoubtful);
  EXPECT_TRUE(looks_.empty());
  clock_.Advance(std::chrono::hours(72));
  EXPECT_TRUE(Response(Call("key")).has_order());
}

TEST_F(DoubtTest, AnEffectThatWasForgottenIsFoundAlsoWhenTheDoubtIsOver) {
  const Reply first = Call("key");
  memory_.LoseMemory();
  EXPECT_EQ(domain::ReasonOf(Call("key").status), domain::reason::kStoreDoubtful) << "unreadable";
  clock_.Advance(std::chrono::hours(72));
  Show(Response(first).order());
  const Reply again = Call("key");
  EXPECT_EQ(Response(again).order().id(), Response(first).order().id());
  EXPECT_EQ(service_.created().size(), 1U);
}

TEST_F(DoubtTest, WhatALookFindsAndCannotUseIsInQuarantineFromThenOn) {
  memory_.LoseMemory();
  Show(common::v1::Order());
  Call("key");
  ASSERT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
  ShowNothing();
  for (int read = 1; read <= 4; ++read) {
    clock_.Advance(settings_.look_backoff.front());
    Resolve();
  }
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
  const ports::CloseRequest close{.project = TestProject().name,
                                  .id = OperationId(TestProject().id, "key"),
                                  .quarantine = LongestQuarantine(settings_, 2)};
  EXPECT_EQ(domain::ReasonOf(test::Await(context_, memory_.Close(close, CallContext())).status()),
            domain::reason::kOperationNotInReview);
}

TEST_F(DoubtTest, ARecordOfAVersionThatKeptNoProofsHasNone) {
  service_.AnswerNext(FakePaymentService::NotSent("connection refused"));
  Call("key");
  const std::string record = test::RecordKey(OperationId(TestProject().id, "key"));
  memory_.server().Run(test::SetField(record, "np", ""));
  Show(Found());
  service_.AnswerNext(FakePaymentService::Refused(409, "TransactionAlreadyStarted"));
  EXPECT_EQ(Response(Call("key")).knowledge(), v1::KNOWLEDGE_RECOVERED);
  EXPECT_EQ(looks_.size(), 1U);
}

TEST_F(DoubtTest, AnOlderCopyOfARecordHasNoProofsAlsoWhenTheDoubtIsOver) {
  service_.AnswerNext(FakePaymentService::Refused(429, "RateLimited"));
  Call("key");
  const auto copy = memory_.server().TakeCopy();
  LoseAnswer();  // the second attempt
  memory_.server().FailOver(copy);
  Call("other");
  clock_.Advance(std::chrono::hours(1));
  Show(Found());
  service_.AnswerNext(FakePaymentService::Refused(409, "TransactionAlreadyStarted"));
  EXPECT_EQ(Response(Call("key")).knowledge(), v1::KNOWLEDGE_RECOVERED);
}

TEST_F(DoubtTest, ARefusalIsBelievedOnlyAfterALook) {
  memory_.FailOver();
  ShowNothing();
  Call("other");
  PassFirstQuarantine();
  service_.AnswerNext(FakePaymentService::Refused(409, "TransactionAlreadyStarted"));
  const std::size_t looks = looks_.size();
  const Reply reply = Call("key");
  EXPECT_EQ(domain::ReasonOf(reply.status), domain::reason::kUpstreamRefused);
  EXPECT_EQ(looks_.size(), looks + 2) << "one before sending, one after the refusal";
}

TEST_F(DoubtTest, AnAnswerAfterTheMemoryWasLostIsRecordedAllTheSame) {
  service_.Hold();
  std::optional<Reply> reply;
  boost::asio::co_spawn(context_, engine_->Run(MakePlan(Request("key", 500)), CallContext()),
                        [&](std::exception_ptr, Reply answered) { reply = std::move(answered); });
  ASSERT_TRUE(test::RunUntil(context_, [&] { return service_.created().size() == 1; }));
  memory_.LoseMemory();
  service_.Release();
  ASSERT_TRUE(test::RunUntil(context_, [&] { return reply.has_value(); }));
  EXPECT_TRUE(Response(*reply).has_order());
  const Reply again = Call("key");
  EXPECT_TRUE(again.replay);
  EXPECT_EQ(again.response, reply->response);
}

}  // namespace
}  // namespace tollbridge::operations
