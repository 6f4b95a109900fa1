// Payouts through the gateway and the sandbox, on the wire: one payout in the ledger, however often
// it is asked for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/e2e/support/mutations.h"
#include "tests/support/process.h"
#include "tests/support/stack.h"
#include "tollbridge/payouts/v1/payouts.pb.h"

namespace tollbridge::test {
namespace {

constexpr const char* kDeclinedPan = "4000000000000002";
constexpr const char* kNoPayoutsPan = "4000000000000622";

/// One stack for all tests of this suite, which use keys of their own.
class PayoutE2eTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { stack_ = std::make_unique<Stack>(); }
  static void TearDownTestSuite() { stack_.reset(); }
  static Stack& stack() { return *stack_; }

  /// The payout to the card of this number.
  static Mutation To(Mutation mutation, const std::string& pan) {
    payouts::v1::CreatePayoutRequest request;
    if (!request.ParseFromString(mutation.request)) throw std::runtime_error("not a payout");
    request.mutable_card()->set_pan(pan);
    mutation.request = request.SerializeAsString();
    return mutation;
  }

  /// As GetPayout shows it, once it has ended.
  common::v1::Order Ended(const std::string& order_id) {
    payouts::v1::GetPayoutRequest request;
    request.set_order_id(order_id);
    payouts::v1::GetPayoutResponse response;
    Eventually([&] {
      const RpcReply reply =
          stack().grpc().Call("tollbridge.payouts.v1.Payouts.GetPayout", request);
      return reply.status.ok() && response.ParseFromString(reply.bytes) &&
             response.order().status() != common::v1::ORDER_STATUS_NEW &&
             response.order().status() != common::v1::ORDER_STATUS_PROCESSING;
    });
    return response.order();
  }

 private:
  static inline std::unique_ptr<Stack> stack_;
};

TEST_F(PayoutE2eTest, ByCardAndByVaultTokenIsOnePayoutEach) {
  for (const Kind kind : kPayoutKinds) {
    const Mutation payout = Prepare(stack(), kind, "flow");
    const Told told = CallUntilDefinite(stack().grpc(), payout);
    ASSERT_TRUE(told.order) << told.text();
    EXPECT_EQ(told.knowledge, operations::v1::KNOWLEDGE_ANSWERED);
    EXPECT_EQ(told.order->amount(), 1250);
    EXPECT_EQ(told.order->transactions(0).transaction_type(), "oct");
    EXPECT_FALSE(told.order->has_extra()) << "the mark is ours";

    EXPECT_EQ(Ended(told.order->id()).status(), common::v1::ORDER_STATUS_COMPLETED);
    EXPECT_EQ(CallOnce(stack().grpc(), payout).bytes, told.bytes);
    EXPECT_EQ(Effects(stack(), payout), 1U);
    const auto operation = ReadOperation(stack().grpc(), payout);
    ASSERT_TRUE(operation.has_value());
    EXPECT_EQ(operation->state(), operations::v1::OPERATION_STATE_DONE);
    EXPECT_EQ(operation->steps_size(), kind == Kind::kPayoutByCard ? 3 : 2);
  }
}

TEST_F(PayoutE2eTest, ADeclineIsAResultAndNoMoneyGoesOut) {
  for (const char* pan : {kDeclinedPan, kNoPayoutsPan}) {
    const Mutation payout = To(Prepare(stack(), Kind::kPayoutByCard, pan), pan);
    const Told told = CallUntilDefinite(stack().grpc(), payout);
    ASSERT_TRUE(told.order) << told.text();
    const common::v1::Order order = Ended(told.order->id());
    EXPECT_EQ(order.status(), common::v1::ORDER_STATUS_ERROR) << order.ShortDebugString();
    EXPECT_EQ(CallOnce(stack().grpc(), payout).bytes, told.bytes);
    EXPECT_EQ(Effects(stack(), payout), 0U);
  }
}

// What NOT_EXECUTED gave back is not paid out by the endpoints of payments.
TEST_F(PayoutE2eTest, WhatAPayoutLeftBehindIsNotPaidOutPastTheLimit) {
  Stack limited({.settings = ShortIntervals(),
                 .sandbox_arguments = ImmediateSandbox(),
                 .limits = "{payouts: [{currency: EUR, amount: 1250}]}"});
  payouts::v1::CreatePayoutRequest to_token;
  ASSERT_TRUE(to_token.ParseFromString(Prepare(limited, Kind::kPayoutByToken, "token").request));
  limited.SandboxFaults(R"({"rules": [{"on": {"operation": "store_card"},
                           "fault": {"kind": "status", "status": 503}}]})");
  const Mutation left = Prepare(limited, Kind::kPayoutByCard, "left");
  CallOnce(limited.grpc(), left);
  limited.SandboxFaults("{}");
  ASSERT_TRUE(Eventually([&] {
    const auto operation = ReadOperation(limited.grpc(), left);
    return operation && operation->state() == operations::v1::OPERATION_STATE_NOT_EXECUTED;
  }));
  const boost::json::object order = limited.SandboxOrders().back().as_object();
  payments::v1::AuthenticateTransactionRequest start;
  start.set_order_id(std::string(order.at("id").as_string()));
  start.set_transaction_id(std::string(order.at("transactions").at(0).at("id").as_string()));
  start.set_vault_token(to_token.vault_token());
  start.set_idempotency_key("start");
  const RpcReply started =
      limited.grpc().Call("tollbridge.payments.v1.Payments.AuthenticateTransaction", start);
  EXPECT_EQ(started.status.reason, "INVALID_REQUEST") << started.status.message;
  EXPECT_EQ(Effects(limited, left), 0U);

  const Told paid = CallUntilDefinite(limited.grpc(), left);
  EXPECT_TRUE(paid.order) << paid.text();
  EXPECT_EQ(Effects(limited, left), 1U);
  // A payment is started as ever.
  const Told payment =
      CallUntilDefinite(limited.grpc(), Prepare(limited, Kind::kAuthenticate, "payment"));
  EXPECT_TRUE(payment.order) << payment.text();
}

TEST_F(PayoutE2eTest, APaymentIsNoPayout) {
  const Told order = CallUntilDefinite(stack().grpc(), Prepare(stack(), Kind::kCreate, "payment"));
  ASSERT_TRUE(order.order);
  payouts::v1::GetPayoutRequest request;
  request.set_order_id(order.order->id());
  const RpcReply reply = stack().grpc().Call("tollbridge.payouts.v1.Payouts.GetPayout", request);
  EXPECT_EQ(reply.status.reason, "PAYOUT_NOT_FOUND");
}

}  // namespace
}  // namespace tollbridge::test
