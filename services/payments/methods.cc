#include "services/payments/methods.h"

#include <memory>
#include <utility>

#include "services/payments/authenticate_transaction.h"
#include "services/payments/capture_transaction.h"
#include "services/payments/create_order.h"
#include "services/payments/create_order_rules.h"
#include "services/payments/create_payment_link.h"
#include "services/payments/create_refund.h"
#include "services/payments/create_wallet_a_session.h"
#include "services/payments/execute_wallet_b_payment.h"
#include "services/payments/get_order.h"
#include "services/payments/get_payment_link.h"
#include "services/payments/initiate_transaction.h"
#include "services/payments/list_currencies.h"
#include "services/payments/list_refunds.h"
#include "services/payments/transaction_rules.h"
#include "services/payments/void_transaction.h"

namespace tollbridge::payments {
namespace {

using operations::Method;
using operations::MethodPorts;
using operations::Mutation;
using operations::Read;

/// A plan function with the options that it depends on.
template <typename Request>
auto With(const PaymentOptions& options,
          absl::StatusOr<operations::Plan> (*plan)(const domain::Project&, const PaymentOptions&,
                                                   const Request&)) {
  return [plan, options](const domain::Project& project, const Request& request) {
    return plan(project, options, request);
  };
}

/// A use case with the options that it depends on.
template <typename Request, typename Response>
auto With(const PaymentOptions& options,
          Async<Response> (*ask)(ports::PaymentService&, const domain::Project&,
                                 const PaymentOptions&, const Request&, ports::Context)) {
  return [ask, options](ports::PaymentService& service, const domain::Project& project,
                        const Request& request, ports::Context context) {
    return ask(service, project, options, request, context);
  };
}

/// The watchers of a shard share the reads of their orders.
Method WatchOrder(WatchSettings settings, std::function<bool()> draining) {
  return operations::Watch<v1::WatchOrderRequest, v1::WatchOrderResponse>(
      [settings, draining = std::move(draining)](const MethodPorts& ports) {
        auto watchers =
            std::make_shared<OrderWatchers>(OrderWatchers::Ports{.service = ports.service,
                                                                 .snapshots = ports.snapshots,
                                                                 .changes = ports.changes,
                                                                 .clock = ports.clock},
                                            draining, settings);
        return [watchers](const domain::Project& project, const v1::WatchOrderRequest& request,
                          BootTime deadline, OrderStream& stream) {
          return watchers->Watch(project, request, deadline, stream);
        };
      });
}

}  // namespace

std::vector<Method> PaymentMethods(const PaymentOptions& options, WatchSettings watch,
                                   std::function<bool()> draining) {
  return {
      Mutation(&PlanCreateOrder, CreateOrderSpec(), &CreateOrderViolations),
      Mutation(&PlanInitiateTransaction, InitiateTransactionSpec()),
      Mutation(&PlanAuthenticateTransaction, AuthenticateTransactionSpec(),
               &AuthenticateTransactionViolations),
      Mutation(With(options, &PlanCaptureTransaction), CaptureTransactionSpec(),
               &CaptureTransactionViolations),
      Mutation(With(options, &PlanVoidTransaction), VoidTransactionSpec(),
               &VoidTransactionViolations),
      Mutation(With(options, &PlanCreateRefund), CreateRefundSpec(), &CreateRefundViolations),
      Mutation(&PlanExecuteWalletBPayment, ExecuteWalletBPaymentSpec()),
      Mutation(With(options, &PlanCreatePaymentLink), CreatePaymentLinkSpec(),
               &CreatePaymentLinkViolations),
      Read(&GetOrder),
      Read(&ListRefunds),
      Read(&GetPaymentLink),
      Read(With(options, &ListCurrencies)),
      Read(&CreateWalletASession, &CreateWalletASessionViolations),
      WatchOrder(watch, std::move(draining)),
  };
}

}  // namespace tollbridge::payments
