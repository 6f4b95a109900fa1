#include <memory>
#include <string>
#include <vector>

#include "services/domain/errors.h"
#include "services/orders/start_evidence.h"
#include "services/payments/create_payment_link.h"
#include "services/payments/follow_up_evidence.h"
#include "tests/support/fails_with.h"
#include "tests/unit/services/payments/payments_fixture.h"

namespace tollbridge::payments {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class PlansTest : public PaymentsTest {
 protected:
  absl::StatusOr<operations::Plan> Plan(const std::string& method,
                                        const google::protobuf::Message& request) {
    const std::string rpc = "tollbridge.payments.v1.Payments/" + method;
    for (const operations::PlanRegistration& registration : Plans()) {
      if (registration.rpc == rpc) return registration.make(project_, request);
    }
    return absl::NotFoundError(rpc);
  }

  /// With ids in upper case, to see them in lower case afterwards.
  template <typename Request>
  static Request About() {
    Request request;
    request.set_idempotency_key("key");
    request.set_order_id(Upper(kOrderId));
    if constexpr (requires { request.set_transaction_id(""); }) {
      request.set_transaction_id(Upper(kTransactionId));
    }
    return request;
  }

  /// The one step of a plan about kOrderId, of this kind.
  void ExpectStep(const absl::StatusOr<operations::Plan>& plan, const operations::StepKind& kind) {
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->project->name, "shop");
    EXPECT_EQ(plan->idempotency_key, "key");
    EXPECT_EQ(plan->gate_order, kOrderId);
    ASSERT_EQ(plan->steps.size(), 1U);
    EXPECT_EQ(plan->steps[0].kind, &kind);
    EXPECT_EQ(plan->steps[0].target.name, kind.name);
    EXPECT_EQ(plan->steps[0].target.order_id, kOrderId);
    Send(*plan);
    EXPECT_EQ(service_.guard.write_before, BootTime{std::chrono::seconds(7)});
  }

  static void ExpectDisabled(const absl::Status& status) {
    EXPECT_THAT(status, FailsWith(StatusCode::kUnimplemented, domain::reason::kExtensionDisabled));
  }

  std::string Mark() const { return domain::DescriptionMark(operation_); }
};

TEST_F(PlansTest, EachMutationNamesItsStepsAndReadsTheirResult) {
  std::vector<std::string> steps;
  for (const operations::PlanRegistration& registration : Plans()) {
    EXPECT_NE(registration.result, nullptr) << registration.rpc;
    EXPECT_NE(registration.pending, nullptr) << registration.rpc;
    for (const operations::StepKind* kind : registration.steps) steps.push_back(kind->name);
  }
  EXPECT_THAT(steps, UnorderedElementsAre("create_order", "initiate", "authenticate", "capture",
                                          "partial_capture", "void", "partial_void", "refund",
                                          "execute_wallet_b", "create_payment_link"));
}

TEST_F(PlansTest, InitiateSendsItsRequestUnderTheGateOfItsOrder) {
  auto request = About<v1::InitiateTransactionRequest>();
  request.set_vault_token(NewId(5));
  const auto plan = Plan("InitiateTransaction", request);
  ExpectStep(plan, orders::InitiateStep());
  EXPECT_EQ(plan->steps[0].target.transaction_id, kTransactionId);
  EXPECT_EQ(plan->steps[0].target.amount, std::nullopt);
  EXPECT_EQ(service_.sent_to, "initiate");
  const auto& sent = service_.Sent<v1::InitiateTransactionRequest>();
  EXPECT_EQ(sent.order_id(), kOrderId);
  EXPECT_EQ(sent.transaction_id(), kTransactionId);
  EXPECT_EQ(sent.vault_token(), NewId(5));
}

TEST_F(PlansTest, AuthenticateSendsItsRequestWithTheCode) {
  auto request = About<v1::AuthenticateTransactionRequest>();
  request.set_vault_token(NewId(5));
  request.set_cvc("123");
  const auto plan = Plan("AuthenticateTransaction", request);
  ExpectStep(plan, orders::AuthenticateStep());
  EXPECT_EQ(plan->steps[0].target.transaction_id, kTransactionId);
  EXPECT_EQ(service_.sent_to, "authenticate");
  EXPECT_EQ(service_.Sent<v1::AuthenticateTransactionRequest>().cvc(), "123");
  EXPECT_EQ(service_.Sent<v1::AuthenticateTransactionRequest>().order_id(), kOrderId);
}

TEST_F(PlansTest, TheWholeIsCapturedAndVoidedWithoutAmountAndDescription) {
  const auto capture = Plan("CaptureTransaction", About<v1::CaptureTransactionRequest>());
  ExpectStep(capture, CaptureStep());
  EXPECT_EQ(capture->steps[0].target.amount, std::nullopt);
  EXPECT_FALSE(capture->steps[0].target.marked);
  EXPECT_EQ(service_.sent_to, "capture");
  EXPECT_FALSE(service_.Sent<v1::CaptureTransactionRequest>().has_description());
  const auto release = Plan("VoidTransaction", About<v1::VoidTransactionRequest>());
  ExpectStep(release, VoidStep());
  EXPECT_EQ(release->steps[0].target.transaction_id, kTransactionId);
  EXPECT_EQ(service_.sent_to, "void");
  EXPECT_FALSE(service_.Sent<v1::VoidTransactionRequest>().has_description());
}

TEST_F(PlansTest, APartialCaptureCarriesTheMarkInItsDescription) {
  options_.partial_capture = true;
  auto request = About<v1::CaptureTransactionRequest>();
  request.set_amount(300);
  request.set_description("first parcel");
  const auto plan = Plan("CaptureTransaction", request);
  ExpectStep(plan, PartialCaptureStep());
  EXPECT_EQ(plan->steps[0].target.amount, 300);
  EXPECT_TRUE(plan->steps[0].target.marked);
  EXPECT_EQ(service_.Sent<v1::CaptureTransactionRequest>().amount(), 300);
  EXPECT_EQ(service_.Sent<v1::CaptureTransactionRequest>().description(), Mark() + " first parcel");
}

TEST_F(PlansTest, APartialVoidCarriesTheMarkAlsoWithoutADescription) {
  options_.partial_void = true;
  auto request = About<v1::VoidTransactionRequest>();
  request.set_amount(300);
  const auto plan = Plan("VoidTransaction", request);
  ExpectStep(plan, PartialVoidStep());
  EXPECT_EQ(service_.Sent<v1::VoidTransactionRequest>().description(), Mark());
}

TEST_F(PlansTest, ARefundCarriesTheMarkUnlessTheSettingIsOff) {
  options_.create_refund = true;
  auto request = About<v1::CreateRefundRequest>();
  request.set_amount(300);
  request.set_description("returned");
  auto plan = Plan("CreateRefund", request);
  ExpectStep(plan, RefundStep());
  EXPECT_EQ(plan->steps[0].target.amount, 300);
  EXPECT_TRUE(plan->steps[0].target.marked);
  EXPECT_EQ(service_.sent_to, "refund");
  EXPECT_EQ(service_.Sent<v1::CreateRefundRequest>().description(), Mark() + " returned");
  EXPECT_EQ(service_.Sent<v1::CreateRefundRequest>().amount(), 300);

  options_.mark_descriptions = false;
  plan = Plan("CreateRefund", request);
  ExpectStep(plan, RefundStep());
  EXPECT_FALSE(plan->steps[0].target.marked);
  EXPECT_EQ(plan->steps[0].target.amount, 300);
  EXPECT_EQ(service_.Sent<v1::CreateRefundRequest>().description(), "returned");
}

TEST_F(PlansTest, ExecuteWalletBSendsWhatTheBrowserToldUnderTheGateOfItsOrder) {
  auto request = About<v1::ExecuteWalletBPaymentRequest>();
  request.set_vault_token(NewId(5));
  request.set_cryptogram("cryptogram");
  request.set_browser_info_language("en-GB");
  service_.orders[kOrderId] = {};
  const auto plan = Plan("ExecuteWalletBPayment", request);
  ExpectStep(plan, orders::ExecuteWalletBStep());
  EXPECT_EQ(plan->steps[0].target.transaction_id, kTransactionId);
  EXPECT_EQ(service_.sent_to, "execute_wallet_b");
  request.set_order_id(kOrderId);
  request.set_transaction_id(kTransactionId);
  EXPECT_EQ(service_.Sent<v1::ExecuteWalletBPaymentRequest>().SerializeAsString(),
            request.SerializeAsString());
}

TEST_F(PlansTest, ExecuteWalletBNamesItsOrderInTheAnswer) {
  auto payment = std::make_shared<v1::WalletBPayment>();
  payment->set_is_successful(true);
  service_.orders[kOrderId] = {};
  service_.answer.fate = ports::Answer::Fate::kAnswered;
  service_.answer.result = payment;
  const auto plan = Plan("ExecuteWalletBPayment", About<v1::ExecuteWalletBPaymentRequest>());
  const ports::Answer answer = Send(*plan);
  const auto& named = dynamic_cast<const v1::WalletBPayment&>(*answer.result);
  EXPECT_TRUE(named.is_successful());
  EXPECT_EQ(named.order().id(), kOrderId);
  service_.answer = {};
  EXPECT_EQ(Send(*plan).result, nullptr) << "nothing is made of no answer";
}

TEST_F(PlansTest, ExecuteWalletBIsNotSentForAnOrderThatIsNotTheProjects) {
  service_.unreadable[kOrderId] = domain::ToError({.http_status = 404, .type = "NotFound"});
  const auto plan = Plan("ExecuteWalletBPayment", About<v1::ExecuteWalletBPaymentRequest>());
  const ports::Answer refused = Send(*plan);
  EXPECT_EQ(refused.fate, ports::Answer::Fate::kRefused);
  EXPECT_EQ(refused.refusal.http_status, 404);
  EXPECT_EQ(domain::MeaningOf(refused.refusal, false), domain::RefusalMeaning::kRefused);
  EXPECT_EQ(service_.sent_to, "");
  EXPECT_THAT(service_.reads, ::testing::ElementsAre(kOrderId));
}

TEST_F(PlansTest, ExecuteWalletBIsNotSentForAnOrderThatCannotBeRead) {
  service_.unreadable[kOrderId] = absl::UnavailableError("no answer");
  const auto plan = Plan("ExecuteWalletBPayment", About<v1::ExecuteWalletBPaymentRequest>());
  EXPECT_EQ(Send(*plan).fate, ports::Answer::Fate::kNotSent);
  EXPECT_EQ(service_.sent_to, "");
}

TEST_F(PlansTest, APaymentLinkIsSentWithTheGatewaysWebhookUrlAndTakesNoGate) {
  options_.create_payment_link = true;
  v1::CreatePaymentLinkRequest request;
  request.set_idempotency_key("key");
  request.set_merchant_order_id("order 7");
  request.set_amount(1000);
  request.set_currency("EUR");
  const auto plan = Plan("CreatePaymentLink", request);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->gate_order, std::nullopt);
  ASSERT_EQ(plan->steps.size(), 1U);
  EXPECT_EQ(plan->steps[0].kind, &CreatePaymentLinkStep());
  ports::StepTarget target;
  target.name = "create_payment_link";
  target.amount = 1000;
  target.currency = "EUR";
  target.merchant_order_id = "order 7";
  EXPECT_EQ(plan->steps[0].target, target);
  Send(*plan);
  EXPECT_EQ(service_.sent_to, "create_payment_link");
  EXPECT_EQ(service_.guard.write_before, BootTime{std::chrono::seconds(7)});
  request.set_webhook_url(Shop().webhook_url.Get());
  EXPECT_EQ(service_.Sent<v1::CreatePaymentLinkRequest>().SerializeAsString(),
            request.SerializeAsString());
}

TEST_F(PlansTest, APaymentLinkCannotBeFoundAgainAndNothingGuardsASecondOne) {
  EXPECT_FALSE(CreatePaymentLinkStep().look);
  EXPECT_FALSE(CreatePaymentLinkStep().service_guards_repeat);
  EXPECT_FALSE(CreatePaymentLinkStep().spends_setup_token);
  EXPECT_EQ(CreatePaymentLinkStep().on_absence, operations::OnAbsence::kNotExecuted);
}

TEST_F(PlansTest, AnExtensionThatIsOffIsSaidToBe) {
  ExpectDisabled(Plan("CreateRefund", About<v1::CreateRefundRequest>()).status());
  ExpectDisabled(Plan("CreatePaymentLink", v1::CreatePaymentLinkRequest()).status());
  auto capture = About<v1::CaptureTransactionRequest>();
  capture.set_amount(1);
  ExpectDisabled(Plan("CaptureTransaction", capture).status());
  auto release = About<v1::VoidTransactionRequest>();
  release.set_amount(1);
  ExpectDisabled(Plan("VoidTransaction", release).status());
  options_ = {.create_refund = true, .partial_capture = true, .partial_void = false};
  ExpectDisabled(Plan("VoidTransaction", release).status());
  EXPECT_TRUE(Plan("CaptureTransaction", capture).ok());
}

}  // namespace
}  // namespace tollbridge::payments
