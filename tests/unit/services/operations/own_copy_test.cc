// What a refusal for the state of things means where a copy of our own request may have made that
// state (docs/design/operations.md#rule-3).

#include <chrono>
#include <string>
#include <utility>

#include "tests/support/fails_with.h"
#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

using test::FakePaymentService;

constexpr const char* kOrder = "5b1cbf40-9d5f-4d6c-8f3a-0c6b6a2f4b11";

class OwnCopyTest : public EngineTest {
 protected:
  OwnCopyTest() { kind_.by_search = false; }

  /// A step about a transaction of an order that the caller names.
  Plan FollowUp(const std::string& key) {
    Plan plan = MakePlan(Request(key, 500));
    plan.gate_order = kOrder;
    plan.steps.front().target.order_id = kOrder;
    plan.steps.front().target.transaction_id = transaction_;
    return plan;
  }
  Reply FollowUpRefused(const std::string& key, int status = 409,
                        const std::string& type = "SomethingNew") {
    service_.AnswerNext(FakePaymentService::Refused(status, type));
    return Run(FollowUp(key));
  }
  void ShowEffect() { Show(service_.MakeOrder(Request("other", 500))); }
  std::string transaction_ = "0f6a7b1e-4c39-4d0c-9d0f-5a8a4a8f2c77";

  static ::testing::Matcher<absl::Status> IsRefused() {
    return FailsWith(StatusCode::kFailedPrecondition, domain::reason::kUpstreamRefused);
  }
  void ExpectRecovered(const Reply& reply) {
    ASSERT_TRUE(reply.status.ok()) << reply.status;
    EXPECT_TRUE(Response(reply).has_order());
    EXPECT_EQ(Response(reply).knowledge(), v1::KNOWLEDGE_RECOVERED);
  }
};

TEST_F(OwnCopyTest, WhatWasDoneSinceTheSendingIsTheOutcome) {
  for (const auto& [status, type] : {std::pair<int, std::string>{409, "SomethingNew"},
                                     {409, "TransactionAlreadyStarted"},
                                     {409, "CanNotCancelTransaction"},
                                     {422, "RefundError"}}) {
    transaction_ = rng_.NewUuid().ToString();
    ShowEffect();
    ExpectRecovered(FollowUpRefused(type, status, type));
    EXPECT_EQ(State(type), v1::OPERATION_STATE_DONE);
  }
}

TEST_F(OwnCopyTest, IsLookedForSinceTheSendWindowWasOpened) {
  const WallTime before = clock_.WallNow();
  store_.during_claim = [&] { clock_.Advance(ports::Millis(700)); };
  FollowUpRefused("key");
  ASSERT_EQ(looks_.size(), 1U);
  EXPECT_TRUE(looks_[0].only_since_sent);
  EXPECT_EQ(looks_[0].sent_at, before);
}

TEST_F(OwnCopyTest, TheEffectOfAnotherKeyIsNotOurs) {
  ASSERT_TRUE(Run(FollowUp("first")).status.ok());
  ShowEffect();
  EXPECT_THAT(FollowUpRefused("key").status, IsRefused());
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
}

TEST_F(OwnCopyTest, AKeyThatWasRefusedHadNoEffect) {
  EXPECT_THAT(FollowUpRefused("first", 422, "ValidationError").status,
              FailsWith(StatusCode::kInvalidArgument, domain::reason::kUpstreamRefused));
  EXPECT_TRUE(looks_.empty()) << "what is wrong in the request no copy makes wrong";
  ShowEffect();
  ExpectRecovered(FollowUpRefused("key"));
}

TEST_F(OwnCopyTest, AKeyThatDidSomethingElseDidNotDoThis) {
  Plan other = FollowUp("first");
  other.steps.front().target.transaction_id = rng_.NewUuid().ToString();
  ASSERT_TRUE(Run(std::move(other)).status.ok());
  ShowEffect();
  ExpectRecovered(FollowUpRefused("key"));
}

TEST_F(OwnCopyTest, AKeyThatDidItLongBeforeDidNotDoThisPart) {
  ASSERT_TRUE(Run(FollowUp("first")).status.ok());
  clock_.Advance(std::chrono::hours(1));
  ShowEffect();
  ExpectRecovered(FollowUpRefused("key"));
}

TEST_F(OwnCopyTest, AKeyThatDidTheWholeLongBeforeDidThis) {
  kind_.service_guards_repeat = true;
  ASSERT_TRUE(Run(FollowUp("first")).status.ok());
  clock_.Advance(std::chrono::hours(1));
  ShowEffect();
  EXPECT_THAT(FollowUpRefused("key").status, IsRefused());
}

TEST_F(OwnCopyTest, WhatMayBeOursIsNotWhereAnotherKeyDidTheWhole) {
  kind_.service_guards_repeat = true;
  ASSERT_TRUE(Run(FollowUp("first")).status.ok());
  ShowEffect();
  finding_.presence = Presence::kAmbiguous;
  EXPECT_THAT(FollowUpRefused("key").status, IsRefused());
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
}

TEST_F(OwnCopyTest, WhatMayBeOursAndNobodysIsNotDecided) {
  ShowEffect();
  finding_.presence = Presence::kAmbiguous;
  EXPECT_TRUE(Response(FollowUpRefused("key")).has_pending());
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
}

TEST_F(OwnCopyTest, AMarkSaysWhoseItIs) {
  ASSERT_TRUE(Run(FollowUp("first")).status.ok());
  ShowEffect();
  service_.AnswerNext(FakePaymentService::Refused(409, "SomethingNew"));
  Plan plan = FollowUp("key");
  plan.steps.front().target.marked = true;
  ExpectRecovered(Run(std::move(plan)));
}

TEST_F(OwnCopyTest, TheRefusalStandsWhereNothingWasDone) {
  ShowNothing();
  EXPECT_THAT(FollowUpRefused("key").status, IsRefused());
  EXPECT_EQ(looks_.size(), 1U);
}

TEST_F(OwnCopyTest, IsUnknownWhereTheEvidenceCannotBeRead) {
  const Reply reply = FollowUpRefused("key");
  ASSERT_TRUE(reply.status.ok()) << reply.status;
  EXPECT_TRUE(Response(reply).has_pending());
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
}

TEST_F(OwnCopyTest, IsUnknownWhereOtherKeysCannotBeRead) {
  ShowEffect();
  during_look_ = [&] { memory_.SetAvailable(false); };
  const Reply reply = FollowUpRefused("key");
  ASSERT_TRUE(reply.status.ok()) << reply.status;
  EXPECT_TRUE(Response(reply).has_pending());
}

TEST_F(OwnCopyTest, WhatOthersMayDoIsNotTakenForOurs) {
  kind_.others_may_do_it = true;
  ShowEffect();
  EXPECT_THAT(FollowUpRefused("key", 409, "TransactionAlreadyStarted").status, IsRefused());
  EXPECT_TRUE(looks_.empty());
}

TEST_F(OwnCopyTest, ASearchWouldNotShowItYet) {
  kind_.by_search = true;
  ShowNothing();
  EXPECT_THAT(FollowUpRefused("key").status, IsRefused());
  EXPECT_TRUE(looks_.empty());
}

}  // namespace
}  // namespace tollbridge::operations
