#include "services/payments/create_order.h"

#include <string>

#include "services/domain/errors.h"
#include "services/domain/order_view.h"
#include "services/orders/create_order_evidence.h"
#include "tests/support/fails_with.h"
#include "tests/unit/services/payments/payments_fixture.h"

namespace tollbridge::payments {
namespace {

class CreateOrderTest : public PaymentsTest {
 protected:
  static v1::CreateOrderRequest Request() {
    v1::CreateOrderRequest request;
    request.set_idempotency_key("key");
    request.set_amount(500);
    request.set_currency("EUR");
    return request;
  }

  operations::Plan Plan(const v1::CreateOrderRequest& request) {
    return PlanCreateOrder(project_, request);
  }

  const v1::CreateOrderRequest& Send(const v1::CreateOrderRequest& request) {
    PaymentsTest::Send(Plan(request));
    return service_.Sent<v1::CreateOrderRequest>();
  }
};

TEST_F(CreateOrderTest, SendsTheRequestWithMarkReferenceAndWebhookUrl) {
  v1::CreateOrderRequest request = Request();
  request.set_description("shoes");
  (*request.mutable_extra()->mutable_fields())["cart"].set_string_value("7");
  const v1::CreateOrderRequest& sent = Send(request);
  EXPECT_EQ(sent.description(), "shoes");
  EXPECT_EQ(sent.amount(), 500);
  EXPECT_EQ(sent.merchant_order_id(), operation_.ToString());
  EXPECT_EQ(sent.webhook_url(), Shop().webhook_url.Get());
  EXPECT_EQ(sent.extra().fields().at("cart").string_value(), "7");
  EXPECT_EQ(sent.extra().fields().at("tollbridge_operation").string_value(), "the mark");
  EXPECT_EQ(service_.guard.write_before, BootTime{std::chrono::seconds(7)});
}

TEST_F(CreateOrderTest, KeepsTheCallersReference) {
  v1::CreateOrderRequest request = Request();
  request.set_merchant_order_id("order-7");
  EXPECT_EQ(Send(request).merchant_order_id(), "order-7");
  EXPECT_EQ(Plan(request).steps[0].target.merchant_order_id, "order-7");
}

TEST_F(CreateOrderTest, LeavesEvidenceAndCaptureModeAndTakesNoGate) {
  v1::CreateOrderRequest request = Request();
  request.add_transactions()->set_payment_method("credit-card");
  request.mutable_transactions(0)->set_capture_mode("manual");
  const auto plan = Plan(request);
  EXPECT_EQ(plan.capture_mode, "manual");
  EXPECT_FALSE(plan.gate_order.has_value());
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].kind, &orders::CreateOrderStep());
  EXPECT_EQ(plan.steps[0].target.name, "create_order");
  EXPECT_EQ(plan.steps[0].target.amount, 500);
  EXPECT_EQ(plan.steps[0].target.currency, "EUR");
  EXPECT_EQ(plan.steps[0].target.merchant_order_id, operation_.ToString());
}

TEST(MaskUrl, LeavesSchemeAndHost) {
  EXPECT_EQ(domain::MaskUrl("https://example.com:8443/webhooks/token?x=1"),
            "https://example.com:8443/***");
  EXPECT_EQ(domain::MaskUrl("https://user:secret@example.com/a"), "https://example.com/***");
  EXPECT_EQ(domain::MaskUrl("https://example.com"), "https://example.com/***");
  EXPECT_EQ(domain::MaskUrl("https://example.com#token"), "https://example.com/***");
  EXPECT_EQ(domain::MaskUrl("token"), "***");
}

}  // namespace
}  // namespace tollbridge::payments
