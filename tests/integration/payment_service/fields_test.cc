// The fields of docs/interface.md against the sandbox's program: what is sent comes back, and what
// the interface shows in an answer is there. Two readings of the interface meet.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/integration/payment_service/pipe.h"
#include "tests/support/every_field.h"
#include "tollbridge/common/v1/payment_link.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::test {
namespace {

namespace pb = google::protobuf;

using Fate = ports::Answer::Fate;
using common::v1::Order;
using ports::PaymentService;

std::string Printed(const pb::Message& message, const pb::FieldDescriptor& field) {
  std::string text;
  const pb::Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated()) {
    pb::TextFormat::PrintFieldValueToString(message, &field, -1, &text);
    return text;
  }
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    std::string element;
    pb::TextFormat::PrintFieldValueToString(message, &field, i, &element);
    text += element + "\n";
  }
  return text;
}

/// Each of these fields of `asked` is the same in `shown`.
void ExpectShown(const pb::Message& asked, const pb::Message& shown,
                 const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const pb::FieldDescriptor* sent = asked.GetDescriptor()->FindFieldByName(name);
    const pb::FieldDescriptor* read = shown.GetDescriptor()->FindFieldByName(name);
    ASSERT_TRUE(sent != nullptr && read != nullptr) << name;
    EXPECT_NE(Printed(asked, *sent), "") << name;
    EXPECT_EQ(Printed(shown, *read), Printed(asked, *sent)) << name;
  }
}

/// Each of these fields is there.
void ExpectPresent(const pb::Message& message, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const pb::FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
    ASSERT_NE(field, nullptr) << name;
    const pb::Reflection& reflection = *message.GetReflection();
    EXPECT_TRUE(field->is_repeated() ? reflection.FieldSize(message, field) > 0
                                     : reflection.HasField(message, field))
        << name << " of " << message.ShortDebugString();
  }
}

AsyncStatus Append(std::string& text, std::string_view piece) {
  text += piece;
  co_return absl::OkStatus();
}

class FieldsAtTheSandboxTest : public PipeTest {
 protected:
  template <typename Result, typename Request, typename Function>
  Result Must(Function function, const Request& request) {
    const ports::Answer answer = Send(function, request);
    EXPECT_EQ(answer.fate, Fate::kAnswered) << answer.cause << " " << answer.refusal.value;
    if (answer.fate != Fate::kAnswered) return {};
    return dynamic_cast<const Result&>(*answer.result);
  }

  static common::v1::Customer FullCustomer() {
    common::v1::Customer customer;
    customer.set_address_type("billing");
    customer.set_country("US");
    customer.set_state("NY");
    customer.set_ip_address("192.0.2.1");
    customer.set_email_address("ada@shop.test");
    FillEveryField(customer);
    return customer;
  }

  static payments::v1::CreateOrderRequest AccountFunding() {
    payments::v1::CreateOrderRequest request;
    request.set_currency("EUR");
    request.set_amount(1250);
    *request.mutable_customer() = FullCustomer();
    request.add_transactions()->set_payment_method("credit-card");
    auto* details = request.mutable_transactions(0)->mutable_payment_method_details();
    details->set_receiver_account_number("DE00123456780000000000");
    details->set_receiver_account_number_type("card-account");
    return request;
  }
};

TEST_F(FieldsAtTheSandboxTest, EachOfACreatedOrderIsReadBack) {
  payments::v1::CreateOrderRequest request;
  request.set_currency("EUR");
  request.set_expiration_period("PT1H");
  request.add_payment_methods("credit-card");
  request.set_return_url("https://shop.test/thanks");
  request.set_failure_url("https://shop.test/sorry");
  request.set_webhook_url("http://127.0.0.1:9/hook");
  *request.mutable_customer() = FullCustomer();
  (*request.mutable_client()->mutable_fields())["platform_name"].set_string_value("shop");
  (*request.mutable_extra()->mutable_fields())["basket"].set_number_value(7);
  request.set_merchant_order_id("A-1");
  request.set_merchant_name("Shop");
  request.set_description("two tickets");
  request.set_amount(1250);
  const auto created = Must<Order>(&PaymentService::CreateOrder, request);
  const absl::StatusOr<Order> read = Read(created.id());
  ASSERT_TRUE(read.ok()) << read.status();
  ExpectShown(request, *read,
              {"merchant_order_id", "merchant_name", "description", "currency", "amount",
               "expiration_period", "payment_methods", "return_url", "failure_url", "webhook_url",
               "customer", "client", "extra"});
  ExpectPresent(*read, {"id", "project_id", "merchant_id", "status", "flags", "created", "modified",
                        "order_url"});
}

TEST_F(FieldsAtTheSandboxTest, ATransactionHasWhatTheDocumentShows) {
  payments::v1::CreateOrderRequest request;
  request.set_currency("EUR");
  request.set_amount(1250);
  request.set_expiration_period("PT1H");
  request.add_transactions()->set_payment_method("credit-card");
  const auto created = Must<Order>(&PaymentService::CreateOrder, request);
  ASSERT_EQ(created.transactions_size(), 1);
  ExpectPresent(
      created.transactions(0),
      {"id", "order_id", "created", "currency", "amount", "credit_debit", "expiration_period",
       "is_capturable", "payment_method", "payment_method_details", "payment_url", "status"});
  ExpectPresent(created.transactions(0).payment_method_details(), {"setup_token"});
  Pay(created);
  const absl::StatusOr<Order> paid = Read(created.id());
  ASSERT_TRUE(paid.ok()) << paid.status();
  const common::v1::Transaction& transaction = paid->transactions(0);
  ExpectPresent(transaction, {"payment_method_brand", "events", "outcomes"});
  ExpectPresent(transaction.events(0), {"event", "id", "occurred", "source"});
  ExpectPresent(transaction.outcomes().at("processing"),
                {"status", "response_code", "response_code_description"});
  ExpectPresent(transaction.payment_method_details(),
                {"vault_token", "truncated_pan", "card_expiry", "approval_code",
                 "authorization_iso_response_code", "network_transaction_id"});
}

TEST_F(FieldsAtTheSandboxTest, ASeriesFromAnotherPlatformIsContinued) {
  payments::v1::CreateOrderRequest request;
  request.set_currency("EUR");
  request.set_amount(1250);
  request.add_transactions()->set_payment_method("credit-card");
  auto* details = request.mutable_transactions(0)->mutable_payment_method_details();
  details->set_recurring_type("recurring");
  details->set_first_network_transaction_id("N1");
  const auto created = Must<Order>(&PaymentService::CreateOrder, request);
  Pay(created);
  const absl::StatusOr<Order> paid = Read(created.id());
  ASSERT_TRUE(paid.ok()) << paid.status();
  const auto& shown = paid->transactions(0).payment_method_details();
  EXPECT_EQ(shown.recurring_type(), "recurring");
  EXPECT_EQ(shown.first_network_transaction_id(), "N1");
  ExpectPresent(shown, {"schedule_type", "network_transaction_id"});
}

TEST_F(FieldsAtTheSandboxTest, AccountFundingIsToldByItsType) {
  payments::v1::CreateOrderRequest request = AccountFunding();
  for (const char* capture_mode : {"", "manual", "delayed"}) {
    request.mutable_transactions(0)->clear_capture_mode();
    if (*capture_mode != '\0') request.mutable_transactions(0)->set_capture_mode(capture_mode);
    const auto created = Must<Order>(&PaymentService::CreateOrder, request);
    ASSERT_EQ(created.transactions_size(), 1);
    EXPECT_EQ(created.transactions(0).transaction_type(), "aft");
    EXPECT_EQ(created.transactions(0).payment_method_details().receiver_account_number_type(),
              "card-account");
    Pay(created);
    EXPECT_EQ(Read(created.id())->transactions(0).is_capturable(), *capture_mode != '\0');
  }
}

TEST_F(FieldsAtTheSandboxTest, AccountFundingIsCapturedAndVoidedInPart) {
  payments::v1::CreateOrderRequest request = AccountFunding();
  request.mutable_transactions(0)->set_capture_mode("manual");
  const auto created = Must<Order>(&PaymentService::CreateOrder, request);
  Pay(created);
  auto capture = About<payments::v1::CaptureTransactionRequest>(created);
  capture.set_amount(300);
  EXPECT_EQ(Must<Order>(&PaymentService::CaptureTransaction, capture).amount(), 300);
  auto release = About<payments::v1::VoidTransactionRequest>(created);
  release.set_amount(950);
  EXPECT_EQ(Must<Order>(&PaymentService::VoidTransaction, release).amount(), 950);
  EXPECT_FALSE(Read(created.id())->transactions(0).is_capturable()) << "nothing is left";
}

TEST_F(FieldsAtTheSandboxTest, ExternalAuthenticationIsShown) {
  const Order created = MakeOrder("A-1");
  auto pay = About<payments::v1::AuthenticateTransactionRequest>(created);
  pay.set_vault_token(StoreCard(created));
  pay.set_cavv("AAABBB");
  pay.set_three_ds_version("2.2.0");
  pay.set_three_ds_method_used("challenge");
  pay.set_ds_transaction_id("ds-1");
  const auto answer =
      Must<payments::v1::AuthenticateAnswer>(&PaymentService::AuthenticateTransaction, pay);
  ASSERT_EQ(answer.order().transactions_size(), 1);
  const auto& shown =
      answer.order().transactions(0).payment_method_details().external_authentication_details();
  EXPECT_EQ(shown.authentication_value(), "AAABBB");
  EXPECT_EQ(shown.ds_trans_id(), "ds-1");
  EXPECT_EQ(shown.method_used(), "challenge");
  EXPECT_EQ(shown.protocol_version(), "2.2.0");
}

TEST_F(FieldsAtTheSandboxTest, AWalletBPaymentWithoutACryptogramIsACardPayment) {
  payments::v1::CreateOrderRequest request;
  request.set_currency("EUR");
  request.set_amount(1250);
  request.add_transactions()->set_payment_method("wallet-b-pay");
  const auto created = Must<Order>(&PaymentService::CreateOrder, request);
  auto pay = About<payments::v1::ExecuteWalletBPaymentRequest>(created);
  pay.set_vault_token(StoreCard(created));
  const auto payment =
      Must<payments::v1::WalletBPayment>(&PaymentService::ExecuteWalletBPayment, pay);
  EXPECT_TRUE(payment.is_successful());
  EXPECT_EQ(Effects("charge"), 1);
}

TEST_F(FieldsAtTheSandboxTest, APayoutIsToldByItsTypeAndItsCountry) {
  payments::v1::CreateOrderRequest request;
  request.set_currency("EUR");
  request.set_amount(1250);
  *request.mutable_customer() = FullCustomer();
  request.add_transactions()->set_payment_method("credit-card-oct");
  const auto created = Must<Order>(&PaymentService::CreateOrder, request);
  ASSERT_EQ(created.transactions_size(), 1);
  EXPECT_EQ(created.transactions(0).credit_debit(), "debit");
  EXPECT_EQ(created.transactions(0).transaction_type(), "oct");
  auto pay = About<payments::v1::AuthenticateTransactionRequest>(created);
  pay.set_vault_token(StoreCard(created));
  const auto answer =
      Must<payments::v1::AuthenticateAnswer>(&PaymentService::AuthenticateTransaction, pay);
  EXPECT_FALSE(answer.redirect_url().empty());
  const absl::StatusOr<Order> paid = Read(created.id());
  ASSERT_TRUE(paid.ok()) << paid.status();
  ExpectPresent(paid->transactions(0).payment_method_details(), {"consumer_country"});
}

TEST_F(FieldsAtTheSandboxTest, EachOfARefundInTheListIsThere) {
  const Order order = MakeOrder("A-1");
  Pay(order);
  payments::v1::CreateRefundRequest refund;
  refund.set_order_id(order.id());
  refund.set_amount(500);
  refund.set_description("damaged");
  Must<Order>(&PaymentService::CreateRefund, refund);
  sandbox_.Operate("clock", R"({"advance": "PT5S"})");
  const ports::Context context = Context();
  const auto list = Await(client_->ListRefunds(project_, order.id(), context));
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->orders_size(), 1);
  ExpectPresent(list->orders(0), {"id", "amount", "currency", "created", "completed", "description",
                                  "flags", "merchant_order_id", "refund_of_order_id", "status"});
  EXPECT_THAT(list->orders(0).flags(), testing::Contains("is-refund"));
  const absl::StatusOr<Order> refunded = Read(order.id());
  ASSERT_TRUE(refunded.ok()) << refunded.status();
  EXPECT_EQ(refunded->refunded_amount(), 500);
  EXPECT_THAT(refunded->refund_orders(), testing::ElementsAre(list->orders(0).id()));
}

TEST_F(FieldsAtTheSandboxTest, EachOfAPaymentLinkIsReadBack) {
  payments::v1::CreatePaymentLinkRequest request;
  request.set_merchant_order_id("A-1");
  request.set_amount(1250);
  request.set_currency("EUR");
  request.set_description("two tickets");
  request.add_payment_methods("credit-card");
  request.set_expiration_period("P20D");
  request.set_return_url("https://shop.test/thanks");
  request.set_webhook_url("http://127.0.0.1:9/hook");
  const auto created = Must<common::v1::PaymentLink>(&PaymentService::CreatePaymentLink, request);
  const ports::Context context = Context();
  const auto read = Await(client_->GetPaymentLink(project_, created.id(), context));
  ASSERT_TRUE(read.ok()) << read.status();
  ExpectShown(request, *read,
              {"merchant_order_id", "amount", "currency", "description", "payment_methods",
               "expiration_period", "return_url", "webhook_url"});
  ExpectPresent(
      *read, {"id", "project_id", "merchant_id", "payment_url", "status", "created", "modified"});
}

TEST_F(FieldsAtTheSandboxTest, APaymentLinkIsValidFor30DaysUnlessItSaysOtherwise) {
  payments::v1::CreatePaymentLinkRequest request;
  request.set_merchant_order_id("A-1");
  request.set_amount(1250);
  request.set_currency("EUR");
  const auto by_default =
      Must<common::v1::PaymentLink>(&PaymentService::CreatePaymentLink, request);
  request.set_expiration_period("P31D");
  const auto longer = Must<common::v1::PaymentLink>(&PaymentService::CreatePaymentLink, request);
  sandbox_.Operate("clock", R"({"advance": "P30D"})");
  const ports::Context context = Context();
  const auto expired = Await(client_->GetPaymentLink(project_, by_default.id(), context));
  ASSERT_TRUE(expired.ok()) << expired.status();
  EXPECT_EQ(expired->status(), common::v1::PAYMENT_LINK_STATUS_EXPIRED);
  const auto open = Await(client_->GetPaymentLink(project_, longer.id(), context));
  ASSERT_TRUE(open.ok()) << open.status();
  EXPECT_EQ(open->status(), common::v1::PAYMENT_LINK_STATUS_NEW);
}

TEST_F(FieldsAtTheSandboxTest, TheReportBeginsWithTheColumnsOfTheDocument) {
  Pay(MakeOrder("A-1"));
  common::v1::OrderSearch search;
  search.set_query("*");
  std::string report;
  const ports::ReportSink sink = [&report](std::string_view piece) {
    return Append(report, piece);
  };
  const ports::Context context = Context();
  ASSERT_EQ(Await(client_->ReadReport(project_, search, sink, context)), absl::OkStatus());
  const std::string header = report.substr(0, report.find_first_of("\r\n"));
  EXPECT_THAT(
      header + ",",
      testing::StartsWith(
          "id,merchant_order_id,created,completed,currency,amount,status,transaction.id,"
          "transaction.status,transaction.payment_method,transaction.payment_method_brand,"
          "transaction.amount_with_decimals,transaction.credit_debit,"
          "transaction.refund_of_transaction_id,"
          "transaction.payment_method_details.truncated_pan,transaction.settlement_currency,"
          "transaction.settlement_amount,transaction.fee_currency,transaction.fee_amount,"
          "customer.merchant_customer_id,merchant_id,project_id,"));
}

}  // namespace
}  // namespace tollbridge::test
