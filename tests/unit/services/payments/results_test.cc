#include <string>

#include "services/domain/errors.h"
#include "tests/unit/services/payments/payments_fixture.h"
#include "tollbridge/common/v1/payment_link.pb.h"

namespace tollbridge::payments {
namespace {

using ports::Knowledge;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What callers are told, answered and recovered.
class ResultsTest : public PaymentsTest {
 protected:
  absl::StatusOr<operations::PlanResult> Read(
      const std::string& method, const google::protobuf::Message& last,
      Knowledge knowledge = operations::v1::KNOWLEDGE_ANSWERED) {
    for (const operations::PlanRegistration& registration : Plans()) {
      if (registration.rpc == "tollbridge.payments.v1.Payments/" + method) {
        return registration.result(project_, last, knowledge);
      }
    }
    return absl::NotFoundError(method);
  }

  template <typename Response>
  Response Respond(const std::string& method, const google::protobuf::Message& last,
                   Knowledge knowledge = operations::v1::KNOWLEDGE_ANSWERED) {
    const auto result = Read(method, last, knowledge);
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    return dynamic_cast<const Response&>(*result->response);
  }

  static common::v1::Order WithCard() {
    common::v1::Order order = Order(kOrderId);
    auto* transaction = order.add_transactions();
    transaction->set_id(kTransactionId);
    transaction->set_status(common::v1::TRANSACTION_STATUS_NEW);
    transaction->set_payment_method("credit-card");
    transaction->set_payment_url("https://pay.example/1");
    return order;
  }

  static v1::AuthenticateAnswer Authenticated(common::v1::TransactionStatus status) {
    v1::AuthenticateAnswer answer;
    *answer.mutable_order() = WithCard();
    answer.mutable_order()->mutable_transactions(0)->set_status(status);
    return answer;
  }
};

TEST_F(ResultsTest, OrdersAreShownAsCallersSeeThem) {
  const auto expect_clean = [](const common::v1::Order& order) {
    EXPECT_EQ(order.id(), kOrderId);
    EXPECT_FALSE(order.has_extra());
    EXPECT_EQ(order.webhook_url(), "https://hooks.example/***");
  };
  const common::v1::Order order = Order(kOrderId);
  expect_clean(Respond<v1::CreateOrderResponse>("CreateOrder", order).order());
  expect_clean(Respond<v1::InitiateTransactionResponse>("InitiateTransaction", order).order());
  expect_clean(
      Respond<v1::CaptureTransactionResponse>("CaptureTransaction", order).capture_order());
  expect_clean(Respond<v1::VoidTransactionResponse>("VoidTransaction", order).void_order());
  expect_clean(Respond<v1::CreateRefundResponse>("CreateRefund", order).refund_order());
  v1::AuthenticateAnswer answer;
  *answer.mutable_order() = order;
  expect_clean(
      Respond<v1::AuthenticateTransactionResponse>("AuthenticateTransaction", answer).order());
}

TEST_F(ResultsTest, SayHowTheyAreKnown) {
  const common::v1::Order order = Order(kOrderId);
  EXPECT_EQ(Respond<v1::CreateRefundResponse>("CreateRefund", order).knowledge(),
            operations::v1::KNOWLEDGE_ANSWERED);
  EXPECT_EQ(
      Respond<v1::CreateRefundResponse>("CreateRefund", order, operations::v1::KNOWLEDGE_RECOVERED)
          .knowledge(),
      operations::v1::KNOWLEDGE_RECOVERED);
  EXPECT_EQ(Respond<v1::InitiateTransactionResponse>("InitiateTransaction", order,
                                                     operations::v1::KNOWLEDGE_RECOVERED)
                .knowledge(),
            operations::v1::KNOWLEDGE_RECOVERED);
}

TEST_F(ResultsTest, EnterTheOrderForItsReader) {
  const common::v1::Order order = Order(kOrderId);
  for (const char* method :
       {"CreateOrder", "CaptureTransaction", "VoidTransaction", "CreateRefund"}) {
    const auto result = Read(method, order);
    ASSERT_TRUE(result.ok()) << method;
    ASSERT_TRUE(result->order.has_value()) << method;
    EXPECT_EQ(result->order->key.project, "shop");
    EXPECT_EQ(result->order->key.root.ToString(), kOrderId) << "the order that was made";
    EXPECT_FALSE(result->order->own_checkout) << method;
    EXPECT_TRUE(result->created_order) << method;
    EXPECT_EQ(result->amount, 500) << method;
    EXPECT_EQ(result->currency, "EUR") << method;
  }
}

TEST_F(ResultsTest, StartsMakeItOwnCheckoutAndNoOrder) {
  const auto initiated = Read("InitiateTransaction", Order(kOrderId));
  ASSERT_TRUE(initiated.ok());
  EXPECT_TRUE(initiated->order->own_checkout);
  EXPECT_FALSE(initiated->created_order);
  const auto authenticated =
      Read("AuthenticateTransaction", Authenticated(common::v1::TRANSACTION_STATUS_PENDING));
  ASSERT_TRUE(authenticated.ok());
  EXPECT_TRUE(authenticated->order->own_checkout);
  EXPECT_EQ(authenticated->order->key.root.ToString(), kOrderId);
  EXPECT_FALSE(authenticated->created_order);
}

TEST_F(ResultsTest, AnAmountThatIsNotAnsweredIsNotCompared) {
  common::v1::Order order = Order(kOrderId);
  order.clear_amount();
  EXPECT_EQ(Read("CreateRefund", order)->amount, std::nullopt);
}

TEST_F(ResultsTest, AnAnswerWithoutAnOrderOrItsIdIsNone) {
  for (const char* method : {"CreateOrder", "InitiateTransaction", "CaptureTransaction",
                             "VoidTransaction", "CreateRefund"}) {
    EXPECT_EQ(Read(method, common::v1::Order()).status().code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(Read(method, v1::AuthenticateAnswer()).status().code(), absl::StatusCode::kDataLoss);
  }
  EXPECT_EQ(Read("AuthenticateTransaction", v1::AuthenticateAnswer()).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(Read("AuthenticateTransaction", Order(kOrderId)).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST_F(ResultsTest, HoldNoCardData) {
  common::v1::Order order = WithCard();
  auto* details = order.mutable_transactions(0)->mutable_payment_method_details();
  details->set_receiver_account_number("5555555555554444");
  details->set_cvc("123");
  details->set_truncated_pan("555555******4444");
  const auto response = Respond<v1::CreateOrderResponse>("CreateOrder", order);
  const auto& shown = response.order().transactions(0).payment_method_details();
  EXPECT_FALSE(shown.has_receiver_account_number());
  EXPECT_FALSE(shown.has_cvc());
  EXPECT_TRUE(shown.has_truncated_pan());
}

TEST_F(ResultsTest, AnAnsweredCreateKeepsItsSetupToken) {
  common::v1::Order order = WithCard();
  order.mutable_transactions(0)->mutable_payment_method_details()->set_setup_token(NewId(1));
  const auto response = Respond<v1::CreateOrderResponse>("CreateOrder", order);
  EXPECT_EQ(response.order().transactions(0).payment_method_details().setup_token(), NewId(1));
  EXPECT_THAT(response.not_recoverable(), IsEmpty());
  EXPECT_FALSE(response.has_what_to_do());
}

TEST_F(ResultsTest, ARecoveredCreateHasLostItsSetupTokenAndSaysWhereToGo) {
  common::v1::Order order = WithCard();
  auto response =
      Respond<v1::CreateOrderResponse>("CreateOrder", order, operations::v1::KNOWLEDGE_RECOVERED);
  EXPECT_THAT(response.not_recoverable(), ElementsAre("setup_token"));
  EXPECT_THAT(response.what_to_do(), HasSubstr("payment_url"));
  EXPECT_EQ(response.order().transactions(0).payment_url(), "https://pay.example/1");

  order.mutable_transactions(0)->mutable_payment_method_details()->set_setup_token(NewId(1));
  order.mutable_transactions(0)->clear_payment_url();
  response =
      Respond<v1::CreateOrderResponse>("CreateOrder", order, operations::v1::KNOWLEDGE_RECOVERED);
  EXPECT_THAT(response.not_recoverable(), ElementsAre("setup_token"));
  EXPECT_FALSE(response.order().transactions(0).payment_method_details().has_setup_token())
      << "it may run out any second";
  EXPECT_THAT(response.what_to_do(), HasSubstr("create a new order"));
}

TEST_F(ResultsTest, ARecoveredCreateWithoutASetupTokenHasLostNothing) {
  common::v1::Order order = Order(kOrderId);
  order.set_order_url("https://pay.example/");
  const auto hosted =
      Respond<v1::CreateOrderResponse>("CreateOrder", order, operations::v1::KNOWLEDGE_RECOVERED);
  EXPECT_THAT(hosted.not_recoverable(), IsEmpty());
  EXPECT_EQ(hosted.order().order_url(), "https://pay.example/");

  const auto lost = [&](const common::v1::Order& with_card) {
    return Respond<v1::CreateOrderResponse>("CreateOrder", with_card,
                                            operations::v1::KNOWLEDGE_RECOVERED)
               .not_recoverable_size() > 0;
  };
  order = WithCard();
  order.mutable_transactions(0)->mutable_payment_method_details()->set_one_click_type("one-click");
  EXPECT_FALSE(lost(order));
  order = WithCard();
  order.mutable_transactions(0)->mutable_payment_method_details()->set_vault_token(NewId(1));
  EXPECT_FALSE(lost(order));
  order = WithCard();
  order.mutable_transactions(0)->set_status(common::v1::TRANSACTION_STATUS_COMPLETED);
  EXPECT_FALSE(lost(order)) << "it was paid meanwhile";
  order = WithCard();
  order.mutable_transactions(0)->set_payment_method("bank-transfer");
  EXPECT_FALSE(lost(order));
  order.mutable_transactions(0)->set_payment_method("wallet-b-pay");
  EXPECT_TRUE(lost(order));
}

TEST_F(ResultsTest, AuthenticateAnswersTheRedirect) {
  v1::AuthenticateAnswer answer = Authenticated(common::v1::TRANSACTION_STATUS_PENDING);
  answer.set_redirect_url("https://pay.example/challenge");
  const auto response =
      Respond<v1::AuthenticateTransactionResponse>("AuthenticateTransaction", answer);
  EXPECT_EQ(response.redirect_url(), "https://pay.example/challenge");
  EXPECT_THAT(response.not_recoverable(), IsEmpty());
  EXPECT_FALSE(response.has_what_to_do());
}

TEST_F(ResultsTest, ARecoveredAuthenticateHasLostTheRedirect) {
  v1::AuthenticateAnswer answer = Authenticated(common::v1::TRANSACTION_STATUS_PENDING);
  const auto recover = [&] {
    return Respond<v1::AuthenticateTransactionResponse>("AuthenticateTransaction", answer,
                                                        operations::v1::KNOWLEDGE_RECOVERED);
  };
  EXPECT_THAT(recover().not_recoverable(), ElementsAre("redirect_url"));
  EXPECT_FALSE(recover().has_redirect_url());
  EXPECT_THAT(recover().what_to_do(), HasSubstr("payment_url"));
  answer.mutable_order()->mutable_transactions(0)->clear_payment_url();
  EXPECT_THAT(recover().what_to_do(), HasSubstr("create a new order"));
  answer = Authenticated(common::v1::TRANSACTION_STATUS_COMPLETED);
  EXPECT_THAT(recover().what_to_do(), HasSubstr("has ended"));
}

TEST_F(ResultsTest, ExternalThreeDSecureHadNoRedirectToLose) {
  v1::AuthenticateAnswer answer = Authenticated(common::v1::TRANSACTION_STATUS_COMPLETED);
  answer.mutable_order()
      ->mutable_transactions(0)
      ->mutable_payment_method_details()
      ->mutable_external_authentication_details()
      ->set_method_used("challenge");
  const auto response = Respond<v1::AuthenticateTransactionResponse>(
      "AuthenticateTransaction", answer, operations::v1::KNOWLEDGE_RECOVERED);
  EXPECT_THAT(response.not_recoverable(), IsEmpty());
  EXPECT_FALSE(response.has_what_to_do());
}

v1::WalletBPayment WalletBAnswer() {
  v1::WalletBPayment payment;
  payment.set_is_successful(true);
  payment.set_redirect_url("https://pay.example/challenge");
  payment.set_reason("none");
  payment.mutable_order()->set_id(kOrderId);
  return payment;
}

TEST_F(ResultsTest, ExecuteWalletBAnswersWhatCameAndEntersItsOrder) {
  const auto result = Read("ExecuteWalletBPayment", WalletBAnswer());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->order->key.root.ToString(), kOrderId);
  EXPECT_TRUE(result->order->own_checkout);
  EXPECT_FALSE(result->created_order);
  EXPECT_EQ(result->amount, std::nullopt);
  const auto& response = dynamic_cast<const v1::ExecuteWalletBPaymentResponse&>(*result->response);
  EXPECT_TRUE(response.payment().is_successful());
  EXPECT_EQ(response.payment().redirect_url(), "https://pay.example/challenge");
  EXPECT_EQ(response.payment().reason(), "none");
  EXPECT_FALSE(response.payment().has_order()) << "nobody has read it";
  EXPECT_EQ(response.knowledge(), operations::v1::KNOWLEDGE_ANSWERED);
  EXPECT_THAT(response.not_recoverable(), IsEmpty());
}

TEST_F(ResultsTest, ARecoveredExecuteWalletBHasTheOrderAndHasLostTheRedirect) {
  v1::WalletBPayment found;
  *found.mutable_order() = WithCard();
  found.mutable_order()->mutable_transactions(0)->set_status(
      common::v1::TRANSACTION_STATUS_PENDING);
  const auto recover = [&] {
    return Respond<v1::ExecuteWalletBPaymentResponse>("ExecuteWalletBPayment", found,
                                                      operations::v1::KNOWLEDGE_RECOVERED);
  };
  EXPECT_EQ(recover().knowledge(), operations::v1::KNOWLEDGE_RECOVERED);
  EXPECT_EQ(recover().payment().order().id(), kOrderId);
  EXPECT_EQ(recover().payment().order().webhook_url(), "https://hooks.example/***");
  EXPECT_FALSE(recover().payment().has_is_successful());
  EXPECT_THAT(recover().not_recoverable(), ElementsAre("redirect_url"));
  EXPECT_THAT(recover().what_to_do(), HasSubstr("payment_url"));
  found.mutable_order()->mutable_transactions(0)->set_status(
      common::v1::TRANSACTION_STATUS_DECLINED);
  EXPECT_THAT(recover().what_to_do(), HasSubstr("has ended"));
}

TEST_F(ResultsTest, AWalletBAnswerThatDoesNotSayWhetherItWasTakenIsNone) {
  v1::WalletBPayment payment = WalletBAnswer();
  payment.clear_is_successful();
  EXPECT_EQ(Read("ExecuteWalletBPayment", payment).status().code(), absl::StatusCode::kDataLoss);
  payment = WalletBAnswer();
  payment.clear_order();
  EXPECT_EQ(Read("ExecuteWalletBPayment", payment).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Read("ExecuteWalletBPayment", Order(kOrderId)).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST_F(ResultsTest, APaymentLinkIsShownWithItsWebhookUrlMaskedAndEntersNoOrder) {
  common::v1::PaymentLink link;
  link.set_id(NewId(7));
  link.set_amount(1000);
  link.set_currency("EUR");
  link.set_payment_url("https://pay.example/links/7");
  link.set_webhook_url("https://hooks.example/webhooks/secret-token");
  const auto result = Read("CreatePaymentLink", link);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->amount, 1000);
  EXPECT_EQ(result->currency, "EUR");
  EXPECT_FALSE(result->order.has_value());
  const auto& response = dynamic_cast<const v1::CreatePaymentLinkResponse&>(*result->response);
  EXPECT_EQ(response.payment_link().payment_url(), "https://pay.example/links/7");
  EXPECT_EQ(response.payment_link().webhook_url(), "https://hooks.example/***");
  EXPECT_EQ(response.knowledge(), operations::v1::KNOWLEDGE_ANSWERED);

  link.clear_payment_url();
  EXPECT_EQ(Read("CreatePaymentLink", link).status().code(), absl::StatusCode::kDataLoss)
      << "nobody could pay it";
  EXPECT_EQ(Read("CreatePaymentLink", Order(kOrderId)).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST_F(ResultsTest, NoResultOfPaymentsIsLeftOutForCardDataThatOrdersDeclare) {
  for (const operations::PlanRegistration& registration : Plans()) {
    EXPECT_FALSE(registration.result_holds_card_data) << registration.rpc;
  }
}

TEST_F(ResultsTest, ADeclineIsAResult) {
  common::v1::Order order = Order(kOrderId);
  order.set_status(common::v1::ORDER_STATUS_ERROR);
  order.set_reason("declined");
  EXPECT_EQ(Respond<v1::InitiateTransactionResponse>("InitiateTransaction", order).order().reason(),
            "declined");
}

}  // namespace
}  // namespace tollbridge::payments
