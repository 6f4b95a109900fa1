#include "services/operations/resolve_operation.h"

#include <memory>
#include <optional>
#include <utility>

#include <gmock/gmock.h>

#include "services/domain/timestamps.h"
#include "services/operations/outcome.h"
#include "services/operations/request_rules.h"
#include "tests/support/fails_with.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/fakes/unasked_payment_service.h"
#include "tests/unit/services/operations/registry_fixture.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::operations {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::shared_ptr<const OperationKeys> Keys() {
  auto keys = std::make_shared<OperationKeys>();
  keys->fingerprints.keys = {{"f1", std::string(32, 'f')}};
  keys->outcomes.keys = {{"o1", std::string(32, 'o')}};
  return keys;
}

absl::StatusOr<PlanResult> ReadOrder(const domain::Project& project,
                                     const google::protobuf::Message& last,
                                     ports::Knowledge knowledge) {
  const auto& order = static_cast<const common::v1::Order&>(last);
  const std::optional<Uuid> id = Uuid::Parse(order.id());
  if (!id.has_value()) return absl::DataLossError("no id");
  auto response = std::make_shared<payments::v1::CreateOrderResponse>();
  *response->mutable_order() = order;
  response->set_knowledge(knowledge == operations::v1::KNOWLEDGE_RECOVERED
                              ? v1::KNOWLEDGE_RECOVERED
                              : v1::KNOWLEDGE_ANSWERED);
  PlanResult result;
  result.response = response;
  result.order = ports::OrderEntry{.key = {project.name, *id}};
  if (order.has_amount()) result.amount = order.amount();
  return result;
}

class ResolveOperationTest : public RegistryFixture {
 protected:
  ResolveOperationTest() {
    kind_.name = "create_order";
    kind_.look = [this](ports::PaymentService&,
                        const LookRequest& request) -> boost::asio::awaitable<Finding> {
      looks_.push_back(request);
      co_return finding_;
    };
    PlanRegistration registration;
    registration.rpc = kCreateRpc;
    registration.steps = {&kind_};
    registration.result = ReadOrder;
    plans_ = *PlanTable::Of({std::move(registration)});
    finding_.presence = Presence::kAbsent;
  }

  /// In review, with its one step sent.
  v1::Operation& PutInReview(const std::string& key = "key",
                             const domain::Project& project = Shop()) {
    v1::Operation& record = Put(key, v1::OPERATION_STATE_NEEDS_REVIEW, project);
    record.set_review_reason(ports::review::kAmbiguous);
    v1::Step* step = record.add_steps();
    step->set_name("create_order");
    step->set_state(v1::STEP_STATE_UNKNOWN);
    step->set_amount(500);
    step->set_merchant_order_id("m-1");
    step->mutable_sent_at()->set_seconds(1'767'225'000);
    return record;
  }

  void EvidenceShowsTheOrder(std::int64_t amount = 500) {
    auto order = std::make_shared<common::v1::Order>();
    order->set_id(kOrderId);
    order->set_amount(amount);
    finding_ = {.presence = Presence::kPresent, .result = order, .reason = "order found"};
  }

  static v1::ResolveOperationRequest Request(const std::string& id, v1::Resolution resolution) {
    v1::ResolveOperationRequest request;
    request.set_project("shop");
    request.set_operation_id(id);
    request.set_resolution(resolution);
    request.set_note("seen in the portal");
    return request;
  }

  absl::StatusOr<v1::ResolveOperationResponse> Resolve(const v1::ResolveOperationRequest& request,
                                                       const std::string& who = "anna.example") {
    ResolvePorts ports{.registry = registry_,
                       .service = service_,
                       .clock = clock_,
                       .metrics = metrics_,
                       .plans = plans_,
                       .conclusions = conclusions_,
                       .settings = settings_};
    return test::Await(context_,
                       ResolveOperation(ports, shop_, request, {.identity = who}, CallContext()));
  }

  test::UnaskedPaymentService service_;
  telemetry::Metrics metrics_;
  const Settings settings_;
  test::FakeRng rng_;
  std::shared_ptr<const OperationKeys> keys_ = Keys();
  Conclusions conclusions_{[this] { return keys_; }, rng_};
  StepKind kind_;
  PlanTable plans_;
  Finding finding_;
  std::vector<LookRequest> looks_;
};

TEST_F(ResolveOperationTest, DoneWithEvidenceGivesTheKeyTheRecoveredOutcome) {
  const std::string id = PutInReview().id();
  EvidenceShowsTheOrder();
  const auto response = Resolve(Request(id, v1::RESOLUTION_DONE));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->operation().state(), v1::OPERATION_STATE_DONE);

  ASSERT_EQ(registry_.closes.size(), 1U);
  const ports::CloseRequest& close = registry_.closes[0];
  EXPECT_EQ(close.id.ToString(), id);
  EXPECT_EQ(close.to, operations::v1::OPERATION_STATE_DONE);
  EXPECT_EQ(close.knowledge, operations::v1::KNOWLEDGE_RECOVERED);
  ASSERT_TRUE(close.order.has_value());
  EXPECT_EQ(close.order->key.root.ToString(), kOrderId);
  const auto outcome = OpenOutcome(close.outcome, close.id, keys_->outcomes);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->knowledge(), v1::KNOWLEDGE_RECOVERED);
  payments::v1::CreateOrderResponse kept;
  ASSERT_TRUE(kept.ParseFromString(outcome->response()));
  EXPECT_EQ(kept.order().id(), kOrderId);
}

TEST_F(ResolveOperationTest, TheLookKnowsWhatTheRecordKeepsAndEndsBeforeTheCall) {
  const std::string id = PutInReview().id();
  ASSERT_TRUE(Resolve(Request(id, v1::RESOLUTION_DONE)).ok());
  ASSERT_EQ(looks_.size(), 1U);
  EXPECT_EQ(looks_[0].project->name, "shop");
  EXPECT_EQ(looks_[0].operation.ToString(), id);
  EXPECT_EQ(looks_[0].step.amount, 500);
  EXPECT_EQ(looks_[0].step.merchant_order_id, "m-1");
  ASSERT_TRUE(looks_[0].sent_at.has_value());
  EXPECT_EQ(looks_[0].sent_at->time_since_epoch(), std::chrono::seconds(1'767'225'000));
  EXPECT_EQ(looks_[0].context.deadline, clock_.BootNow() + std::chrono::seconds(5));
  EXPECT_EQ(looks_[0].attempt, 0U) << "a failover may have lost a later one";
}

TEST_F(ResolveOperationTest, DoneWithoutEvidenceIsClosedWithoutAResult) {
  for (const Presence presence : {Presence::kAbsent, Presence::kUndecided, Presence::kAmbiguous}) {
    registry_.closes.clear();
    finding_ = {.presence = presence, .result = nullptr, .reason = "nothing"};
    const auto response = Resolve(Request(PutInReview().id(), v1::RESOLUTION_DONE));
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(registry_.closes.at(0).outcome, "");
    EXPECT_EQ(registry_.closes.at(0).knowledge, operations::v1::KNOWLEDGE_UNSPECIFIED);
    EXPECT_FALSE(registry_.closes.at(0).order.has_value());
  }
}

TEST_F(ResolveOperationTest, AnOrderThatLacksWhatTheCallerMustGetIsNoResult) {
  const std::string id = PutInReview().id();
  finding_ = {.presence = Presence::kPresent,
              .result = std::make_shared<common::v1::Order>(),
              .reason = "an order without id"};
  ASSERT_TRUE(Resolve(Request(id, v1::RESOLUTION_DONE)).ok());
  EXPECT_EQ(registry_.closes.at(0).outcome, "");
}

TEST_F(ResolveOperationTest, AnAmountThatDiffersIsWhatThePersonHasDecidedAbout) {
  const std::string id = PutInReview().id();
  EvidenceShowsTheOrder(499);
  ASSERT_TRUE(Resolve(Request(id, v1::RESOLUTION_DONE)).ok());
  EXPECT_EQ(registry_.closes.at(0).to, operations::v1::OPERATION_STATE_DONE);
  EXPECT_NE(registry_.closes.at(0).outcome, "");
}

TEST_F(ResolveOperationTest, ARecordThatKeepsAnOutcomeStaysWithIt) {
  v1::Operation& record = PutInReview();
  record.set_review_reason(ports::review::kLateEffect);
  record.set_knowledge(v1::KNOWLEDGE_ANSWERED);
  EvidenceShowsTheOrder();
  ASSERT_TRUE(Resolve(Request(record.id(), v1::RESOLUTION_DONE)).ok());
  EXPECT_TRUE(looks_.empty());
  EXPECT_EQ(registry_.closes.at(0).outcome, "");
}

TEST_F(ResolveOperationTest, AReviewRecordIsClosedWithoutALook) {
  v1::Operation& record = PutInReview();
  record.set_review_of(OperationId(Shop().id, "another").ToString());
  EvidenceShowsTheOrder();
  ASSERT_TRUE(Resolve(Request(record.id(), v1::RESOLUTION_DONE)).ok());
  EXPECT_TRUE(looks_.empty());
}

TEST_F(ResolveOperationTest, AnRpcOrStepThatThisVersionDoesNotKnowCanBeClosedAllTheSame) {
  v1::Operation& record = PutInReview();
  record.set_rpc("tollbridge.payments.v1.Payments/Gone");
  ASSERT_TRUE(Resolve(Request(record.id(), v1::RESOLUTION_DONE)).ok());
  v1::Operation& other = PutInReview("other");
  other.mutable_steps(0)->set_name("gone");
  ASSERT_TRUE(Resolve(Request(other.id(), v1::RESOLUTION_DONE)).ok());
  v1::Operation& none = PutInReview("none");
  none.clear_steps();
  ASSERT_TRUE(Resolve(Request(none.id(), v1::RESOLUTION_DONE)).ok());
  EXPECT_TRUE(looks_.empty());
}

TEST_F(ResolveOperationTest, NotExecutedIsRefusedWhenEvidenceShowsThatItHappened) {
  const std::string id = PutInReview().id();
  EvidenceShowsTheOrder();
  EXPECT_THAT(Resolve(Request(id, v1::RESOLUTION_NOT_EXECUTED)).status(),
              FailsWith(StatusCode::kFailedPrecondition, domain::reason::kOperationHappened));
  EXPECT_TRUE(registry_.closes.empty());
}

TEST_F(ResolveOperationTest, NotExecutedLetsTheKeyRunAgain) {
  const std::string id = PutInReview().id();
  const auto response = Resolve(Request(id, v1::RESOLUTION_NOT_EXECUTED));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->operation().state(), v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(looks_.size(), 1U);
  EXPECT_EQ(registry_.closes.at(0).to, operations::v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(registry_.closes.at(0).outcome, "");
}

TEST_F(ResolveOperationTest, WhoAndWhyAreKeptOnOneLineWithoutCardNumbers) {
  v1::ResolveOperationRequest request = Request(PutInReview().id(), v1::RESOLUTION_NOT_EXECUTED);
  request.set_note("card 4111 1111 1111 1111\n\x1b[2Jwas declined " + std::string(300, 'x'));
  ASSERT_TRUE(Resolve(request, "anna\nexample").ok());
  const ports::CloseRequest& close = registry_.closes.at(0);
  EXPECT_EQ(close.who, "anna example");
  EXPECT_THAT(close.note, Not(HasSubstr("4111 1111")));
  EXPECT_THAT(close.note, Not(HasSubstr("\n")));
  EXPECT_THAT(close.note, Not(HasSubstr("\x1b")));
  EXPECT_THAT(close.note, HasSubstr("was declined"));
  EXPECT_EQ(close.note.size(), kLongestNote);
}

TEST_F(ResolveOperationTest, WhatTheRecordKnowsToHaveHappenedIsNotClosedAsNotExecuted) {
  for (const char* reason : {ports::review::kLateEffect, ports::review::kAmountDiffers}) {
    v1::Operation& record = PutInReview();
    record.set_review_reason(reason);
    record.set_knowledge(v1::KNOWLEDGE_ANSWERED);
    EXPECT_THAT(Resolve(Request(record.id(), v1::RESOLUTION_NOT_EXECUTED)).status(),
                FailsWith(StatusCode::kFailedPrecondition, domain::reason::kOperationHappened))
        << reason;
  }
  EXPECT_TRUE(registry_.closes.empty());
}

TEST_F(ResolveOperationTest, UnknownIsClosedAfterTheLongestQuarantineThatItsPlanCanHave) {
  const std::string id = PutInReview().id();
  registry_.records.at(id).set_state(v1::OPERATION_STATE_UNKNOWN);
  ASSERT_TRUE(Resolve(Request(id, v1::RESOLUTION_NOT_EXECUTED)).ok());
  EXPECT_EQ(registry_.closes.at(0).quarantine, LongestQuarantine(settings_, 1));

  PlanRegistration longer = *plans_.Find(registry_.records.at(id).rpc());
  longer.steps.push_back(&kind_);
  longer.steps.push_back(&kind_);
  plans_ = *PlanTable::Of({std::move(longer)});
  registry_.records.at(id).set_state(v1::OPERATION_STATE_UNKNOWN);
  ASSERT_TRUE(Resolve(Request(id, v1::RESOLUTION_DONE)).ok());
  EXPECT_EQ(registry_.closes.at(1).quarantine - registry_.closes.at(0).quarantine,
            (settings_.send_window + settings_.attempt_deadline) * 2);

  registry_.records.at(id).set_state(v1::OPERATION_STATE_UNKNOWN);
  registry_.records.at(id).set_rpc("tollbridge.payments.v1.Payments/Gone");
  ASSERT_TRUE(Resolve(Request(id, v1::RESOLUTION_DONE)).ok());
  EXPECT_GT(registry_.closes.at(2).quarantine, registry_.closes.at(1).quarantine)
      << "of a plan that is not known here";
}

TEST_F(ResolveOperationTest, AStoreClockThatWasSetForwardEndsNoQuarantine) {
  const std::string id = PutInReview().id();
  v1::Operation& record = registry_.records.at(id);
  record.set_state(v1::OPERATION_STATE_UNKNOWN);
  const ports::Millis quarantine = LongestQuarantine(settings_, 1);
  *record.mutable_steps(0)->mutable_sent_at() =
      domain::ToTimestamp(clock_.WallNow() - quarantine + ports::Millis(1));
  for (const v1::Resolution resolution : {v1::RESOLUTION_DONE, v1::RESOLUTION_NOT_EXECUTED}) {
    const absl::Status early = Resolve(Request(id, resolution)).status();
    EXPECT_THAT(early,
                FailsWith(StatusCode::kFailedPrecondition, domain::reason::kOperationNotInReview));
    EXPECT_TRUE(early.GetPayload(std::string(domain::kRetryInfoUrl)).has_value());
  }
  EXPECT_TRUE(registry_.closes.empty());
  clock_.Advance(ports::Millis(1));
  EXPECT_TRUE(Resolve(Request(id, v1::RESOLUTION_NOT_EXECUTED)).ok());
}

TEST_F(ResolveOperationTest, TellsWhatTheEvidenceShows) {
  const std::pair<Presence, v1::Evidence> shown[] = {
      {Presence::kPresent, v1::EVIDENCE_PRESENT},
      {Presence::kAbsent, v1::EVIDENCE_ABSENT},
      {Presence::kNoTarget, v1::EVIDENCE_ABSENT},
      {Presence::kUndecided, v1::EVIDENCE_UNDECIDED},
      {Presence::kAmbiguous, v1::EVIDENCE_AMBIGUOUS},
  };
  for (const auto& [presence, evidence] : shown) {
    finding_ = {.presence = presence, .result = nullptr, .reason = "as it is there"};
    const auto response = Resolve(Request(PutInReview().id(), v1::RESOLUTION_DONE));
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->evidence(), evidence);
    EXPECT_EQ(response->evidence_seen(), "as it is there");
  }
  finding_.reason = "order 4111 1111 1111 1111\n\x1b[2Jfound";
  const std::string seen =
      Resolve(Request(PutInReview().id(), v1::RESOLUTION_DONE))->evidence_seen();
  EXPECT_THAT(seen, Not(HasSubstr("4111 1111 1111")));
  EXPECT_THAT(seen, HasSubstr("  [2Jfound")) << "ids are as the payment service writes them";
  kind_.completes = false;
  finding_.presence = Presence::kPresent;
  EXPECT_EQ(Resolve(Request(PutInReview().id(), v1::RESOLUTION_DONE))->evidence(),
            v1::EVIDENCE_ABSENT)
      << "it ended before its last step";
  v1::Operation& review = PutInReview();
  review.set_review_of(OperationId(Shop().id, "another").ToString());
  EXPECT_EQ(Resolve(Request(review.id(), v1::RESOLUTION_DONE))->evidence(),
            v1::EVIDENCE_UNSPECIFIED);
}

TEST_F(ResolveOperationTest, WhatMayBeOursWithoutItsMarkIsNotAbsent) {
  finding_ = {.presence = Presence::kAbsent, .reason = "order x", .perhaps_unmarked = true};
  EXPECT_EQ(Resolve(Request(PutInReview().id(), v1::RESOLUTION_DONE))->evidence(),
            v1::EVIDENCE_AMBIGUOUS);
  finding_ = {.presence = Presence::kAbsent, .reason = "1 older", .by_time_alone = true};
  EXPECT_EQ(Resolve(Request(PutInReview().id(), v1::RESOLUTION_DONE))->evidence(),
            v1::EVIDENCE_AMBIGUOUS);
}

TEST_F(ResolveOperationTest, AnEffectWithoutItsResultIsNotClosedAsNotExecutedEither) {
  const std::string id = PutInReview().id();
  finding_ = {.presence = Presence::kPresent, .result = nullptr, .reason = "seen, not read"};
  EXPECT_THAT(Resolve(Request(id, v1::RESOLUTION_NOT_EXECUTED)).status(),
              FailsWith(StatusCode::kFailedPrecondition, domain::reason::kOperationHappened));
}

TEST_F(ResolveOperationTest, ATrialIsCheckedAndChangesNothing) {
  const std::string id = PutInReview().id();
  v1::ResolveOperationRequest request = Request(id, v1::RESOLUTION_DONE);
  request.set_validate_only(true);
  EvidenceShowsTheOrder();
  const auto response = Resolve(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->evidence(), v1::EVIDENCE_PRESENT);
  ASSERT_EQ(registry_.closes.size(), 1U);
  EXPECT_TRUE(registry_.closes[0].validate_only);

  request.set_resolution(v1::RESOLUTION_NOT_EXECUTED);
  EXPECT_THAT(Resolve(request).status(),
              FailsWith(StatusCode::kFailedPrecondition, domain::reason::kOperationHappened));
}

TEST_F(ResolveOperationTest, ClosesTheRecordOnlyAsItWasSeen) {
  v1::Operation& record = PutInReview();
  record.add_transitions()->set_number(6);
  record.add_transitions()->set_number(7);
  const std::string id = record.id();
  ASSERT_TRUE(Resolve(Request(id, v1::RESOLUTION_DONE)).ok());
  EXPECT_EQ(registry_.closes.at(0).last_transition, 7) << "as it was read here";

  v1::ResolveOperationRequest request = Request(id, v1::RESOLUTION_DONE);
  request.set_last_transition((std::int64_t{1} << 32) + 7);
  registry_.records.at(id).set_state(v1::OPERATION_STATE_NEEDS_REVIEW);
  ASSERT_TRUE(Resolve(request).ok());
  EXPECT_EQ(registry_.closes.at(1).last_transition, request.last_transition())
      << "as the person saw it";
}

TEST_F(ResolveOperationTest, WhatHasEndedOrIsUnderWayIsNotClosed) {
  for (const auto state :
       {v1::OPERATION_STATE_RUNNING, v1::OPERATION_STATE_DONE, v1::OPERATION_STATE_NOT_EXECUTED}) {
    const absl::Status refused =
        Resolve(Request(Put("key", state).id(), v1::RESOLUTION_DONE)).status();
    EXPECT_THAT(refused,
                FailsWith(StatusCode::kFailedPrecondition, domain::reason::kOperationNotInReview));
  }
  EXPECT_TRUE(registry_.closes.empty());
}

TEST_F(ResolveOperationTest, AnOperationOfAnotherProjectIsAsGoodAsNone) {
  const std::string id = PutInReview("key", Other()).id();
  EXPECT_EQ(domain::ReasonOf(Resolve(Request(id, v1::RESOLUTION_DONE)).status()),
            domain::reason::kOperationNotFound);
  EXPECT_TRUE(registry_.closes.empty());
}

TEST_F(ResolveOperationTest, RefusesWhatSaysTooLittle) {
  const v1::ResolveOperationRequest fine = Request(kOrderId, v1::RESOLUTION_DONE);
  EXPECT_TRUE(ResolveOperationViolations(fine, &shop_).empty());
  v1::ResolveOperationRequest no_resolution = Request(kOrderId, v1::RESOLUTION_UNSPECIFIED);
  v1::ResolveOperationRequest no_note = Request(kOrderId, v1::RESOLUTION_DONE);
  no_note.set_note(" \n");
  for (const auto& request : {no_resolution, no_note}) {
    EXPECT_EQ(ResolveOperationViolations(request, &shop_).size(), 1U) << request.ShortDebugString();
  }
}

TEST_F(ResolveOperationTest, SaysWhenTheStoreIsDown) {
  const std::string id = PutInReview().id();
  registry_.down = test::FakeOperationRegistry::Down();
  EXPECT_EQ(domain::ReasonOf(Resolve(Request(id, v1::RESOLUTION_DONE)).status()),
            domain::reason::kStoreUnavailable);
}

}  // namespace
}  // namespace tollbridge::operations
