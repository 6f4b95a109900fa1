// A second person, as the engine asks for one and as RPCs answer
// (docs/design/operations.md#rule-19).

#include "services/operations/approval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/telemetry/metric_definitions.h"
#include "services/operations/confirm_operation.h"
#include "services/operations/resolve_operation.h"
#include "tests/support/fails_with.h"
#include "tests/support/series.h"
#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

using Function = test::FakePaymentService::Function;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

class ApprovalTest : public EngineTest {
 protected:
  static Person Asker() {
    return {.identity = "spiffe://shop.example/a",
            .names = {"spiffe://shop.example/a", "a.shop.example"}};
  }
  static Person Other() {
    return {.identity = "spiffe://shop.example/b", .names = {"spiffe://shop.example/b"}};
  }

  Plan Moving(const std::string& key, std::int64_t amount, MoneyKind kind,
              const std::string& currency = "EUR") {
    Plan plan = MakePlan(Request(key, amount));
    plan.project = &project_;
    plan.caller = Asker().identity;
    plan.caller_names = Asker().names;
    plan.money = MoneyMoved{.kind = kind, .amount = amount, .currency = currency};
    return plan;
  }
  Reply PayOut(const std::string& key, std::int64_t amount) {
    return Run(Moving(key, amount, MoneyKind::kPayouts));
  }

  ResolvePorts Ports() {
    return {.registry = memory_,
            .service = service_,
            .clock = clock_,
            .metrics = metrics_,
            .plans = plans_,
            .conclusions = conclusions_,
            .settings = settings_};
  }
  absl::StatusOr<v1::ConfirmOperationResponse> Confirm(const std::string& key,
                                                       const std::string& approval,
                                                       const Person& who = Other(),
                                                       bool validate_only = false) {
    v1::ConfirmOperationRequest request;
    request.set_operation_id(OperationId(project_.id, key).ToString());
    request.set_approval_id(approval);
    request.set_note("called them");
    request.set_validate_only(validate_only);
    return test::Await(context_, ConfirmOperation(Ports(), project_, request, who, CallContext()));
  }
  absl::StatusOr<v1::ResolveOperationResponse> Resolve(const std::string& key,
                                                       v1::Resolution resolution,
                                                       const Person& who = Asker()) {
    v1::ResolveOperationRequest request;
    request.set_operation_id(OperationId(project_.id, key).ToString());
    request.set_resolution(resolution);
    request.set_note("seen in the portal");
    return test::Await(context_, ResolveOperation(Ports(), project_, request, who, CallContext()));
  }
  /// The key has run, and only a person can say what became of it.
  void LeaveInReview(const std::string& key) {
    ports::FinishRequest finish;
    finish.identity.id = OperationId(project_.id, key);
    finish.identity.rpc = std::string(kRpc);
    finish.identity.project = project_.name;
    finish.identity.fingerprints = {{.key_id = "f1", .digest = "digest"}};
    finish.owner = "owner";
    finish.step.name = "create_order";
    const ports::ClaimRequest claim{.identity = finish.identity,
                                    .owner = finish.owner,
                                    .lease = std::chrono::seconds(30),
                                    .good_for = std::chrono::seconds(5),
                                    .first_step = finish.step};
    const auto claimed = test::Await(context_, memory_.Claim(claim, CallContext()));
    ASSERT_TRUE(claimed.ok()) << claimed.status();
    finish.attempt = claimed->attempt;
    finish.epoch = claimed->epoch;
    finish.to = v1::OPERATION_STATE_NEEDS_REVIEW;
    finish.review_reason = ports::review::kAmbiguous;
    ASSERT_EQ(*test::Await(context_, memory_.Finish(finish, CallContext())),
              ports::FinishVerdict::kRecorded);
  }
  double Entered(const std::string& state) {
    return test::SeriesOf(metrics_, telemetry::kOperations,
                          {std::string(kRpc), state, project_.name})
        .value_or(0);
  }

  domain::Project project_ = TestProject();
  Conclusions conclusions_{Keys(), rng_};
};

TEST_F(ApprovalTest, OnlyAPayoutAboveItsLimitNeedsOne) {
  project_.payout_approvals = {{.currency = "EUR", .above = 1000}, {.currency = "*", .above = 5}};
  const auto needs = [&](std::int64_t amount, MoneyKind kind, const std::string& currency) {
    const Plan plan = Moving("key", amount, kind, currency);
    return ApprovalOf(plan, Uuid(), "owner", settings_).has_value();
  };
  EXPECT_FALSE(needs(1000, MoneyKind::kPayouts, "EUR"));
  EXPECT_TRUE(needs(1001, MoneyKind::kPayouts, "EUR"));
  EXPECT_FALSE(needs(1001, MoneyKind::kRefunds, "EUR"));
  EXPECT_FALSE(needs(5, MoneyKind::kPayouts, "USD"));
  EXPECT_TRUE(needs(6, MoneyKind::kPayouts, "USD")) << "another currency is no way around it";
  project_.payout_approvals.pop_back();
  EXPECT_FALSE(needs(6, MoneyKind::kPayouts, "USD"));
  EXPECT_FALSE(ApprovalOf(MakePlan(Request("key", 9999)), Uuid(), "owner", settings_).has_value());
}

TEST_F(ApprovalTest, APayoutAboveItsLimitIsSentWhenAnotherIdentityHasConfirmedIt) {
  project_.payout_approvals = {{.currency = "EUR", .above = 1000}};
  const Reply asked = PayOut("key", 1001);
  EXPECT_THAT(asked.status, FailsWith(absl::StatusCode::kFailedPrecondition, "APPROVAL_NEEDED"));
  EXPECT_EQ(Metadata(asked.status, "operation_id"), OperationId(project_.id, "key").ToString());
  EXPECT_EQ(Metadata(asked.status, "retry"), "AFTER_CHANGE");
  const std::string approval = Metadata(asked.status, "approval_id");
  EXPECT_EQ(Record("key").approval().id(), approval);
  EXPECT_THAT(Record("key").approval().reason(), HasSubstr("1001 EUR, above 1000"));
  EXPECT_THAT(PayOut("key", 1001).status,
              FailsWith(absl::StatusCode::kFailedPrecondition, "APPROVAL_NEEDED"));
  EXPECT_EQ(Entered("awaits_approval"), 1);
  EXPECT_THAT(PayOut("key", 1002).status,
              FailsWith(absl::StatusCode::kFailedPrecondition, "IDEMPOTENCY_KEY_REUSED"));
  EXPECT_THAT(Confirm("key", approval, Asker()),
              FailsWith(absl::StatusCode::kFailedPrecondition, "ANOTHER_IDENTITY_NEEDED"));
  ASSERT_TRUE(Confirm("key", approval, Other(), true).ok());
  EXPECT_THAT(PayOut("key", 1001).status,
              FailsWith(absl::StatusCode::kFailedPrecondition, "APPROVAL_NEEDED"))
      << "that was no more than a question";
  EXPECT_EQ(service_.CallsOf(Function::kCreateOrder), 0U);

  const auto confirmed = Confirm("key", approval);
  ASSERT_TRUE(confirmed.ok()) << confirmed.status();
  EXPECT_EQ(confirmed->operation().approval().confirmed_by(), Other().identity);
  EXPECT_EQ(service_.CallsOf(Function::kCreateOrder), 0U) << "the record keeps no request";
  EXPECT_TRUE(PayOut("key", 1001).status.ok());
  EXPECT_TRUE(PayOut("key", 1001).replay);
  EXPECT_EQ(service_.CallsOf(Function::kCreateOrder), 1U);
}

TEST_F(ApprovalTest, AfterTheHourTheKeyAsksAnew) {
  project_.payout_approvals = {{.currency = "EUR", .above = 1000}};
  const std::string first = Metadata(PayOut("key", 1001).status, "approval_id");
  ASSERT_TRUE(Confirm("key", first).ok());
  clock_.Advance(settings_.approval_lifetime);
  EngineTest::Resolve();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
  const std::string second = Metadata(PayOut("key", 1001).status, "approval_id");
  EXPECT_FALSE(second.empty());
  EXPECT_NE(second, first);
  EXPECT_EQ(service_.CallsOf(Function::kCreateOrder), 0U);
}

TEST_F(ApprovalTest, WithoutTheSettingOnePersonCloses) {
  LeaveInReview("key");
  const auto closed = Resolve("key", v1::RESOLUTION_NOT_EXECUTED);
  ASSERT_TRUE(closed.ok()) << closed.status();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(ApprovalTest, WithItAnotherIdentityCarriesOutWhatWasAsked) {
  settings_.resolve_needs_approval = true;
  LeaveInReview("key");
  const auto asked = Resolve("key", v1::RESOLUTION_NOT_EXECUTED);
  EXPECT_THAT(asked, FailsWith(absl::StatusCode::kFailedPrecondition, "APPROVAL_NEEDED"));
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NEEDS_REVIEW);
  const v1::Approval shown = Record("key").approval();
  EXPECT_EQ(shown.id(), Metadata(asked.status(), "approval_id"));
  EXPECT_EQ(shown.resolution(), v1::RESOLUTION_NOT_EXECUTED);
  EXPECT_EQ(shown.asked_by(), Asker().identity);
  EXPECT_EQ(shown.reason(), "seen in the portal");
  // After an answer that got lost.
  EXPECT_EQ(Metadata(Resolve("key", v1::RESOLUTION_NOT_EXECUTED).status(), "approval_id"),
            shown.id());
  EXPECT_THAT(Confirm("key", shown.id(), Asker()),
              FailsWith(absl::StatusCode::kFailedPrecondition, "ANOTHER_IDENTITY_NEEDED"));

  const auto closed = Confirm("key", shown.id());
  ASSERT_TRUE(closed.ok()) << closed.status();
  EXPECT_EQ(closed->operation().state(), v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(closed->evidence(), v1::EVIDENCE_UNDECIDED) << "it was read once more";
  const v1::Operation record = Record("key");
  ASSERT_THAT(record.transitions(), SizeIs(4));
  EXPECT_EQ(record.transitions(2).owner(), Asker().identity);
  EXPECT_EQ(record.transitions(2).evidence(),
            "asks to close it as not_executed: seen in the portal");
  EXPECT_EQ(record.transitions(3).owner(), Other().identity);
  EXPECT_THAT(record.transitions(3).evidence(),
              AllOf(HasSubstr("confirmed"), HasSubstr("called them")));
  EXPECT_EQ(Entered("not_executed"), 1);
  EXPECT_TRUE(Confirm("key", shown.id()).ok()) << "and once more";
  EXPECT_EQ(Entered("not_executed"), 1);
}

TEST_F(ApprovalTest, WhatHappenedMeanwhileIsNotClosedAsNotExecuted) {
  settings_.resolve_needs_approval = true;
  LeaveInReview("key");
  ShowNothing();
  ASSERT_FALSE(Resolve("key", v1::RESOLUTION_NOT_EXECUTED).ok());
  common::v1::Order order = service_.MakeOrder(Request("before", 900));
  Show(order);
  EXPECT_THAT(Confirm("key", Record("key").approval().id()),
              FailsWith(absl::StatusCode::kFailedPrecondition, "OPERATION_HAPPENED"));
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NEEDS_REVIEW);
}

TEST_F(ApprovalTest, ATrialOfEitherChangesNothing) {
  settings_.resolve_needs_approval = true;
  LeaveInReview("key");
  v1::ResolveOperationRequest request;
  request.set_operation_id(OperationId(project_.id, "key").ToString());
  request.set_resolution(v1::RESOLUTION_DONE);
  request.set_note("a trial");
  request.set_validate_only(true);
  EXPECT_TRUE(
      test::Await(context_, ResolveOperation(Ports(), project_, request, Asker(), CallContext()))
          .ok());
  EXPECT_FALSE(Record("key").has_approval());
  ASSERT_FALSE(Resolve("key", v1::RESOLUTION_DONE).ok());
  const std::string approval = Record("key").approval().id();
  EXPECT_TRUE(Confirm("key", approval, Other(), true).ok());
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_FALSE(Record("key").approval().has_confirmed_by());
}

}  // namespace
}  // namespace tollbridge::operations
