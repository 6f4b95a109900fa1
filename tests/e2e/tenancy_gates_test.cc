// An operation of one project that names the other's order holds nobody up, and pushes nothing out
// of the list of that order.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/tenant.h"
#include "tests/support/process.h"

namespace tollbridge::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// More operations than the list of an order keeps.
constexpr int kMoreThanAList = 66;

/// The next call about the order meets the fault, which is JSON; the ones after it do not.
std::string OneCallMeets(Kind kind, const std::string& order_id, const std::string& fault) {
  return R"({"rules":[{"on":{"operation":")" + RouteOf(kind) + R"(","order":")" + order_id +
         R"(","times":1},"fault":)" + fault + "}]}";
}

/// One stack for all tests of this suite, which look at orders of their own.
class TenancyGateTest : public testing::TestWithParam<Kind> {
 protected:
  static void SetUpTestSuite() {
    tenants_ = std::make_unique<TwoTenants>(
        StackOptions{.settings = LongQuarantine(), .sandbox_arguments = ImmediateSandbox()});
  }
  static void TearDownTestSuite() { tenants_.reset(); }
  void TearDown() override { stack().SandboxFaults("{}"); }

  static Stack& stack() { return tenants_->stack; }
  static Tenant& owner() { return tenants_->demo; }
  static Tenant& stranger() { return tenants_->shop; }

  /// A mutation of the owner's, ready to be called, under a name of this test alone.
  Request ReadyFor(Kind kind) const {
    return owner().Ready(kind, testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  /// The stranger's call of it, and its answer is lost: UNKNOWN for the rest of the test.
  static void LoseStrangersCall(Kind kind, const google::protobuf::Message& request) {
    stack().SandboxFaults(
        OneCallMeets(kind, TextOf(request, "order_id"), R"({"kind":"drop_before"})"));
    stranger().Send(request);
    EXPECT_TRUE(StrangersStateIs(request, operations::v1::OPERATION_STATE_UNKNOWN));
  }
  static bool StrangersStateIs(const google::protobuf::Message& request,
                               operations::v1::OperationState state) {
    return Eventually([&] {
      const auto operation = stranger().ReadOperation(TextOf(request, "idempotency_key"));
      return operation && operation->state() == state;
    });
  }
  /// The owner's call has its effect at once.
  static void ExpectDone(const google::protobuf::Message& request) {
    const RpcReply reply = owner().Send(request);
    EXPECT_EQ(reply.status.reason, "") << reply.status.message;
    const auto operation = owner().ReadOperation(TextOf(request, "idempotency_key"));
    ASSERT_TRUE(operation.has_value());
    EXPECT_EQ(operation->state(), operations::v1::OPERATION_STATE_DONE);
    EXPECT_EQ(operation->knowledge(), operations::v1::KNOWLEDGE_ANSWERED);
  }

 private:
  static inline std::unique_ptr<TwoTenants> tenants_;
};

TEST_P(TenancyGateTest, AStrangersCallUnderWayHoldsNobodyUp) {
  const Request request = ReadyFor(GetParam());
  stack().SandboxFaults(OneCallMeets(GetParam(), TextOf(*request, "order_id"),
                                     R"({"kind":"latency","milliseconds":4000})"));
  stranger().Start(*request);
  ASSERT_TRUE(StrangersStateIs(*request, operations::v1::OPERATION_STATE_RUNNING));
  // The fault is the stranger's.
  ASSERT_TRUE(Eventually([&] {
    const http::Response plan = stack().Http("GET", stack().sandbox_url() + "/_sandbox/faults");
    return plan.body.find(R"("hits":1)") != std::string::npos;
  }));
  ExpectDone(*request);
}

TEST_P(TenancyGateTest, AStrangersCallOfUnknownOutcomeHoldsNobodyUp) {
  const Request request = ReadyFor(GetParam());
  LoseStrangersCall(GetParam(), *request);
  ExpectDone(*request);
  EXPECT_TRUE(StrangersStateIs(*request, operations::v1::OPERATION_STATE_UNKNOWN));
}

/// Also what the payment service would do for whoever names it: its endpoint takes no credentials.
class TenancyStrangerTest : public TenancyGateTest {};

TEST_P(TenancyStrangerTest, IsToldNothingOfTheOwnersCallOfUnknownOutcome) {
  const Request request = ReadyFor(GetParam());
  stack().SandboxFaults(
      OneCallMeets(GetParam(), TextOf(*request, "order_id"), R"({"kind":"drop_before"})"));
  EXPECT_TRUE(owner().Send(*request).status.ok()) << "pending";
  const RpcReply reply = stranger().Send(*request);
  EXPECT_EQ(reply.status.code_name() + " " + reply.status.reason, "NOT_FOUND ORDER_NOT_FOUND");
  EXPECT_FALSE(IdsIn(reply.status.details + reply.status.message)
                   .contains(owner().OperationId(TextOf(*request, "idempotency_key"))));
}

INSTANTIATE_TEST_SUITE_P(Kinds, TenancyGateTest,
                         testing::Values(Kind::kInitiate, Kind::kAuthenticate, Kind::kCapture,
                                         Kind::kVoid, Kind::kRefund),
                         [](const auto& info) { return RpcOf(info.param); });
INSTANTIATE_TEST_SUITE_P(Kinds, TenancyStrangerTest,
                         testing::Values(Kind::kInitiate, Kind::kAuthenticate, Kind::kCapture,
                                         Kind::kVoid, Kind::kRefund, Kind::kExecuteWalletB),
                         [](const auto& info) { return RpcOf(info.param); });

class TenancyListTest : public TenancyGateTest {
 protected:
  /// The stranger names the order more often than a list is long.
  static void NameOften(const google::protobuf::Message& request) {
    const std::string key = TextOf(request, "idempotency_key");
    for (int i = 0; i < kMoreThanAList; ++i) {
      stranger().Send(*With(request, {{"idempotency_key", key + "-" + std::to_string(i)}}));
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, TenancyListTest, testing::Values(Kind::kRefund, Kind::kCapture),
                         [](const auto& info) { return RpcOf(info.param); });

TEST_P(TenancyListTest, TheOrdersListIsTheOwnersHoweverOftenAStrangerNamesTheOrder) {
  const Request request = ReadyFor(GetParam());
  ExpectDone(*request);
  const std::string order = TextOf(*request, "order_id");
  const std::vector<std::string> before = owner().OperationsOf(order);
  EXPECT_THAT(before, SizeIs(testing::Ge(2U)));
  NameOften(*request);
  EXPECT_EQ(owner().OperationsOf(order), before);
  EXPECT_THAT(stranger().OperationsOf(order), SizeIs(64));
}

TEST_P(TenancyListTest, WhatIsUnknownStaysInTheListHoweverOftenAStrangerNamesTheOrder) {
  const Request request = ReadyFor(GetParam());
  stack().SandboxFaults(
      OneCallMeets(GetParam(), TextOf(*request, "order_id"), R"({"kind":"drop_before"})"));
  EXPECT_TRUE(owner().Send(*request).status.ok()) << "pending";
  const std::string order = TextOf(*request, "order_id");
  const std::vector<std::string> before = owner().OperationsOf(order);
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(before.front(),
            owner().OperationId(TextOf(*request, "idempotency_key")) + " OPERATION_STATE_UNKNOWN");
  NameOften(*request);
  EXPECT_EQ(owner().OperationsOf(order), before);
  EXPECT_THAT(stranger().OperationsOf(order), SizeIs(64)) << "each was recorded";
}

}  // namespace
}  // namespace tollbridge::test
