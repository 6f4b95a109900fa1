// Limits of money, as the engine asks for them and tells of them.

#include "services/operations/money.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/telemetry/metric_definitions.h"
#include "tests/support/fails_with.h"
#include "tests/support/series.h"
#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

using Function = test::FakePaymentService::Function;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

class MoneyTest : public EngineTest {
 protected:
  /// A plan of the project with limits, that gives back an amount of an order, or pays it out.
  Plan Moving(const std::string& key, std::int64_t amount, MoneyKind kind) {
    Plan plan = MakePlan(Request(key, amount));
    plan.project = &project_;
    plan.caller = "spiffe://shop.example/desk";
    plan.money = MoneyMoved{.kind = kind, .amount = amount, .currency = ""};
    if (kind == MoneyKind::kPayouts) {
      plan.money->currency = "EUR";
    } else {
      plan.gate_order = order_.id();
    }
    return plan;
  }
  Reply Refund(const std::string& key, std::int64_t amount) {
    return Run(Moving(key, amount, MoneyKind::kRefunds));
  }
  Reply PayOut(const std::string& key, std::int64_t amount) {
    return Run(Moving(key, amount, MoneyKind::kPayouts));
  }
  common::v1::Order Existing() {
    const common::v1::Order made = service_.MakeOrder(Request("before", 900));
    service_.PutOrder(made);
    return made;
  }
  double Limited(const std::string& kind, const std::string& measure) {
    return test::SeriesOf(metrics_, telemetry::kMoneyLimited, {kind, measure}).value_or(0);
  }

  domain::Project project_ = TestProject();
  common::v1::Order order_ = Existing();
};

TEST_F(MoneyTest, WithoutALimitNothingIsAskedOrSaid) {
  EXPECT_TRUE(Refund("key", 500).status.ok());
  ASSERT_THAT(store_.claims, SizeIs(1));
  EXPECT_FALSE(store_.claims.front().money.has_value());
  EXPECT_EQ(service_.CallsOf(Function::kGetOrder), 0U);
}

TEST_F(MoneyTest, ALimitOfWhatThePlanDoesNotMoveConcernsItNot) {
  project_.refund_limits = {{.currency = "EUR", .amount = 1}};
  EXPECT_TRUE(PayOut("payout", 500).status.ok());
  EXPECT_FALSE(store_.claims.back().money.has_value());
  EXPECT_TRUE(Call("order", 500).status.ok());
  EXPECT_FALSE(store_.claims.back().money.has_value());
}

TEST_F(MoneyTest, WhatWouldPassTheLimitIsNotSentAndSaysWhenTheDayEnds) {
  project_.payout_limits = {{.currency = "EUR", .amount = 1000}};
  ASSERT_TRUE(PayOut("first", 600).status.ok());
  const Reply refused = PayOut("second", 401);
  EXPECT_THAT(refused.status, FailsWith(absl::StatusCode::kFailedPrecondition, "MONEY_LIMIT"));
  EXPECT_EQ(Metadata(refused.status, "limit"), "payouts.EUR amount");
  EXPECT_EQ(Metadata(refused.status, "retry"), "SAFE_SAME_KEY");
  EXPECT_TRUE(HasRetryInfo(refused.status));
  EXPECT_THAT(Metadata(refused.status, "day_ends"), testing::EndsWith("T00:00:00Z"));
  EXPECT_EQ(service_.CallsOf(Function::kCreateOrder), 1U);
  EXPECT_EQ(State("second"), v1::OPERATION_STATE_UNSPECIFIED);
  EXPECT_EQ(Limited("payouts", "amount"), 1);

  clock_.Advance(std::chrono::hours(24));
  EXPECT_TRUE(PayOut("second", 401).status.ok()) << "the same key, when the day is over";
}

TEST_F(MoneyTest, WhatPassesItOnAnyDayIsNotToBeRepeated) {
  project_.payout_limits = {{.currency = "EUR", .amount = 1000}};
  const Reply refused = PayOut("key", 1001);
  EXPECT_THAT(refused.status, FailsWith(absl::StatusCode::kFailedPrecondition, "MONEY_LIMIT"));
  EXPECT_EQ(Metadata(refused.status, "retry"), "AFTER_CHANGE");
  EXPECT_FALSE(HasRetryInfo(refused.status));

  // No day counts more than this, limited by amount or not.
  project_.payout_limits = {{.currency = "*", .count = 5}};
  const Reply beyond = PayOut("beyond", std::int64_t{1} << 53);
  EXPECT_THAT(beyond.status, FailsWith(absl::StatusCode::kFailedPrecondition, "MONEY_LIMIT"));
  EXPECT_EQ(Metadata(beyond.status, "retry"), "AFTER_CHANGE");
  EXPECT_TRUE(PayOut("most", (std::int64_t{1} << 53) - 1).status.ok());
}

TEST_F(MoneyTest, EachCallerHasItsOwnAndAllTogetherHaveTheirs) {
  project_.payout_limits = {{.currency = "EUR", .amount = 1000},
                            {.currency = "*", .count = 2, .each_caller = true},
                            {.currency = "USD", .amount = 1}};
  ASSERT_TRUE(PayOut("first", 100).status.ok());
  EXPECT_THAT(
      *store_.claims.back().money->limits,
      ElementsAre(Field(&ports::MoneyLimit::name, "payouts.EUR"),
                  Field(&ports::MoneyLimit::name, "payouts.* of spiffe://shop.example/desk")));
  ASSERT_TRUE(PayOut("second", 100).status.ok());
  const Reply refused = PayOut("third", 100);
  EXPECT_EQ(Metadata(refused.status, "limit"), "payouts.* of spiffe://shop.example/desk count");
  EXPECT_EQ(Limited("payouts", "count"), 1);
  Plan of_another = Moving("fourth", 100, MoneyKind::kPayouts);
  of_another.caller = "spiffe://shop.example/other";
  EXPECT_TRUE(Run(std::move(of_another)).status.ok());
}

TEST_F(MoneyTest, TheCurrencyOfARefundIsReadFromItsOrderBeforeAnythingIsClaimed) {
  project_.refund_limits = {{.currency = "EUR", .amount = 1000}, {.currency = "USD", .amount = 1}};
  ASSERT_TRUE(Refund("first", 600).status.ok());
  EXPECT_EQ(service_.CallsOf(Function::kGetOrder), 1U);
  EXPECT_THAT(store_.claims, SizeIs(2));
  EXPECT_THAT(Refund("second", 401).status,
              FailsWith(absl::StatusCode::kFailedPrecondition, "MONEY_LIMIT"));
  EXPECT_TRUE(Refund("first", 600).replay);
  EXPECT_EQ(service_.CallsOf(Function::kGetOrder), 2U) << "not for a replay";
}

TEST_F(MoneyTest, ALimitOfAllTogetherNeedsNoCurrency) {
  project_.refund_limits = {{.currency = "*", .count = 1}};
  ASSERT_TRUE(Refund("first", 600).status.ok());
  EXPECT_EQ(service_.CallsOf(Function::kGetOrder), 0U);
  EXPECT_THAT(Refund("second", 1).status,
              FailsWith(absl::StatusCode::kFailedPrecondition, "MONEY_LIMIT"));
}

TEST_F(MoneyTest, WithoutTheOrderNothingIsClaimed) {
  project_.refund_limits = {{.currency = "EUR", .amount = 1000}};
  service_.HideFromReads(order_.id());
  const Reply refused = Refund("key", 600);
  EXPECT_EQ(domain::ReasonOf(refused.status), "ORDER_NOT_FOUND");
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNSPECIFIED);
  EXPECT_EQ(service_.CallsOf(Function::kCreateOrder), 0U);

  service_.Show(order_.id());
  order_.clear_currency();
  service_.PutOrder(order_);
  EXPECT_EQ(domain::ReasonOf(Refund("key", 600).status), "UPSTREAM_UNREADABLE");
  EXPECT_EQ(service_.CallsOf(Function::kCreateOrder), 0U);
}

TEST_F(MoneyTest, WhatMovesNoMoneyIsRefusedByAnOrderThatWouldAndElseRuns) {
  const auto start = [&](const std::string& key, bool is_payout) {
    Plan plan = Moving(key, 0, MoneyKind::kPayouts);
    plan.gate_order = order_.id();
    plan.money = MoneyMoved{.kind = MoneyKind::kPayouts, .amount = 0, .currency = ""};
    plan.money->moves_none = is_payout ? +[](const common::v1::Order&) {
      return domain::InvalidRequest({{.field = "order_id", .rule = "must not be of a payout"}});
    } : +[](const common::v1::Order&) { return absl::OkStatus(); };
    return Run(std::move(plan));
  };
  EXPECT_TRUE(start("unlimited", true).status.ok());
  EXPECT_EQ(service_.CallsOf(Function::kGetOrder), 0U) << "nothing is limited";

  project_.payout_limits = {{.currency = "EUR", .amount = 1000}};
  EXPECT_EQ(domain::ReasonOf(start("payout", true).status), "INVALID_REQUEST");
  EXPECT_EQ(State("payout"), v1::OPERATION_STATE_UNSPECIFIED);
  EXPECT_EQ(service_.CallsOf(Function::kCreateOrder), 1U);

  EXPECT_TRUE(start("payment", false).status.ok());
  EXPECT_FALSE(store_.claims.back().money.has_value()) << "it takes nothing of the day";
  EXPECT_TRUE(PayOut("all", 1000).status.ok());
  const std::size_t read = service_.CallsOf(Function::kGetOrder);
  EXPECT_TRUE(start("payment", false).replay);
  EXPECT_EQ(service_.CallsOf(Function::kGetOrder), read) << "not for a replay";

  project_.payout_limits.clear();
  project_.payout_approvals = {{.currency = "EUR", .above = 1000}};
  EXPECT_EQ(domain::ReasonOf(start("unapproved", true).status), "INVALID_REQUEST");
  EXPECT_EQ(State("unapproved"), v1::OPERATION_STATE_UNSPECIFIED);
}

TEST_F(MoneyTest, WhatMovesNoMoneyIsRefusedOfATransactionThatTheOrderDoesNotShow) {
  project_.payout_limits = {{.currency = "EUR", .amount = 1000}};
  order_.clear_transactions();
  order_.add_transactions()->set_id("0b4e6c1e-6a4a-4f0a-9c8d-1f1f0e6f2a10");
  service_.PutOrder(order_);
  const auto start = [&](const std::string& key, const std::string& transaction) {
    Plan plan = Moving(key, 0, MoneyKind::kPayouts);
    plan.gate_order = order_.id();
    plan.money->moves_none = +[](const common::v1::Order&) { return absl::OkStatus(); };
    plan.steps.front().target.transaction_id = transaction;
    return Run(std::move(plan)).status;
  };
  const absl::Status refused = start("other", "0b4e6c1e-6a4a-4f0a-9c8d-1f1f0e6f2a11");
  EXPECT_EQ(domain::ReasonOf(refused), "INVALID_REQUEST");
  EXPECT_EQ(service_.CallsOf(Function::kCreateOrder), 0U);
  EXPECT_TRUE(start("own", "0B4E6C1E-6A4A-4F0A-9C8D-1F1F0E6F2A10").ok());
}

TEST_F(MoneyTest, ACurrencyWithoutALimitIsNotLimited) {
  project_.refund_limits = {{.currency = "USD", .amount = 1}};
  EXPECT_TRUE(Refund("key", 600).status.ok());
  project_.payout_limits = project_.refund_limits;
  EXPECT_TRUE(PayOut("payout", 600).status.ok());
  EXPECT_FALSE(store_.claims.back().money.has_value());
}

TEST_F(MoneyTest, TheSendWindowBeginsAfterTheOrderWasRead) {
  project_.refund_limits = {{.currency = "EUR", .amount = 1000}};
  bool first = true;
  store_.during_claim = [&] {
    if (first) clock_.Advance(std::chrono::seconds(9));  // as slow as it may be
    first = false;
  };
  EXPECT_TRUE(Refund("key", 600).status.ok());
  EXPECT_EQ(service_.CallsOf(Function::kCreateOrder), 1U);
}

TEST_F(MoneyTest, WhatNeverLeftCountsNot) {
  project_.payout_limits = {{.currency = "EUR", .amount = 1000}};
  service_.AnswerNext(test::FakePaymentService::NotSent("connection refused"));
  EXPECT_FALSE(PayOut("key", 1000).status.ok());
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_TRUE(PayOut("another", 1000).status.ok());
}

TEST_F(MoneyTest, WhatIsNotKnownCountsUntilAbsenceIsKnown) {
  project_.payout_limits = {{.currency = "EUR", .amount = 1000}};
  service_.AnswerNext(test::FakePaymentService::NoAnswer("connection reset"));
  ShowNothing();
  ASSERT_TRUE(Response(PayOut("key", 1000)).has_pending());
  EXPECT_THAT(PayOut("another", 1).status,
              FailsWith(absl::StatusCode::kFailedPrecondition, "MONEY_LIMIT"));
  LookUntilAbsenceCounts();
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_TRUE(PayOut("another", 1).status.ok());
}

}  // namespace
}  // namespace tollbridge::operations
