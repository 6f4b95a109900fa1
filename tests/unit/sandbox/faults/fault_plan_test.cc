#include "sandbox/faults/fault_plan.h"
#include "sandbox/core/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/json/parse.hpp>
#include <chrono>
#include <ostream>
#include <string>
#include <string_view>

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::array<std::string_view, 3> kOperations = {"create_order", "get_order", "capture"};

Result<FaultPlan> Read(std::string_view text) {
  return ReadFaultPlan(json::parse(json::string_view(text.data(), text.size())).as_object(),
                       kOperations);
}

FaultPlan Good(std::string_view text) {
  auto read = Read(text);
  if (!read.ok()) ADD_FAILURE() << read.error().value;
  return read.ok() ? *read : FaultPlan{};
}

/// The fault of a plan with this one.
Fault FaultOf(const std::string& fault) {
  const FaultPlan plan = Good(R"({"rules": [{"fault": )" + fault + "}]}");
  return plan.rules.empty() ? Fault{} : plan.rules.front().fault;
}

TEST(ReadFaultPlanTest, EmptyObjectIsThePlanWithoutFaults) {
  const FaultPlan plan = Good("{}");
  EXPECT_THAT(plan.rules, IsEmpty());
  EXPECT_FALSE(plan.seed);
}

TEST(ReadFaultPlanTest, EveryFieldOfARuleIsRead) {
  const FaultPlan plan = Good(R"({"seed": 42, "rules": [
      {"name": "captures", "on": {"operation": ["capture", "create_order"],
        "order": "0A0A0A0A-1111-4111-8111-111111111111", "merchant_order_id": "m-1", "from": 2,
        "to": 5, "probability": 0.25, "times": 3}, "fault": {"kind": "drop_after"}}]})");
  EXPECT_EQ(plan.seed, 42u);
  ASSERT_EQ(plan.rules.size(), 1u);
  const FaultRule& rule = plan.rules[0];
  EXPECT_EQ(rule.name, "captures");
  EXPECT_THAT(rule.operations, ElementsAre("capture", "create_order"));
  EXPECT_EQ(rule.order, "0a0a0a0a-1111-4111-8111-111111111111");
  EXPECT_EQ(rule.merchant_order_id, "m-1");
  EXPECT_EQ(rule.from, 2);
  EXPECT_EQ(rule.to, 5);
  EXPECT_DOUBLE_EQ(rule.probability, 0.25);
  EXPECT_EQ(rule.times, 3);
  EXPECT_EQ(rule.fault.kind, FaultKind::kDropAfter);
}

TEST(ReadFaultPlanTest, NthIsOneCallAndNothingIsEveryCall) {
  const FaultPlan plan = Good(R"({"rules": [{"on": {"nth": 3}, "fault": {"kind": "garble"}},
                                            {"fault": {"kind": "garble"}}]})");
  ASSERT_EQ(plan.rules.size(), 2u);
  EXPECT_EQ(plan.rules[0].from, 3);
  EXPECT_EQ(plan.rules[0].to, 3);
  EXPECT_EQ(plan.rules[1].from, 1);
  EXPECT_FALSE(plan.rules[1].to);
  EXPECT_DOUBLE_EQ(plan.rules[1].probability, 1);
  EXPECT_FALSE(plan.rules[1].times);
}

TEST(ReadFaultPlanTest, DetailsOfEachKindAreRead) {
  using std::chrono::milliseconds;
  EXPECT_EQ(FaultOf(R"({"kind": "latency", "milliseconds": 250})").time, milliseconds(250));
  const Fault status = FaultOf(R"({"kind": "status", "status": 409, "body": {"a": [1]}})");
  EXPECT_EQ(status.kind, FaultKind::kStatus);
  EXPECT_EQ(status.status, 409);
  EXPECT_EQ(status.body, R"({"a":[1]})");
  EXPECT_EQ(FaultOf(R"({"kind": "status", "status": 409, "body": null})").body, "null");
  EXPECT_EQ(FaultOf(R"({"kind": "status", "status": 500, "type": "Odd"})").type, "Odd");
  EXPECT_EQ(FaultOf(R"({"kind": "drop_before"})").kind, FaultKind::kDropBefore);
  EXPECT_EQ(FaultOf(R"({"kind": "reset", "after_bytes": 20})").bytes, 20u);
  EXPECT_EQ(FaultOf(R"({"kind": "truncate", "after_bytes": 0})").kind, FaultKind::kTruncate);
  EXPECT_EQ(FaultOf(R"({"kind": "slow_body", "bytes_per_second": 5})").bytes, 5u);
  EXPECT_FALSE(FaultOf(R"({"kind": "too_many_requests"})").retry_after_seconds);
  EXPECT_EQ(
      FaultOf(R"({"kind": "too_many_requests", "retry_after_seconds": 7})").retry_after_seconds, 7);
  EXPECT_EQ(FaultOf(R"({"kind": "status_after", "status": 503})").status, 503);
  EXPECT_EQ(FaultOf(R"({"kind": "html"})").status, 502);
  EXPECT_EQ(FaultOf(R"({"kind": "html", "status": null})").status, 502);
  EXPECT_EQ(FaultOf(R"({"kind": "html", "status": 504})").status, 504);
  EXPECT_EQ(FaultOf(R"({"kind": "delayed_execution", "seconds": 30})").time, milliseconds(30'000));
  EXPECT_EQ(FaultOf(R"({"kind": "read_lag", "seconds": 0.5})").time, milliseconds(500));
  EXPECT_EQ(FaultOf(R"({"kind": "lose"})").kind, FaultKind::kLose);
  EXPECT_EQ(FaultOf(R"({"kind": "duplicate"})").times, 1);
  EXPECT_EQ(FaultOf(R"({"kind": "duplicate", "times": 4})").times, 4);
  EXPECT_EQ(FaultOf(R"({"kind": "delay", "seconds": 90})").time, milliseconds(90'000));
  EXPECT_EQ(FaultOf(R"({"kind": "reorder"})").kind, FaultKind::kReorder);
}

struct BadPlan {
  std::string_view name;
  std::string_view plan;
  std::string_view error;
};

void PrintTo(const BadPlan& plan, std::ostream* out) { *out << plan.name; }

class BadPlanTest : public testing::TestWithParam<BadPlan> {};

TEST_P(BadPlanTest, IsRefusedWith422NamingTheField) {
  const auto read = Read(GetParam().plan);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().status, 422);
  EXPECT_EQ(read.error().type, "ValidationError");
  EXPECT_EQ(read.error().value, GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Plans, BadPlanTest,
    testing::Values(
        BadPlan{"UnknownAtTop", R"({"rule": []})", "rule is not a field; did you mean 'rules'?"},
        BadPlan{"NegativeSeed", R"({"seed": -1})",
                "seed must be an integer from 0 to 9223372036854775807"},
        BadPlan{"RulesNoList", R"({"rules": {}})", "rules must be an array"},
        BadPlan{"RuleNoObject", R"({"rules": [7]})", "rules[0] must be an object"},
        BadPlan{"NoFault", R"({"rules": [{}]})", "rules[0].fault is required"},
        BadPlan{"SecondRule", R"({"rules": [{"fault": {"kind": "lose"}}, {}]})",
                "rules[1].fault is required"},
        BadPlan{"UnknownInRule", R"({"rules": [{"fault": {"kind": "lose"}, "if": 1}]})",
                "rules[0].if is not a field; known here: name, on, fault"},
        BadPlan{"EmptyName", R"({"rules": [{"name": "", "fault": {"kind": "lose"}}]})",
                "rules[0].name must have 1 to 100 bytes"},
        BadPlan{"OnNoObject", R"({"rules": [{"on": "capture", "fault": {"kind": "garble"}}]})",
                "rules[0].on must be an object"},
        BadPlan{"UnknownInOn", R"({"rules": [{"on": {"every": 2}, "fault": {"kind": "garble"}}]})",
                "rules[0].on.every is not a field; known here: operation, order, "
                "merchant_order_id, nth, from, to, probability, times"},
        BadPlan{"UnknownOperation",
                R"({"rules": [{"on": {"operation": "captures"}, "fault": {"kind": "garble"}}]})",
                "rules[0].on.operation must be a known operation, or a list of them"},
        BadPlan{"OperationNoText",
                R"({"rules": [{"on": {"operation": [1]}, "fault": {"kind": "garble"}}]})",
                "rules[0].on.operation must be a known operation, or a list of them"},
        BadPlan{"NoOperations",
                R"({"rules": [{"on": {"operation": []}, "fault": {"kind": "garble"}}]})",
                "rules[0].on.operation must be an operation or a list of 1 to 100 of them"},
        BadPlan{"OrderNoId", R"({"rules": [{"on": {"order": "7"}, "fault": {"kind": "garble"}}]})",
                "rules[0].on.order must be a uuid"},
        BadPlan{"ReferenceNoText",
                R"({"rules": [{"on": {"merchant_order_id": 7}, "fault": {"kind": "garble"}}]})",
                "rules[0].on.merchant_order_id must be a string"},
        BadPlan{"NthZero", R"({"rules": [{"on": {"nth": 0}, "fault": {"kind": "garble"}}]})",
                "rules[0].on.nth must be an integer from 1 to 1000000000"},
        BadPlan{"NthFraction", R"({"rules": [{"on": {"nth": 1.0}, "fault": {"kind": "garble"}}]})",
                "rules[0].on.nth must be an integer from 1 to 1000000000"},
        BadPlan{"NthAndFrom",
                R"({"rules": [{"on": {"nth": 1, "from": 1}, "fault": {"kind": "garble"}}]})",
                "rules[0].on.nth cannot stand beside from and to"},
        BadPlan{"ToBeforeFrom",
                R"({"rules": [{"on": {"from": 3, "to": 2}, "fault": {"kind": "garble"}}]})",
                "rules[0].on.to must not be less than from"},
        BadPlan{"ProbabilityAboveOne",
                R"({"rules": [{"on": {"probability": 1.5}, "fault": {"kind": "garble"}}]})",
                "rules[0].on.probability must be a number from 0 to 1"},
        BadPlan{"TimesZero", R"({"rules": [{"on": {"times": 0}, "fault": {"kind": "garble"}}]})",
                "rules[0].on.times must be an integer from 1 to 1000000000"},
        BadPlan{"NoKind", R"({"rules": [{"fault": {}}]})", "rules[0].fault.kind is required"},
        BadPlan{"UnknownKind", R"({"rules": [{"fault": {"kind": "explode"}}]})",
                "rules[0].fault.kind must be latency, status, drop_before, drop_after, "
                "reset, garble, truncate, slow_body, too_many_requests, status_after, html, "
                "delayed_execution, read_lag, lose, duplicate, delay or reorder"},
        BadPlan{"KindNoText", R"({"rules": [{"fault": {"kind": 3}}]})",
                "rules[0].fault.kind must be a string"},
        BadPlan{"DetailOfAnotherKind",
                R"({"rules": [{"fault": {"kind": "garble", "after_bytes": 3}}]})",
                "rules[0].fault.after_bytes is not a field; known here: kind"},
        BadPlan{"NoMilliseconds", R"({"rules": [{"fault": {"kind": "latency"}}]})",
                "rules[0].fault.milliseconds is required"},
        BadPlan{"TooMuchLatency",
                R"({"rules": [{"fault": {"kind": "latency", "milliseconds": 600001}}]})",
                "rules[0].fault.milliseconds must be an integer from 0 to 600000"},
        BadPlan{"NoStatus", R"({"rules": [{"fault": {"kind": "status"}}]})",
                "rules[0].fault.status is required"},
        BadPlan{"InterimStatus", R"({"rules": [{"fault": {"kind": "status", "status": 100}}]})",
                "rules[0].fault.status must be an integer from 200 to 599"},
        BadPlan{"TypeAndBody",
                R"({"rules": [{"fault": {"kind": "status", "status": 400, "type": "A",
                                         "body": 1}}]})",
                "rules[0].fault.type cannot stand beside body"},
        BadPlan{"GoodStatusAfter",
                R"({"rules": [{"fault": {"kind": "status_after", "status": 200}}]})",
                "rules[0].fault.status must be an integer from 400 to 599"},
        BadPlan{"NegativeBytes", R"({"rules": [{"fault": {"kind": "reset", "after_bytes": -1}}]})",
                "rules[0].fault.after_bytes must be an integer from 0 to 1073741824"},
        BadPlan{"NoSpeed",
                R"({"rules": [{"fault": {"kind": "slow_body", "bytes_per_second": 0}}]})",
                "rules[0].fault.bytes_per_second must be an integer from 1 to 1073741824"},
        BadPlan{"RetryAfterNoNumber",
                R"({"rules": [{"fault": {"kind": "too_many_requests",
                                         "retry_after_seconds": "7"}}]})",
                "rules[0].fault.retry_after_seconds must be an integer from 0 to 86400"},
        BadPlan{"TooManySeconds",
                R"({"rules": [{"fault": {"kind": "delayed_execution", "seconds": 1e300}}]})",
                "rules[0].fault.seconds must be a number from 0 to 86400"},
        BadPlan{"TooManyDuplicates",
                R"({"rules": [{"fault": {"kind": "duplicate", "times": 101}}]})",
                "rules[0].fault.times must be an integer from 1 to 100"},
        BadPlan{"WebhookFaultOnACall",
                R"({"rules": [{"on": {"operation": "capture"}, "fault": {"kind": "lose"}}]})",
                "rules[0].fault.kind is for webhooks only"},
        BadPlan{"UnknownComesFirst", R"({"ruls": 1, "seed": -1, "rules": {}})",
                "ruls is not a field; did you mean 'rules'?"},
        BadPlan{"MisspelledDetail",
                R"({"rules": [{"fault": {"kind": "latency", "millisecond": 5}}]})",
                "rules[0].fault.millisecond is not a field; did you mean 'milliseconds'?"},
        BadPlan{"UnknownCardNumber", R"({"4111111111111111": 1})",
                "411111******1111 is not a field; known here: seed, rules"},
        BadPlan{"CallFaultOnAWebhook",
                R"({"rules": [{"on": {"operation": ["capture", "webhook"]},
                               "fault": {"kind": "garble"}}]})",
                "rules[0].fault.kind is not for webhooks"}),
    [](const testing::TestParamInfo<BadPlan>& info) { return std::string(info.param.name); });

TEST(ReadFaultPlanTest, TooManyRulesAreRefused) {
  json::array rules(101, json::parse(R"({"fault": {"kind": "garble"}})"));
  json::object plan;
  plan["rules"] = rules;
  EXPECT_FALSE(ReadFaultPlan(plan, kOperations).ok());
  rules.pop_back();
  plan["rules"] = rules;
  EXPECT_TRUE(ReadFaultPlan(plan, kOperations).ok());
}

TEST(ReadFaultPlanTest, UnknownFieldIsNotRepeatedWholeAndValuesNotAtAll) {
  json::object plan;
  plan[std::string(5000, 'x')] = "secret";
  const auto read = ReadFaultPlan(plan, kOperations);
  ASSERT_FALSE(read.ok());
  EXPECT_LT(read.error().value.size(), 110u);
  EXPECT_EQ(read.error().value.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace tollbridge::sandbox
