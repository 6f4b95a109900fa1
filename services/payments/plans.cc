#include "services/payments/plans.h"

#include <string_view>
#include <utility>

#include "services/payments/authenticate_transaction.h"
#include "services/payments/capture_transaction.h"
#include "services/payments/create_order.h"
#include "services/payments/create_payment_link.h"
#include "services/payments/create_refund.h"
#include "services/payments/execute_wallet_b_payment.h"
#include "services/payments/initiate_transaction.h"
#include "services/payments/void_transaction.h"

namespace tollbridge::payments {
namespace {

/// Makes the registrations.
struct Publish {
  const domain::Projects& projects;
  const PaymentOptions& options;

  template <typename Response, typename Request>
  operations::PlanRegistration Mutation(
      std::string_view rpc,
      absl::StatusOr<operations::Plan> (*plan)(const domain::Projects&, const PaymentOptions&,
                                               const Request&),
      operations::MutationParts parts) const {
    return operations::PlanFor<Request, Response>(
        rpc,
        [plan, &known = projects, chosen = options](const Request& request) {
          return plan(known, chosen, request);
        },
        std::move(parts));
  }
};

}  // namespace

std::vector<operations::PlanRegistration> PaymentPlans(const domain::Projects& projects,
                                                       const PaymentOptions& options) {
  const Publish publish{projects, options};
  return {
      publish.Mutation<v1::CreateOrderResponse>(kCreateOrderRpc, &PlanCreateOrder,
                                                CreateOrderParts()),
      publish.Mutation<v1::InitiateTransactionResponse>(
          kInitiateTransactionRpc, &PlanInitiateTransaction, InitiateTransactionParts()),
      publish.Mutation<v1::AuthenticateTransactionResponse>(kAuthenticateTransactionRpc,
                                                            &PlanAuthenticateTransaction,
                                                            AuthenticateTransactionParts()),
      publish.Mutation<v1::CaptureTransactionResponse>(
          kCaptureTransactionRpc, &PlanCaptureTransaction, CaptureTransactionParts()),
      publish.Mutation<v1::VoidTransactionResponse>(kVoidTransactionRpc, &PlanVoidTransaction,
                                                    VoidTransactionParts()),
      publish.Mutation<v1::CreateRefundResponse>(kCreateRefundRpc, &PlanCreateRefund,
                                                 CreateRefundParts()),
      publish.Mutation<v1::ExecuteWalletBPaymentResponse>(
          kExecuteWalletBPaymentRpc, &PlanExecuteWalletBPayment, ExecuteWalletBPaymentParts()),
      publish.Mutation<v1::CreatePaymentLinkResponse>(kCreatePaymentLinkRpc, &PlanCreatePaymentLink,
                                                      CreatePaymentLinkParts()),
  };
}

}  // namespace tollbridge::payments
