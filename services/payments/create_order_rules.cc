#include "services/payments/create_order_rules.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "services/domain/states.h"
#include "services/orders/webhook_url.h"
#include "services/payments/transaction_rules.h"

namespace tollbridge::payments {
namespace {

constexpr std::string_view kPayout = "credit-card-oct";
constexpr std::string_view kUsePayouts =
    "must not be credit-card-oct: payouts are made by tollbridge.payouts.v1.Payouts/CreatePayout";

bool IsAccountFunding(const v1::NewTransaction& transaction) {
  const v1::NewPaymentMethodDetails& details = transaction.payment_method_details();
  return details.has_receiver_account_number() || details.has_receiver_account_number_type();
}

void CheckOneClick(const v1::NewPaymentMethodDetails& details, const std::string& path,
                   Violations& out) {
  if (details.one_click_type() != "one-click") return;
  if (details.vault_token().empty() == details.first_transaction_id().empty()) {
    out.push_back({path + ".vault_token",
                   "one-click needs exactly one of vault_token and first_transaction_id"});
  }
  if (details.cvc().empty()) out.push_back({path + ".cvc", "is required for one-click"});
}

void CheckAccountFunding(const v1::NewTransaction& transaction, const std::string& path,
                         Violations& out) {
  if (!IsAccountFunding(transaction)) return;
  if (transaction.payment_method() != "credit-card") {
    out.push_back({path + ".payment_method", "must be credit-card for account funding"});
  }
  const v1::NewPaymentMethodDetails& details = transaction.payment_method_details();
  const std::string details_path = path + ".payment_method_details";
  if (details.receiver_account_number().empty()) {
    out.push_back({details_path + ".receiver_account_number", "is required for account funding"});
  }
  if (details.receiver_account_number_type().empty()) {
    out.push_back(
        {details_path + ".receiver_account_number_type", "is required for account funding"});
  }
}

void CheckTransactions(const v1::CreateOrderRequest& request, Violations& out) {
  CheckHostedMethods(request.payment_methods(), out);
  for (int i = 0; i < request.transactions_size(); ++i) {
    const v1::NewTransaction& transaction = request.transactions(i);
    const std::string path = "transactions[" + std::to_string(i) + "]";
    if (transaction.payment_method() == kPayout) {
      out.push_back({path + ".payment_method", std::string(kUsePayouts)});
    }
    CheckOneClick(transaction.payment_method_details(), path + ".payment_method_details", out);
    CheckAccountFunding(transaction, path, out);
  }
}

void CheckCustomerOfAccountFunding(const common::v1::Customer& customer, Violations& out) {
  const std::pair<std::string_view, const std::string&> needed[] = {
      {"first_name", customer.first_name()},
      {"last_name", customer.last_name()},
      {"address", customer.address()},
      {"postal_code", customer.postal_code()},
      {"city", customer.city()},
      {"country", customer.country()},
  };
  for (const auto& [name, value] : needed) {
    if (!value.empty()) continue;
    out.push_back({"customer." + std::string(name), "is required for account funding"});
  }
  if (customer.address_type() != "billing") {
    out.push_back({"customer.address_type", "must be billing for account funding"});
  }
  if (domain::HasListedStates(customer.country()) && customer.state().empty()) {
    out.push_back(
        {"customer.state", "is required for account funding when the country is US or CA"});
  }
}

void CheckCustomer(const v1::CreateOrderRequest& request, Violations& out) {
  const common::v1::Customer& customer = request.customer();
  if (std::any_of(request.transactions().begin(), request.transactions().end(), IsAccountFunding)) {
    CheckCustomerOfAccountFunding(customer, out);
  }
  orders::CheckState(customer, out);
}

}  // namespace

void CheckHostedMethods(const google::protobuf::RepeatedPtrField<std::string>& payment_methods,
                        Violations& out) {
  for (int i = 0; i < payment_methods.size(); ++i) {
    if (payment_methods[i] != kPayout) continue;
    out.push_back({"payment_methods[" + std::to_string(i) + "]", std::string(kUsePayouts)});
  }
}

Violations CreateOrderViolations(const v1::CreateOrderRequest& request,
                                 const domain::Project* project) {
  Violations out;
  orders::CheckDescription(request.description(), out);
  CheckTransactions(request, out);
  orders::CheckWebhookUrl(request, project, out);
  CheckCustomer(request, out);
  orders::CheckExtra(request.extra(), out);
  return out;
}

}  // namespace tollbridge::payments
