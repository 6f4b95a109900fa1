#include "services/payments/create_order.h"

#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "services/domain/errors.h"
#include "services/operations/engine.h"
#include "services/operations/identity.h"
#include "services/payments/order_view.h"
#include "services/telemetry/metrics.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_payment_service.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/fakes/fake_store.h"

namespace tollbridge::payments {
namespace {

using test::FakePaymentService;

domain::Project Shop() {
  domain::Project project;
  project.name = "shop";
  project.id = *Uuid::Parse("3b241101-e2bb-4255-8caf-4136c566a962");
  project.webhook_url = "https://hooks.example/webhooks/secret-token";
  return project;
}

std::shared_ptr<operations::OperationKeys> Keys() {
  auto keys = std::make_shared<operations::OperationKeys>();
  keys->fingerprints.keys = {{"f", std::string(32, 'f')}};
  keys->outcomes.keys = {{"o", std::string(32, 'o')}};
  return keys;
}

class CreateOrderTest : public ::testing::Test {
 protected:
  v1::CreateOrderRequest Request() {
    v1::CreateOrderRequest request;
    request.set_idempotency_key("key");
    request.set_amount(500);
    request.set_currency("EUR");
    return request;
  }

  absl::StatusOr<v1::CreateOrderResponse> Create(const v1::CreateOrderRequest& request) {
    auto registration = operations::PlanFor<v1::CreateOrderRequest>(
        kCreateOrderRpc,
        [this](const v1::CreateOrderRequest& made) { return PlanCreateOrder(projects_, made); });
    absl::StatusOr<operations::Plan> plan = registration.make(request);
    if (!plan.ok()) return plan.status();
    ports::Context call;
    call.deadline = clock_.BootNow() + std::chrono::seconds(15);
    const operations::Reply reply = test::Await(context_, engine_.Run(*std::move(plan), call));
    if (!reply.status.ok()) return reply.status;
    v1::CreateOrderResponse response;
    EXPECT_TRUE(response.ParseFromString(reply.response));
    return response;
  }

  const v1::CreateOrderRequest& Sent() { return service_.created().at(0).request; }
  std::string OperationId() { return operations::OperationId(Shop().id, "key").ToString(); }

  boost::asio::io_context context_;
  test::FakeClock clock_;
  FakePaymentService service_;
  test::FakeStore store_;
  test::FakeRng rng_;
  telemetry::Metrics metrics_;
  domain::Projects projects_{{Shop()}};
  operations::Engine engine_{context_.get_executor(),
                             operations::Engine::Ports{service_, store_, clock_, rng_, metrics_},
                             operations::Settings{}, Keys()};
};

TEST_F(CreateOrderTest, SendsTheRequestWithMarkReferenceAndWebhookUrl) {
  v1::CreateOrderRequest request = Request();
  request.set_description("shoes");
  (*request.mutable_extra()->mutable_fields())["cart"].set_string_value("7");
  ASSERT_TRUE(Create(request).ok());
  EXPECT_EQ(Sent().description(), "shoes");
  EXPECT_EQ(Sent().amount(), 500);
  EXPECT_EQ(Sent().merchant_order_id(), OperationId());
  EXPECT_EQ(Sent().webhook_url(), Shop().webhook_url);
  EXPECT_EQ(Sent().extra().fields().at("cart").string_value(), "7");
  EXPECT_THAT(Sent().extra().fields().at("tollbridge_operation").string_value(),
              ::testing::MatchesRegex(OperationId() + "\\.[0-9a-f]{8}\\.1"));
}

TEST_F(CreateOrderTest, KeepsTheCallersReference) {
  v1::CreateOrderRequest request = Request();
  request.set_merchant_order_id("order-7");
  ASSERT_TRUE(Create(request).ok());
  EXPECT_EQ(Sent().merchant_order_id(), "order-7");
}

TEST_F(CreateOrderTest, AnswersTheOrderWithoutMarkAndWithTheWebhookUrlMasked) {
  v1::CreateOrderRequest request = Request();
  (*request.mutable_extra()->mutable_fields())["cart"].set_string_value("7");
  const auto response = Create(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->knowledge(), operations::v1::KNOWLEDGE_ANSWERED);
  const common::v1::Order& order = response->order();
  EXPECT_EQ(order.amount(), 500);
  EXPECT_EQ(order.webhook_url(), "https://hooks.example/***");
  EXPECT_EQ(order.extra().fields().size(), 1U);
  EXPECT_TRUE(order.extra().fields().contains("cart"));
}

TEST_F(CreateOrderTest, LeavesEvidenceAndCaptureMode) {
  v1::CreateOrderRequest request = Request();
  request.add_transactions()->set_payment_method("credit-card");
  request.mutable_transactions(0)->set_capture_mode("manual");
  const auto plan = PlanCreateOrder(projects_, request);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->capture_mode, "manual");
  EXPECT_FALSE(plan->gate_order.has_value());
  ASSERT_EQ(plan->steps.size(), 1U);
  EXPECT_EQ(plan->steps[0].evidence.amount, 500);
  EXPECT_EQ(plan->steps[0].evidence.currency, "EUR");
  EXPECT_EQ(plan->steps[0].evidence.merchant_order_id, OperationId());
}

TEST_F(CreateOrderTest, RefusesWithAllViolationsAndSendsNothing) {
  v1::CreateOrderRequest request = Request();
  request.set_project("elsewhere");
  const auto response = Create(request);
  EXPECT_EQ(response.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(domain::ReasonOf(response.status()), domain::reason::kInvalidRequest);
  EXPECT_TRUE(service_.created().empty());
  EXPECT_EQ(store_.calls(), 0U);
}

TEST_F(CreateOrderTest, ReturnsNoCardDataAndCanReplayAnAccountFunding) {
  common::v1::Order order = service_.MakeOrder(Request());
  auto* details = order.add_transactions()->mutable_payment_method_details();
  details->set_receiver_account_number("5555555555554444");
  details->set_truncated_pan("411111******1111");
  service_.AnswerNext(FakePaymentService::Answered(order));
  const auto first = Create(Request());
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(
      first->order().transactions(0).payment_method_details().has_receiver_account_number());
  EXPECT_TRUE(first->order().transactions(0).payment_method_details().has_truncated_pan());
  const auto second = Create(Request());
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->SerializeAsString(), first->SerializeAsString());
}

TEST_F(CreateOrderTest, IsPendingWhenTheAnswerHoldsNoOrderId) {
  service_.AnswerNext(FakePaymentService::Answered(common::v1::Order()));
  const auto response = Create(Request());
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->pending().operation_id(), OperationId());
}

TEST_F(CreateOrderTest, ADeclineIsAResult) {
  common::v1::Order order = service_.MakeOrder(Request());
  order.set_status(common::v1::ORDER_STATUS_ERROR);
  order.set_reason("declined");
  service_.AnswerNext(FakePaymentService::Answered(order));
  const auto response = Create(Request());
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->order().reason(), "declined");
}

TEST(MaskUrl, LeavesSchemeAndHost) {
  EXPECT_EQ(MaskUrl("https://example.com:8443/webhooks/token?x=1"), "https://example.com:8443/***");
  EXPECT_EQ(MaskUrl("https://user:secret@example.com/a"), "https://example.com/***");
  EXPECT_EQ(MaskUrl("https://example.com"), "https://example.com/***");
  EXPECT_EQ(MaskUrl("https://example.com#token"), "https://example.com/***");
  EXPECT_EQ(MaskUrl("token"), "***");
}

}  // namespace
}  // namespace tollbridge::payments
