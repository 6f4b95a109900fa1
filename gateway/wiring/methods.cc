#include "gateway/wiring/methods.h"

#include <algorithm>
#include <iterator>

#include "gateway/config/payment_service_settings.h"
#include "gateway/wiring/search.h"
#include "services/operations/get_operation.h"
#include "services/operations/list_operations.h"
#include "services/operations/request_rules.h"
#include "services/operations/resolve_operation.h"
#include "services/payments/create_wallet_a_session.h"
#include "services/payments/get_order.h"
#include "services/payments/get_payment_link.h"
#include "services/payments/list_currencies.h"
#include "services/payments/list_refunds.h"
#include "services/payments/plans.h"
#include "services/payments/watch_order.h"
#include "services/payouts/get_payout.h"
#include "services/payouts/plans.h"
#include "services/search/rules.h"
#include "services/vault/plans.h"
#include "tollbridge/operations/v1/operations.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/payouts/v1/payouts.pb.h"

namespace tollbridge::gateway {
namespace {

void RegisterPaymentReads(ShardParts& parts, const MethodMaterial& material) {
  rpc::Dispatcher& dispatcher = *parts.dispatcher;
  const domain::Projects& projects = material.projects;
  const payments::PaymentOptions options = MakePaymentOptions(material.config.payment_service);
  dispatcher.HandleRead<payments::v1::GetOrderRequest, payments::v1::GetOrderResponse>(
      "tollbridge.payments.v1.Payments.GetOrder",
      [&parts, &projects](const payments::v1::GetOrderRequest& request,
                          const ports::Context& context) {
        return payments::GetOrder(*parts.payment_service, projects, request, context);
      });
  dispatcher.HandleRead<payments::v1::ListRefundsRequest, payments::v1::ListRefundsResponse>(
      "tollbridge.payments.v1.Payments.ListRefunds",
      [&parts, &projects](const payments::v1::ListRefundsRequest& request,
                          const ports::Context& context) {
        return payments::ListRefunds(*parts.payment_service, projects, request, context);
      });
  dispatcher.HandleRead<payments::v1::GetPaymentLinkRequest, payments::v1::GetPaymentLinkResponse>(
      "tollbridge.payments.v1.Payments.GetPaymentLink",
      [&parts, &projects](const payments::v1::GetPaymentLinkRequest& request,
                          const ports::Context& context) {
        return payments::GetPaymentLink(*parts.payment_service, projects, request, context);
      });
  dispatcher.HandleRead<payments::v1::ListCurrenciesRequest, payments::v1::ListCurrenciesResponse>(
      "tollbridge.payments.v1.Payments.ListCurrencies",
      [&parts, &projects, options](const payments::v1::ListCurrenciesRequest& request,
                                   const ports::Context& context) {
        return payments::ListCurrencies(*parts.payment_service, projects, options, request,
                                        context);
      });
  dispatcher.HandleRead<payments::v1::CreateWalletASessionRequest,
                        payments::v1::CreateWalletASessionResponse>(
      "tollbridge.payments.v1.Payments.CreateWalletASession",
      [&parts, &projects](const payments::v1::CreateWalletASessionRequest& request,
                          const ports::Context& context) {
        return payments::CreateWalletASession(*parts.payment_service, projects, request, context);
      });
}

void RegisterPayouts(ShardParts& parts, const MethodMaterial& material) {
  const domain::Projects& projects = material.projects;
  parts.dispatcher->HandleRead<payouts::v1::GetPayoutRequest, payouts::v1::GetPayoutResponse>(
      "tollbridge.payouts.v1.Payouts.GetPayout",
      [&parts, &projects](const payouts::v1::GetPayoutRequest& request,
                          const ports::Context& context) {
        return payouts::GetPayout(*parts.payment_service, projects, request, context);
      });
}

class WatchStream : public payments::OrderStream {
 public:
  explicit WatchStream(rpc::StreamWriter<payments::v1::WatchOrderResponse> writer)
      : writer_(writer) {}
  AsyncStatus Write(const payments::v1::WatchOrderResponse& response) override {
    return writer_.Write(response);
  }
  bool cancelled() const override { return writer_.cancelled(); }

 private:
  rpc::StreamWriter<payments::v1::WatchOrderResponse> writer_;
};

AsyncStatus WatchOrder(ShardParts& parts, const payments::v1::WatchOrderRequest& request,
                       BootTime deadline,
                       rpc::StreamWriter<payments::v1::WatchOrderResponse> writer) {
  WatchStream stream(writer);
  co_return co_await parts.order_watchers->Watch(request, deadline, stream);
}

void RegisterWatchOrder(ShardParts& parts, const MethodMaterial& material) {
  parts.order_watchers = std::make_unique<payments::OrderWatchers>(
      payments::OrderWatchers::Ports{.service = *parts.payment_service,
                                     .snapshots = *parts.snapshot_store,
                                     .changes = *parts.order_changes,
                                     .clock = parts.clock},
      material.projects, [&drain = material.drain] { return drain.draining(); },
      material.config.rpc.watch);
  parts.dispatcher->HandleWatch<payments::v1::WatchOrderRequest, payments::v1::WatchOrderResponse>(
      "tollbridge.payments.v1.Payments.WatchOrder",
      [&parts](const payments::v1::WatchOrderRequest& request, const ports::Context& context,
               rpc::StreamWriter<payments::v1::WatchOrderResponse> writer) {
        return WatchOrder(parts, request, context.deadline, writer);
      });
}

void RegisterOperations(ShardParts& parts, const MethodMaterial& material) {
  rpc::Dispatcher& dispatcher = *parts.dispatcher;
  const domain::Projects& projects = material.projects;
  dispatcher.HandleRead<operations::v1::GetOperationRequest, operations::v1::GetOperationResponse>(
      "tollbridge.operations.v1.Operations.GetOperation",
      [&parts, &projects](const operations::v1::GetOperationRequest& request,
                          const ports::Context& context) {
        return operations::GetOperation(*parts.registry, projects, request, context);
      });
  dispatcher
      .HandleRead<operations::v1::ListOperationsRequest, operations::v1::ListOperationsResponse>(
          "tollbridge.operations.v1.Operations.ListOperations",
          [&parts, &projects](const operations::v1::ListOperationsRequest& request,
                              const ports::Context& context) {
            return operations::ListOperations(*parts.registry, projects, request, context);
          });
  dispatcher.HandleRead<operations::v1::ResolveOperationRequest,
                        operations::v1::ResolveOperationResponse>(
      "tollbridge.operations.v1.Operations.ResolveOperation",
      [&parts, material](const operations::v1::ResolveOperationRequest& request,
                         const ports::Context& context, const rpc::Caller& caller) {
        const operations::ResolveParts with{
            .registry = *parts.registry,
            .service = *parts.payment_service,
            .clock = parts.clock,
            .metrics = material.metrics,
            .projects = material.projects,
            .plans = material.plans,
            .conclusions = *parts.conclusions,
            .look_timeout = material.config.operations.settings.look_timeout};
        return operations::ResolveOperation(with, request, caller.identity, context);
      });
}

}  // namespace

std::vector<operations::PlanRegistration> Mutations(const Config& config,
                                                    const domain::Projects& projects) {
  std::vector<operations::PlanRegistration> all =
      payments::PaymentPlans(projects, MakePaymentOptions(config.payment_service));
  std::ranges::move(payouts::PayoutPlans(projects), std::back_inserter(all));
  std::ranges::move(vault::VaultPlans(projects), std::back_inserter(all));
  return all;
}

void AddRequestRules(rpc::RequestRules& rules) {
  payments::AddPaymentRules(rules);
  operations::AddOperationRules(rules);
  search::AddSearchRules(rules);
  payouts::AddPayoutRules(rules);
  vault::AddVaultRules(rules);
}

void RegisterMethods(ShardParts& parts, const MethodMaterial& material) {
  for (const rpc::MethodInfo& method : material.methods.all()) {
    // Their plans say the rest.
    if (method.effect == options::v1::EFFECT_MUTATION) {
      parts.dispatcher->HandleMutation(method.full_name);
    }
  }
  RegisterPaymentReads(parts, material);
  RegisterWatchOrder(parts, material);
  RegisterPayouts(parts, material);
  RegisterSearch(parts, material.projects);
  RegisterOperations(parts, material);
}

}  // namespace tollbridge::gateway
