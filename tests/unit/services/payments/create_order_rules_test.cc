#include "services/payments/create_order_rules.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tollbridge::payments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

domain::Project Shop() {
  domain::Project project;
  project.name = "shop";
  return project;
}

std::vector<std::string> Fields(const v1::CreateOrderRequest& request,
                                const domain::Project& project = Shop()) {
  std::vector<std::string> fields;
  for (const auto& violation : CreateOrderViolations(request, &project)) {
    fields.push_back(violation.field);
  }
  return fields;
}

v1::CreateOrderRequest Hosted() {
  v1::CreateOrderRequest request;
  request.set_amount(500);
  request.set_currency("EUR");
  return request;
}

v1::CreateOrderRequest WithCard() {
  v1::CreateOrderRequest request = Hosted();
  request.add_transactions()->set_payment_method("credit-card");
  return request;
}

v1::CreateOrderRequest AccountFunding() {
  v1::CreateOrderRequest request = WithCard();
  auto* details = request.mutable_transactions(0)->mutable_payment_method_details();
  details->set_receiver_account_number("receiver");
  details->set_receiver_account_number_type("card-account");
  auto* customer = request.mutable_customer();
  customer->set_first_name("first");
  customer->set_last_name("last");
  customer->set_address_type("billing");
  customer->set_address("street 1");
  customer->set_postal_code("12345");
  customer->set_city("city");
  customer->set_country("DE");
  return request;
}

TEST(CreateOrderViolations, AcceptsAHostedPageAndOneTransaction) {
  EXPECT_THAT(Fields(Hosted()), IsEmpty());
  EXPECT_THAT(Fields(WithCard()), IsEmpty());
}

TEST(CreateOrderViolations, SendsPayoutsToTheirOwnService) {
  v1::CreateOrderRequest request = WithCard();
  request.mutable_transactions(0)->set_payment_method("credit-card-oct");
  request.add_payment_methods("credit-card");
  request.add_payment_methods("credit-card-oct");
  EXPECT_THAT(Fields(request), ElementsAre("payment_methods[1]", "transactions[0].payment_method"));
  const domain::Project project = Shop();
  EXPECT_THAT(CreateOrderViolations(request, &project)[1].rule, HasSubstr("Payouts"));
}

TEST(CreateOrderViolations, OneClickNeedsTheCodeAndOneReferenceToTheCard) {
  const std::string details_path = "transactions[0].payment_method_details";
  v1::CreateOrderRequest request = WithCard();
  auto* details = request.mutable_transactions(0)->mutable_payment_method_details();
  details->set_one_click_type("one-click");
  EXPECT_THAT(Fields(request), ElementsAre(details_path + ".vault_token", details_path + ".cvc"));
  details->set_cvc("123");
  details->set_vault_token("token");
  EXPECT_THAT(Fields(request), IsEmpty());
  details->set_first_transaction_id("transaction");
  EXPECT_THAT(Fields(request), ElementsAre(details_path + ".vault_token"));
  details->clear_vault_token();
  EXPECT_THAT(Fields(request), IsEmpty());
}

TEST(CreateOrderViolations, TheFirstOfOneClickNeedsNeither) {
  v1::CreateOrderRequest request = WithCard();
  request.mutable_transactions(0)->mutable_payment_method_details()->set_one_click_type("first");
  EXPECT_THAT(Fields(request), IsEmpty());
}

TEST(CreateOrderViolations, AcceptsAccountFundingWithItsReceiverAndCustomer) {
  EXPECT_THAT(Fields(AccountFunding()), IsEmpty());
}

TEST(CreateOrderViolations, AccountFundingNeedsEachFieldOfTheCustomer) {
  v1::CreateOrderRequest request = AccountFunding();
  request.clear_customer();
  EXPECT_THAT(Fields(request),
              ElementsAre("customer.first_name", "customer.last_name", "customer.address",
                          "customer.postal_code", "customer.city", "customer.country",
                          "customer.address_type"));
}

TEST(CreateOrderViolations, AccountFundingNeedsBothReceiverFieldsAndACard) {
  v1::CreateOrderRequest request = AccountFunding();
  auto* transaction = request.mutable_transactions(0);
  transaction->set_payment_method("wallet-b-pay");
  transaction->mutable_payment_method_details()->clear_receiver_account_number();
  EXPECT_THAT(Fields(request),
              ElementsAre("transactions[0].payment_method",
                          "transactions[0].payment_method_details.receiver_account_number"));
  request = AccountFunding();
  request.mutable_transactions(0)
      ->mutable_payment_method_details()
      ->clear_receiver_account_number_type();
  EXPECT_THAT(Fields(request),
              ElementsAre("transactions[0].payment_method_details.receiver_account_number_type"));
}

TEST(CreateOrderViolations, AccountFundingNeedsAListedStateInTheUsAndCanada) {
  for (const char* country : {"US", "CA"}) {
    v1::CreateOrderRequest request = AccountFunding();
    request.mutable_customer()->set_country(country);
    EXPECT_THAT(Fields(request), ElementsAre("customer.state"));
    request.mutable_customer()->set_state("XX");
    EXPECT_THAT(Fields(request), ElementsAre("customer.state"));
    request.mutable_customer()->set_state(country == std::string("US") ? "NY" : "ON");
    EXPECT_THAT(Fields(request), IsEmpty());
  }
}

TEST(CreateOrderViolations, OtherOrdersNeedNoStateAndOtherCountriesHaveAnyState) {
  v1::CreateOrderRequest request = Hosted();
  request.mutable_customer()->set_country("US");
  EXPECT_THAT(Fields(request), IsEmpty());
  request.mutable_customer()->set_country("AU");
  request.mutable_customer()->set_state("XX");
  EXPECT_THAT(Fields(request), IsEmpty());
}

TEST(CreateOrderViolations, TakesAWebhookUrlOnlyWhereTheProjectAllows) {
  v1::CreateOrderRequest request = Hosted();
  request.set_webhook_url("https://example.com/");
  EXPECT_THAT(Fields(request), ElementsAre("webhook_url"));
  domain::Project project = Shop();
  project.allow_caller_webhook_url = true;
  EXPECT_THAT(Fields(request, project), IsEmpty());
}

TEST(CreateOrderViolations, KeepsTheFieldOfTheMarkForItself) {
  v1::CreateOrderRequest request = Hosted();
  (*request.mutable_extra()->mutable_fields())["tollbridge_operation"].set_string_value("x");
  EXPECT_THAT(Fields(request), ElementsAre("extra.tollbridge_operation"));
}

TEST(CreateOrderViolations, ReportsEverythingAtOnceAndNeverAValue) {
  v1::CreateOrderRequest request = AccountFunding();
  request.mutable_customer()->clear_city();
  request.mutable_customer()->set_country("US");
  request.mutable_customer()->set_state("QQ");
  request.set_webhook_url("https://secret.example/");
  auto* details = request.mutable_transactions(0)->mutable_payment_method_details();
  details->set_one_click_type("one-click");
  details->set_cvc("987");
  EXPECT_THAT(Fields(request), ElementsAre("transactions[0].payment_method_details.vault_token",
                                           "webhook_url", "customer.city", "customer.state"));
  const domain::Project project = Shop();
  for (const auto& violation : CreateOrderViolations(request, &project)) {
    for (const char* value : {"QQ", "secret", "987"}) {
      EXPECT_THAT(violation.rule, ::testing::Not(HasSubstr(value)));
    }
  }
}

}  // namespace
}  // namespace tollbridge::payments
