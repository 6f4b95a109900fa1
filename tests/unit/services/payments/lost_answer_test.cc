#include <string>

#include "services/operations/verdict.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_payment_service.h"
#include "tests/unit/services/payments/payments_fixture.h"

namespace tollbridge::payments {
namespace {

using Function = test::FakePaymentService::Function;

/// What a plan sends is what its step is recognized by: each mutation loses its answer, and the
/// record's evidence alone finds its effect again.
class LostAnswerTest : public PaymentsTest {
 protected:
  LostAnswerTest() {
    options_ = {.create_refund = true, .partial_capture = true, .partial_void = true};
    service_.UseClock(&clock_);
    original_.set_id(kOrderId);
    original_.set_amount(1000);
    original_.set_currency("EUR");
    auto* transaction = original_.add_transactions();
    transaction->set_id(kTransactionId);
    transaction->set_status(common::v1::TRANSACTION_STATUS_NEW);
    transaction->set_amount(1000);
    service_.PutOrder(original_);
  }

  /// The order's transaction as authorized.
  void Authorize() {
    auto* transaction = service_.FindOrder(kOrderId)->mutable_transactions(0);
    transaction->set_status(common::v1::TRANSACTION_STATUS_COMPLETED);
    transaction->set_is_capturable(true);
  }

  template <typename Request>
  static Request About() {
    Request request;
    request.set_idempotency_key("key");
    request.set_order_id(kOrderId);
    if constexpr (requires { request.set_transaction_id(""); }) {
      request.set_transaction_id(kTransactionId);
    }
    return request;
  }

  operations::Finding Look(const operations::StepKind& kind) {
    return test::Await(context_, kind.look(service_, look_));
  }

  /// Runs the mutation up to its lost answer, and looks before and after. What is recovered.
  operations::PlanResult Recover(const std::string& method,
                                 const google::protobuf::Message& request, Function function) {
    for (const operations::PlanRegistration& registration : Plans()) {
      if (registration.rpc != "tollbridge.payments.v1.Payments/" + method) continue;
      const auto plan = registration.make(project_, request);
      EXPECT_TRUE(plan.ok()) << plan.status();
      if (!plan.ok()) break;
      const operations::Step& step = plan->steps[0];
      // By name, as a replica that has the record only.
      const operations::StepKind& kind = *registration.FindStep(step.target.name);
      look_.step = step.target;
      look_.sent_at = clock_.WallNow();
      EXPECT_THAT(Look(kind), Is(kAbsent));

      service_.LoseNextAnswer(function);
      operations::StepContext context;
      context.mark = domain::ToText({.operation = operation_, .epoch = "e1", .attempt = 1});
      const ports::Answer answer = test::Await(context_, step.send(service_, context));
      EXPECT_EQ(answer.fate, ports::Answer::Fate::kUnknown);
      EXPECT_EQ(service_.EffectsOf(function), 1U);

      const operations::Finding finding = Look(kind);
      EXPECT_THAT(finding, Is(kPresent)) << finding.reason;
      if (finding.result == nullptr) break;
      auto result =
          registration.result(project_, *finding.result, operations::v1::KNOWLEDGE_RECOVERED);
      EXPECT_TRUE(result.ok()) << result.status();
      if (!result.ok()) break;
      EXPECT_EQ(operations::CompareAmounts(step.target, *result).state,
                operations::v1::OPERATION_STATE_DONE);
      return *std::move(result);
    }
    ADD_FAILURE() << method << " was not recovered";
    return {};
  }

  std::string Made() { return service_.effects().back().made_order_id; }

  test::FakeClock clock_;
  common::v1::Order original_;
  test::FakePaymentService service_;
};

TEST_F(LostAnswerTest, CreateOrder) {
  v1::CreateOrderRequest request;
  request.set_idempotency_key("key");
  request.set_amount(500);
  request.set_currency("EUR");
  request.set_merchant_order_id(R"(order "7" \ 8)");
  const auto result = Recover("CreateOrder", request, Function::kCreateOrder);
  EXPECT_EQ(result.order->key.root.ToString(), service_.effects().back().order_id);
}

TEST_F(LostAnswerTest, InitiateTransaction) {
  const auto result =
      Recover("InitiateTransaction", About<v1::InitiateTransactionRequest>(), Function::kInitiate);
  EXPECT_EQ(result.order->key.root.ToString(), kOrderId);
}

TEST_F(LostAnswerTest, AuthenticateTransaction) {
  const auto result = Recover("AuthenticateTransaction",
                              About<v1::AuthenticateTransactionRequest>(), Function::kAuthenticate);
  EXPECT_EQ(result.order->key.root.ToString(), kOrderId);
}

TEST_F(LostAnswerTest, ExecuteWalletBPayment) {
  const auto result = Recover("ExecuteWalletBPayment", About<v1::ExecuteWalletBPaymentRequest>(),
                              Function::kExecuteWalletB);
  EXPECT_EQ(result.order->key.root.ToString(), kOrderId);
}

TEST_F(LostAnswerTest, CaptureTransaction) {
  Authorize();
  const auto result =
      Recover("CaptureTransaction", About<v1::CaptureTransactionRequest>(), Function::kCapture);
  EXPECT_EQ(result.order->key.root.ToString(), Made());
}

TEST_F(LostAnswerTest, VoidTransaction) {
  Authorize();
  const auto result =
      Recover("VoidTransaction", About<v1::VoidTransactionRequest>(), Function::kVoid);
  EXPECT_EQ(result.order->key.root.ToString(), Made());
}

TEST_F(LostAnswerTest, PartsAndRefundsWithTheirMarkAndWithout) {
  for (const bool marked : {true, false}) {
    options_.mark_descriptions = marked;
    const auto once = [&](const std::string& method, auto request, Function function) {
      service_ = test::FakePaymentService();
      service_.UseClock(&clock_);
      service_.PutOrder(original_);
      Authorize();
      request.set_amount(300);
      const auto result = Recover(method, request, function);
      ASSERT_TRUE(result.order.has_value()) << method;
      EXPECT_EQ(result.order->key.root.ToString(), Made()) << method;
      EXPECT_EQ(result.amount, 300);
    };
    once("CaptureTransaction", About<v1::CaptureTransactionRequest>(), Function::kCapture);
    once("VoidTransaction", About<v1::VoidTransactionRequest>(), Function::kVoid);
    once("CreateRefund", About<v1::CreateRefundRequest>(), Function::kRefund);
  }
}

}  // namespace
}  // namespace tollbridge::payments
