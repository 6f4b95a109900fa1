// Each field of docs/interface.md passes through the RPCs: of a request to the payment service, of
// an answer to the caller. That none is lost in the JSON is for CodecGolden.

#include <string>
#include <vector>

#include "services/payments/create_wallet_a_session.h"
#include "services/payments/get_order.h"
#include "services/payments/get_payment_link.h"
#include "services/payments/list_refunds.h"
#include "tests/support/full_order.h"
#include "tests/unit/services/payments/payments_fixture.h"
#include "tollbridge/common/v1/payment_link.pb.h"

namespace tollbridge::payments {
namespace {

namespace pb = google::protobuf;
using test::FillEveryField;
using test::FullOrder;
using test::IsSame;
using test::ShownToCallers;

constexpr const char* kHook = "https://hooks.example/webhooks/secret-token";
constexpr const char* kMasked = "https://hooks.example/***";

common::v1::PaymentLink FullLink() {
  common::v1::PaymentLink link;
  link.set_id(NewId(7));
  link.set_webhook_url(kHook);
  FillEveryField(link);
  return link;
}

/// A payment service that shows one link and one session, and has currencies.
class ShowingService final : public test::UnaskedPaymentService {
 public:
  Async<common::v1::PaymentLink> GetPaymentLink(const domain::Project&, std::string_view,
                                                const ports::Context&) override {
    co_return FullLink();
  }
  Async<v1::CreateWalletASessionResponse> CreateWalletASession(const domain::Project&,
                                                               const v1::WalletASessionOrder& order,
                                                               const ports::Context&) override {
    asked = order;
    v1::CreateWalletASessionResponse session;
    FillEveryField(session);
    co_return session;
  }

  v1::WalletASessionOrder asked;
};

class FieldsTest : public PaymentsTest {
 protected:
  FieldsTest() {
    domain::Project shop = Shop();
    shop.allow_caller_webhook_url = true;
    project_ = shop;
    options_ = {.create_refund = true,
                .partial_capture = true,
                .partial_void = true,
                .create_payment_link = true,
                .list_currencies = true};
  }

  operations::PlanRegistration Registration(const std::string& method) {
    for (operations::PlanRegistration& registration : Plans()) {
      if (registration.rpc.ends_with("/" + method)) return registration;
    }
    ADD_FAILURE() << method;
    return {};
  }

  /// What the caller is answered when the payment service has answered `last`.
  std::shared_ptr<pb::Message> Answered(const std::string& method, const pb::Message& last) {
    const auto result =
        Registration(method).result(project_, last, operations::v1::KNOWLEDGE_ANSWERED);
    EXPECT_TRUE(result.ok()) << method << result.status();
    return result.ok() ? result->response : nullptr;
  }

  /// What the payment service is sent for the request.
  template <typename Request>
  Request Sent(const std::string& method, const Request& request) {
    const auto plan = Registration(method).make(project_, request);
    EXPECT_TRUE(plan.ok()) << method << plan.status();
    if (!plan.ok()) return {};
    Send(*plan);
    return service_.Sent<Request>();
  }

  /// A request about the transaction, with every field.
  template <typename Request>
  static Request Full() {
    Request request;
    request.set_idempotency_key("key");
    if constexpr (requires { request.set_order_id(""); }) request.set_order_id(kOrderId);
    if constexpr (requires { request.set_transaction_id(""); }) {
      request.set_transaction_id(kTransactionId);
    }
    if constexpr (requires { request.set_webhook_url(""); }) request.set_webhook_url(kHook);
    FillEveryField(request);
    return request;
  }

  std::string Mark() const { return domain::DescriptionMark(operation_); }
};

TEST_F(FieldsTest, EachOfAnOrderReachesTheCallerOfEachMutation) {
  const common::v1::Order shown = ShownToCallers(FullOrder(kOrderId));
  v1::AuthenticateAnswer authenticated;
  *authenticated.mutable_order() = FullOrder(kOrderId);
  authenticated.set_redirect_url("https://pay.example/challenge");
  for (const std::string method : {"CreateOrder", "InitiateTransaction", "AuthenticateTransaction",
                                   "CaptureTransaction", "VoidTransaction", "CreateRefund"}) {
    const auto response = method == "AuthenticateTransaction"
                              ? Answered(method, authenticated)
                              : Answered(method, FullOrder(kOrderId));
    ASSERT_NE(response, nullptr) << method;
    const pb::FieldDescriptor* field = response->GetDescriptor()->FindFieldByNumber(1);
    ASSERT_EQ(field->message_type(), common::v1::Order::descriptor()) << method;
    EXPECT_TRUE(IsSame(response->GetReflection()->GetMessage(*response, field), shown)) << method;
  }
}

TEST_F(FieldsTest, EachOfAnOrderReachesTheReader) {
  service_.orders[kOrderId] = FullOrder(kOrderId);
  v1::GetOrderRequest get;
  get.set_order_id(kOrderId);
  const auto order = test::Await(context_, GetOrder(service_, project_, get, {}));
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_TRUE(IsSame(order->order(), ShownToCallers(FullOrder(kOrderId)))) << "GetOrder";

  service_.refunds = {FullOrder(kOrderId)};
  v1::ListRefundsRequest list;
  list.set_order_id(kOrderId);
  const auto refunds = test::Await(context_, ListRefunds(service_, project_, list, {}));
  ASSERT_TRUE(refunds.ok()) << refunds.status();
  ASSERT_EQ(refunds->refund_orders_size(), 1);
  EXPECT_TRUE(IsSame(refunds->refund_orders(0), ShownToCallers(FullOrder(kOrderId))))
      << "ListRefunds";
}

TEST_F(FieldsTest, EachOfAWalletBAnswerReachesTheCaller) {
  v1::WalletBPayment payment;
  FillEveryField(payment);
  v1::WalletBPayment of_its_order = payment;
  of_its_order.mutable_order()->set_id(kOrderId);
  const auto response = Answered("ExecuteWalletBPayment", of_its_order);
  ASSERT_NE(response, nullptr);
  EXPECT_TRUE(
      IsSame(dynamic_cast<const v1::ExecuteWalletBPaymentResponse&>(*response).payment(), payment))
      << "ExecuteWalletBPayment";
}

TEST_F(FieldsTest, EachOfAPaymentLinkReachesTheCaller) {
  common::v1::PaymentLink shown = FullLink();
  shown.set_webhook_url(kMasked);
  const auto created = Answered("CreatePaymentLink", FullLink());
  ASSERT_NE(created, nullptr);
  EXPECT_TRUE(
      IsSame(dynamic_cast<const v1::CreatePaymentLinkResponse&>(*created).payment_link(), shown))
      << "CreatePaymentLink";
  ShowingService service;
  v1::GetPaymentLinkRequest get;
  get.set_payment_link_id(NewId(7));
  const auto read = test::Await(context_, GetPaymentLink(service, project_, get, {}));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(IsSame(read->payment_link(), shown)) << "GetPaymentLink";
}

TEST_F(FieldsTest, EachOfAWalletASessionIsAskedForAndReachesTheCaller) {
  ShowingService service;
  v1::CreateWalletASessionRequest request;
  request.set_validation_url("https://wallet.example/validate");
  request.set_display_name("The Shop");
  request.set_initiative_context("shop.example");
  const auto session = test::Await(context_, CreateWalletASession(service, project_, request, {}));
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(session->session_data().fields().at("name").string_value(), "value");
  v1::WalletASessionOrder asked;
  asked.set_validation_url("https://wallet.example/validate");
  asked.set_merchant_identifier("3b241101e2bb42558caf4136c566a962");
  asked.set_display_name("The Shop");
  asked.set_initiative_context("shop.example");
  EXPECT_TRUE(IsSame(service.asked, asked)) << "CreateWalletASession";
}

TEST_F(FieldsTest, EachOfAnOrderToCreateIsSent) {
  v1::CreateOrderRequest request;
  request.mutable_customer()->set_address_type("billing");
  request.add_transactions()->set_payment_method("credit-card");
  auto* transaction = request.mutable_transactions(0);
  transaction->set_capture_mode("manual");
  FillEveryField(*transaction);
  request.set_idempotency_key("key");
  request.set_webhook_url(kHook);
  FillEveryField(request);
  v1::CreateOrderRequest sent = Sent("CreateOrder", request);
  EXPECT_EQ(sent.mutable_extra()->mutable_fields()->erase(std::string(domain::kMarkField)), 1U);
  EXPECT_TRUE(IsSame(sent, request)) << "CreateOrder";
}

TEST_F(FieldsTest, EachOfAStartIsSent) {
  const auto initiate = Full<v1::InitiateTransactionRequest>();
  EXPECT_TRUE(IsSame(Sent("InitiateTransaction", initiate), initiate)) << "InitiateTransaction";
  const auto authenticate = Full<v1::AuthenticateTransactionRequest>();
  EXPECT_TRUE(IsSame(Sent("AuthenticateTransaction", authenticate), authenticate))
      << "AuthenticateTransaction";
  const auto execute = Full<v1::ExecuteWalletBPaymentRequest>();
  service_.orders[execute.order_id()] = {};
  EXPECT_TRUE(IsSame(Sent("ExecuteWalletBPayment", execute), execute)) << "ExecuteWalletBPayment";
}

TEST_F(FieldsTest, EachOfAFollowUpIsSentAndTheMarkWithIt) {
  auto capture = Full<v1::CaptureTransactionRequest>();
  const auto captured = Sent("CaptureTransaction", capture);
  capture.set_description(Mark() + " " + capture.description());
  EXPECT_TRUE(IsSame(captured, capture)) << "CaptureTransaction";
  auto release = Full<v1::VoidTransactionRequest>();
  const auto released = Sent("VoidTransaction", release);
  release.set_description(Mark() + " " + release.description());
  EXPECT_TRUE(IsSame(released, release)) << "VoidTransaction";
  auto refund = Full<v1::CreateRefundRequest>();
  const auto refunded = Sent("CreateRefund", refund);
  refund.set_description(Mark() + " " + refund.description());
  EXPECT_TRUE(IsSame(refunded, refund)) << "CreateRefund";
}

TEST_F(FieldsTest, EachOfAPaymentLinkToCreateIsSent) {
  const auto link = Full<v1::CreatePaymentLinkRequest>();
  EXPECT_TRUE(IsSame(Sent("CreatePaymentLink", link), link)) << "CreatePaymentLink";
}

}  // namespace
}  // namespace tollbridge::payments
