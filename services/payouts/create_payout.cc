#include "services/payouts/create_payout.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <absl/status/status.h>
#include <google/protobuf/message.h>
#include <boost/asio/awaitable.hpp>

#include "base/core/status_macros.h"
#include "base/core/uuid.h"
#include "base/core/wipe.h"
#include "services/domain/errors.h"
#include "services/domain/order_view.h"
#include "services/operations/identity.h"
#include "services/orders/card_expiry.h"
#include "services/orders/marked_order.h"
#include "services/orders/results.h"
#include "services/payouts/create_payout_rules.h"
#include "services/payouts/payout_evidence.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::payouts {
namespace {

using common::v1::Order;
using common::v1::Transaction;
using operations::StepContext;
using ports::Answer;
using Answers = std::span<const Answer>;

/// What the steps send, beside what the steps before them answer. One copy, shared by the steps.
struct Payout {
  Payout() = default;
  Payout(const Payout&) = delete;
  Payout& operator=(const Payout&) = delete;
  ~Payout() {
    Wipe(*card.mutable_pan());
    Wipe(*authenticate.mutable_cvc());
  }

  const domain::Project* project = nullptr;
  payments::v1::CreateOrderRequest order;
  bool has_card = false;
  vault::v1::StoreCardRequest card;
  payments::v1::AuthenticateTransactionRequest authenticate;
};

/// The transaction of the order that the first step made; nullptr when its answer shows none.
const Transaction* Created(Answers earlier) {
  const absl::StatusOr<const Order*> order = orders::AsOrder(*earlier.front().result);
  const Transaction* transaction = order.ok() ? PayoutTransaction(**order) : nullptr;
  const bool named = transaction != nullptr && Uuid::Parse((*order)->id()).has_value() &&
                     Uuid::Parse(transaction->id()).has_value();
  return named ? transaction : nullptr;
}

/// The vault_token of the stored card; empty when there is none.
std::string StoredToken(Answers earlier) {
  constexpr std::size_t kCardStep = 1;
  const auto* card = google::protobuf::DynamicCastToGenerated<vault::v1::StoredCard>(
      earlier[kCardStep].result.get());
  return card == nullptr ? std::string() : card->vault_token();
}

boost::asio::awaitable<Answer> SendOrder(ports::PaymentService& service,
                                         std::shared_ptr<Payout> payout, const StepContext& step) {
  const std::shared_ptr<payments::v1::CreateOrderRequest> order(payout, &payout->order);
  co_return co_await orders::SendMarkedOrder(service, *payout->project, order, step);
}

boost::asio::awaitable<Answer> SendCard(ports::PaymentService& service,
                                        std::shared_ptr<Payout> payout, const StepContext& step) {
  payout->card.set_setup_token(Created(step.earlier)->payment_method_details().setup_token());
  Answer answer =
      co_await service.StoreCard(*payout->project, payout->card, step.context, step.guard);
  Wipe(*payout->card.mutable_pan());
  co_return answer;
}

boost::asio::awaitable<Answer> SendAuthenticate(ports::PaymentService& service,
                                                std::shared_ptr<Payout> payout,
                                                const StepContext& step) {
  payments::v1::AuthenticateTransactionRequest& outgoing = payout->authenticate;
  outgoing.set_order_id(static_cast<const Order&>(*step.earlier.front().result).id());
  outgoing.set_transaction_id(Created(step.earlier)->id());
  if (payout->has_card) outgoing.set_vault_token(StoredToken(step.earlier));
  Answer answer = co_await service.AuthenticateTransaction(*payout->project, outgoing, step.context,
                                                           step.guard);
  Wipe(*outgoing.mutable_cvc());
  outgoing.clear_cvc();
  co_return answer;
}

std::shared_ptr<Payout> Outgoing(const v1::CreatePayoutRequest& request,
                                 const domain::Project& project, const Uuid& operation_id) {
  auto payout = std::make_shared<Payout>();
  payout->project = &project;
  payments::v1::CreateOrderRequest& order = payout->order;
  if (request.has_merchant_order_id()) order.set_merchant_order_id(request.merchant_order_id());
  if (request.has_description()) order.set_description(request.description());
  order.set_currency(request.currency());
  order.set_amount(request.amount());
  if (request.has_expiration_period()) order.set_expiration_period(request.expiration_period());
  if (request.has_merchant_name()) order.set_merchant_name(request.merchant_name());
  if (request.has_client()) *order.mutable_client() = request.client();
  if (request.has_extra()) *order.mutable_extra() = request.extra();
  orders::CompleteOrder(order, project, operation_id);
  *order.mutable_customer() = request.customer();
  order.add_transactions()->set_payment_method(std::string(kPayoutMethod));

  payout->has_card = request.has_card();
  if (request.has_card()) {
    payout->card.set_pan(request.card().pan());
    payout->card.set_expiry(request.card().expiry());
    if (request.card().has_name()) payout->card.set_name(request.card().name());
  } else {
    payout->authenticate.set_vault_token(request.vault_token());
  }
  if (request.has_cvc()) payout->authenticate.set_cvc(request.cvc());
  return payout;
}

/// Evidence of a step about the order that the first one made.
absl::StatusOr<ports::StepTarget> AboutCreated(ports::StepTarget target, Answers earlier) {
  const Transaction* transaction = Created(earlier);
  if (transaction == nullptr) return absl::DataLossError("the order shows no payout");
  const auto& order = static_cast<const Order&>(*earlier.front().result);
  target.order_id = Uuid::Parse(order.id())->ToString();
  target.transaction_id = Uuid::Parse(transaction->id())->ToString();
  if (order.has_amount()) target.amount = order.amount();
  if (!order.currency().empty()) target.currency = order.currency();
  return target;
}

absl::StatusOr<ports::StepTarget> PrepareCard(const ports::StepTarget& target, Answers earlier) {
  absl::StatusOr<ports::StepTarget> about = AboutCreated(target, earlier);
  if (about.ok() && Created(earlier)->payment_method_details().setup_token().empty()) {
    return absl::DataLossError("the order shows no setup token");
  }
  return about;
}

absl::StatusOr<ports::StepTarget> PrepareAuthenticate(const ports::StepTarget& target,
                                                      bool has_card, Answers earlier) {
  absl::StatusOr<ports::StepTarget> about = AboutCreated(target, earlier);
  if (about.ok() && has_card && StoredToken(earlier).empty()) {
    return absl::DataLossError("the vault has named no card");
  }
  return about;
}

using Send = boost::asio::awaitable<Answer> (*)(ports::PaymentService&, std::shared_ptr<Payout>,
                                                const StepContext&);

operations::Step MakeStep(const operations::StepKind& kind, const std::shared_ptr<Payout>& payout,
                          Send send) {
  operations::Step step;
  step.kind = &kind;
  step.target.name = kind.name;
  step.target.amount = payout->order.amount();
  step.target.currency = payout->order.currency();
  step.target.merchant_order_id = payout->order.merchant_order_id();
  step.send = [payout, send](ports::PaymentService& service, const StepContext& context) {
    return send(service, payout, context);
  };
  return step;
}

absl::StatusOr<operations::PlanResult> ReadAnswer(const domain::Project& project,
                                                  const google::protobuf::Message& last,
                                                  ports::Knowledge knowledge) {
  const auto* answer =
      google::protobuf::DynamicCastToGenerated<payments::v1::AuthenticateAnswer>(&last);
  if (answer == nullptr || !answer->has_order()) {
    return absl::DataLossError("the answer holds no order");
  }
  TB_ASSIGN_OR_RETURN(operations::PlanResult result, orders::ResultOf(project, answer->order()));
  auto response = std::make_shared<v1::CreatePayoutResponse>();
  *response->mutable_order() = domain::ForCaller(answer->order());
  response->set_knowledge(knowledge);
  result.response = std::move(response);
  result.created_order = true;
  return result;
}

}  // namespace

operations::Plan PlanCreatePayout(const domain::Project& project,
                                  const v1::CreatePayoutRequest& request) {
  const Uuid operation_id = operations::OperationId(project.id, request.idempotency_key());
  const std::shared_ptr<Payout> payout = Outgoing(request, project, operation_id);
  operations::Plan plan;
  plan.project = &project;
  plan.idempotency_key = request.idempotency_key();
  plan.money = {.kind = operations::MoneyKind::kPayouts,
                .amount = request.amount(),
                .currency = request.currency()};
  plan.steps.push_back(MakeStep(PayoutOrderStep(), payout, &SendOrder));
  if (payout->has_card) {
    operations::Step card = MakeStep(PayoutCardStep(), payout, &SendCard);
    card.prepare = [target = card.target](Answers earlier) { return PrepareCard(target, earlier); };
    plan.steps.push_back(std::move(card));
    plan.check_before_sending = orders::ExpiryCheck("card.expiry", request.card().expiry());
  }
  operations::Step authenticate = MakeStep(PayoutAuthenticateStep(), payout, &SendAuthenticate);
  authenticate.prepare = [target = authenticate.target,
                          has_card = payout->has_card](Answers earlier) {
    return PrepareAuthenticate(target, has_card, earlier);
  };
  plan.steps.push_back(std::move(authenticate));
  return plan;
}

operations::MutationSpec CreatePayoutSpec() {
  return {{&PayoutOrderStep(), &PayoutCardStep(), &PayoutAuthenticateStep()}, ReadAnswer};
}

}  // namespace tollbridge::payouts
