#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_PLANS_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_PLANS_H_

#include <vector>

#include "services/domain/project.h"
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
template <typename RequestRules>
void AddPaymentRules(RequestRules& rules) {
  rules.Add("tollbridge.payments.v1.Payments.CreateOrder", &CreateOrderViolations);
  rules.Add("tollbridge.payments.v1.Payments.InitiateTransaction", &InitiateTransactionViolations);
  rules.Add("tollbridge.payments.v1.Payments.AuthenticateTransaction",
            &AuthenticateTransactionViolations);
  rules.Add("tollbridge.payments.v1.Payments.ExecuteWalletBPayment",
            &ExecuteWalletBPaymentViolations);
  rules.Add("tollbridge.payments.v1.Payments.CreatePaymentLink", &CreatePaymentLinkViolations);
  rules.Add("tollbridge.payments.v1.Payments.CaptureTransaction", &CaptureTransactionViolations);
  rules.Add("tollbridge.payments.v1.Payments.VoidTransaction", &VoidTransactionViolations);
  rules.Add("tollbridge.payments.v1.Payments.CreateRefund", &CreateRefundViolations);
  rules.Add("tollbridge.payments.v1.Payments.GetOrder",
            &orders::ProjectViolations<v1::GetOrderRequest>);
  rules.Add("tollbridge.payments.v1.Payments.WatchOrder",
            &orders::ProjectViolations<v1::WatchOrderRequest>);
  rules.Add("tollbridge.payments.v1.Payments.ListRefunds",
            &orders::ProjectViolations<v1::ListRefundsRequest>);
  rules.Add("tollbridge.payments.v1.Payments.GetPaymentLink",
            &orders::ProjectViolations<v1::GetPaymentLinkRequest>);
  rules.Add("tollbridge.payments.v1.Payments.ListCurrencies",
            &orders::ProjectViolations<v1::ListCurrenciesRequest>);
  rules.Add("tollbridge.payments.v1.Payments.CreateWalletASession",
            &orders::ProjectViolations<v1::CreateWalletASessionRequest>);
}

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_PLANS_H_
