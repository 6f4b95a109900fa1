#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_PLANS_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_PLANS_H_

#include <vector>

#include "services/domain/project.h"
#include "services/domain/project_rule.h"
#include "services/operations/plan.h"
#include "services/orders/find_project.h"
#include "services/payments/create_order_rules.h"
#include "services/payments/create_payment_link.h"
#include "services/payments/options.h"
#include "services/payments/transaction_rules.h"

namespace tollbridge::payments {

/// The mutations of the service Payments. `projects` outlives the registrations.
std::vector<operations::PlanRegistration> PaymentPlans(const domain::Projects& projects,
                                                       const PaymentOptions& options);

/// Adds the rules of their requests to `rules`, an rpc::RequestRules, which this room does not see.
/// `projects` outlives it.
template <typename RequestRules>
void AddPaymentRules(RequestRules& rules, const domain::Projects& projects) {
  const auto add = [&](std::string_view method, auto find) {
    domain::AddProjectRule(rules, projects, method, find);
  };
  add("tollbridge.payments.v1.Payments.CreateOrder", &CreateOrderViolations);
  add("tollbridge.payments.v1.Payments.InitiateTransaction", &InitiateTransactionViolations);
  add("tollbridge.payments.v1.Payments.AuthenticateTransaction",
      &AuthenticateTransactionViolations);
  add("tollbridge.payments.v1.Payments.ExecuteWalletBPayment", &ExecuteWalletBPaymentViolations);
  add("tollbridge.payments.v1.Payments.CreatePaymentLink", &CreatePaymentLinkViolations);
  add("tollbridge.payments.v1.Payments.CaptureTransaction", &CaptureTransactionViolations);
  add("tollbridge.payments.v1.Payments.VoidTransaction", &VoidTransactionViolations);
  add("tollbridge.payments.v1.Payments.CreateRefund", &CreateRefundViolations);
  add("tollbridge.payments.v1.Payments.GetOrder", &orders::ProjectViolations<v1::GetOrderRequest>);
  add("tollbridge.payments.v1.Payments.WatchOrder",
      &orders::ProjectViolations<v1::WatchOrderRequest>);
  add("tollbridge.payments.v1.Payments.ListRefunds",
      &orders::ProjectViolations<v1::ListRefundsRequest>);
  add("tollbridge.payments.v1.Payments.GetPaymentLink",
      &orders::ProjectViolations<v1::GetPaymentLinkRequest>);
  add("tollbridge.payments.v1.Payments.ListCurrencies",
      &orders::ProjectViolations<v1::ListCurrenciesRequest>);
  add("tollbridge.payments.v1.Payments.CreateWalletASession",
      &orders::ProjectViolations<v1::CreateWalletASessionRequest>);
}

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_PLANS_H_
