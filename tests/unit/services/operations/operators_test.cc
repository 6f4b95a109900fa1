#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "services/domain/errors.h"
#include "services/operations/list_operations.h"
#include "services/operations/outcome.h"
#include "services/operations/resolve_operation.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/fakes/fake_store.h"
#include "tests/support/fakes/unasked_payment_service.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::operations {
namespace {

using ::testing::HasSubstr;

constexpr char kRpc[] = "tollbridge.payments.v1.Payments/CreateOrder";
constexpr char kOrder[] = "7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10";
constexpr char kTraceparent[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

absl::StatusOr<PlanResult> ReadOrder(const domain::Project& project,
                                     const google::protobuf::Message& last, ports::Knowledge) {
  auto response = std::make_shared<payments::v1::CreateOrderResponse>();
  *response->mutable_order() = static_cast<const common::v1::Order&>(last);
  PlanResult result;
  result.order = ports::OrderEntry{.key = {project.name, *Uuid::Parse(response->order().id())}};
  result.response = std::move(response);
  return result;
}

/// What operators do, on the records that the product's own scripts keep.
class OperatorsTest : public ::testing::Test {
 protected:
  OperatorsTest() {
    kind_.name = "create_order";
    kind_.look = [this](ports::PaymentService&,
                        const LookRequest&) -> boost::asio::awaitable<Finding> {
      co_return finding_;
    };
    PlanRegistration registration;
    registration.rpc = kRpc;
    registration.steps = {&kind_};
    registration.result = ReadOrder;
    plans_ = *PlanTable::Of({std::move(registration)});
    keys_->fingerprints.keys = {{"f1", std::string(32, 'f')}};
    keys_->outcomes.keys = {{"o1", std::string(32, 'o')}};
    auto order = std::make_shared<common::v1::Order>();
    order->set_id(kOrder);
    finding_ = {.presence = Presence::kPresent, .result = order, .reason = "order found"};
  }

  ports::Context Within() const {
    return {.deadline = clock_.BootNow() + std::chrono::seconds(15), .trace = {}};
  }
  static ports::OperationIdentity Identity() {
    return {.id = *Uuid::Parse("3f2504e0-4f89-51d3-9a0c-0305e82c3301"),
            .rpc = kRpc,
            .project = "shop",
            .fingerprints = {{.key_id = "f1", .digest = "digest"}},
            .capture_mode = "manual",
            .traceparent = kTraceparent,
            .gate_order = std::nullopt};
  }
  ports::ClaimResult Claim() {
    const ports::ClaimRequest request{.identity = Identity(),
                                      .owner = "owner",
                                      .lease = std::chrono::seconds(30),
                                      .good_for = std::chrono::seconds(5),
                                      .first_step = {.name = "create_order"}};
    return *test::Await(context_, store_.Claim(request, Within()));
  }
  /// The key has run, and only a person can say what became of it.
  void LeaveInReview() {
    const ports::ClaimResult claimed = Claim();
    ASSERT_EQ(claimed.verdict, ports::ClaimVerdict::kClaimed);
    ports::FinishRequest finish;
    finish.identity = Identity();
    finish.attempt = claimed.attempt;
    finish.epoch = claimed.epoch;
    finish.owner = "owner";
    finish.step.name = "create_order";
    finish.to = operations::v1::OPERATION_STATE_NEEDS_REVIEW;
    finish.review_reason = ports::review::kAmbiguous;
    finish.reason = "two orders fit";
    ASSERT_EQ(*test::Await(context_, store_.Finish(finish, Within())),
              ports::FinishVerdict::kRecorded);
  }
  v1::ListOperationsResponse List(const v1::ListOperationsRequest& request) {
    return *test::Await(context_, ListOperations(store_, project_, request, Within()));
  }
  absl::StatusOr<v1::ResolveOperationResponse> Resolve(v1::Resolution resolution) {
    v1::ResolveOperationRequest request;
    request.set_operation_id(Identity().id.ToString());
    request.set_resolution(resolution);
    request.set_note("seen in the portal");
    const ResolvePorts ports{.registry = store_,
                             .service = service_,
                             .clock = clock_,
                             .metrics = metrics_,
                             .plans = plans_,
                             .conclusions = conclusions_,
                             .settings = settings_};
    return test::Await(context_, ResolveOperation(ports, project_, request,
                                                  {.identity = "anna.example"}, Within()));
  }

  boost::asio::io_context context_;
  const Settings settings_;
  test::FakeClock clock_;
  test::FakeStore store_{[this] { return clock_.WallNow(); }};
  test::UnaskedPaymentService service_;
  telemetry::Metrics metrics_;
  test::FakeRng rng_;
  std::shared_ptr<OperationKeys> keys_ = std::make_shared<OperationKeys>();
  Conclusions conclusions_{[this] { return keys_; }, rng_};
  domain::Project project_{.name = "shop",
                           .id = *Uuid::Parse("3b241101-e2bb-4255-8caf-4136c566a962")};
  StepKind kind_;
  PlanTable plans_;
  Finding finding_;
};

TEST_F(OperatorsTest, WhatIsInReviewIsListedUntilItIsClosedAndTheKeyThenAnswersTheOutcome) {
  LeaveInReview();
  v1::ListOperationsRequest in_review;
  in_review.set_state(v1::OPERATION_STATE_NEEDS_REVIEW);
  ASSERT_EQ(List(in_review).operations_size(), 1);
  EXPECT_EQ(List(in_review).operations(0).review_reason(), ports::review::kAmbiguous);

  const auto closed = Resolve(v1::RESOLUTION_DONE);
  ASSERT_TRUE(closed.ok()) << closed.status();
  EXPECT_EQ(closed->operation().state(), v1::OPERATION_STATE_DONE);
  EXPECT_EQ(closed->operation().knowledge(), v1::KNOWLEDGE_RECOVERED);
  const v1::Transition& last =
      closed->operation().transitions(closed->operation().transitions_size() - 1);
  EXPECT_EQ(last.owner(), "anna.example");
  EXPECT_THAT(last.evidence(), HasSubstr("seen in the portal"));
  EXPECT_EQ(List({}).operations_size(), 0);

  const ports::ClaimResult again = Claim();
  ASSERT_EQ(again.verdict, ports::ClaimVerdict::kDone);
  const auto outcome = OpenOutcome(again.outcome, Identity().id, keys_->outcomes);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  payments::v1::CreateOrderResponse kept;
  ASSERT_TRUE(kept.ParseFromString(outcome->response()));
  EXPECT_EQ(kept.order().id(), kOrder);
}

TEST_F(OperatorsTest, TheOrderThatIsFoundIsDueWithWhatItsCreatingCallSent) {
  LeaveInReview();
  ASSERT_TRUE(Resolve(v1::RESOLUTION_DONE).ok());
  const ports::FamilyKey family{.project = "shop", .root = *Uuid::Parse(kOrder)};
  const auto kept = test::Await(context_, store_.Load(family, Within()));
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_TRUE(kept->due.has_value());
  EXPECT_EQ(kept->entry.capture_mode, "manual");
  EXPECT_EQ(kept->entry.traceparent, kTraceparent);
}

TEST_F(OperatorsTest, TheOrderThatIsFoundIsTheOperationsAndNoOrphan) {
  LeaveInReview();
  const auto closed = Resolve(v1::RESOLUTION_DONE);
  ASSERT_TRUE(closed.ok()) << closed.status();
  EXPECT_EQ(closed->operation().order_id(), kOrder);
  v1::ListOperationsRequest of_the_order;
  of_the_order.set_order_id(kOrder);
  EXPECT_EQ(List(of_the_order).operations_size(), 1);

  const domain::Mark mark{.operation = Identity().id, .epoch = std::string(8, 'x'), .attempt = 1};
  const ports::FamilyKey family{.project = "shop", .root = *Uuid::Parse(kOrder)};
  EXPECT_EQ(*test::Await(context_, store_.JudgeMark(mark, family, true, Within())),
            ports::MarkVerdict::kOurs);
}

TEST_F(OperatorsTest, ClosedWithoutEvidenceTheKeyAnswersWithoutAResult) {
  LeaveInReview();
  finding_ = {.presence = Presence::kAbsent, .result = nullptr, .reason = "nothing"};
  ASSERT_TRUE(Resolve(v1::RESOLUTION_DONE).ok());
  const ports::ClaimResult again = Claim();
  EXPECT_EQ(again.verdict, ports::ClaimVerdict::kDone);
  EXPECT_EQ(again.outcome, "");
}

TEST_F(OperatorsTest, ClosedAsNotExecutedTheKeyRunsAgainAsTheNextAttempt) {
  LeaveInReview();
  finding_ = {.presence = Presence::kAbsent, .result = nullptr, .reason = "nothing"};
  ASSERT_TRUE(Resolve(v1::RESOLUTION_NOT_EXECUTED).ok());
  const ports::ClaimResult again = Claim();
  EXPECT_EQ(again.verdict, ports::ClaimVerdict::kClaimed);
  EXPECT_EQ(again.attempt, 2U);
  EXPECT_TRUE(again.earlier_unproven) << "a person's word is no proof";
}

TEST_F(OperatorsTest, ASecondClosingIsRefused) {
  LeaveInReview();
  ASSERT_TRUE(Resolve(v1::RESOLUTION_DONE).ok());
  EXPECT_EQ(domain::ReasonOf(Resolve(v1::RESOLUTION_NOT_EXECUTED).status()),
            domain::reason::kOperationNotInReview);
}

}  // namespace
}  // namespace tollbridge::operations
