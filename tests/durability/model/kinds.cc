#include "tests/durability/model/kinds.h"

#include <absl/strings/str_cat.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "services/domain/mark.h"
#include "services/orders/create_order_evidence.h"
#include "services/orders/start_evidence.h"
#include "services/payments/create_payment_link.h"
#include "services/payments/follow_up_evidence.h"
#include "services/payouts/payout_evidence.h"
#include "services/vault/store_card.h"
#include "tests/support/test_keyspace.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::model {

namespace {

using common::v1::Order;
using operations::Plan;
using operations::PlanRegistration;
using operations::PlanResult;
using operations::Step;
using operations::StepKind;
using payments::v1::AuthenticateAnswer;
using payments::v1::CreateOrderRequest;
using payments::v1::CreateOrderResponse;

/// The step whose effect counts.
const StepKind& LastStep(Kind kind) {
  switch (kind) {
    case Kind::kCreate:
      return orders::CreateOrderStep();
    case Kind::kStart:
      return orders::InitiateStep();
    case Kind::kCapture:
      return payments::CaptureStep();
    case Kind::kRefund:
    case Kind::kUnmarked:
      return payments::RefundStep();
    case Kind::kPayout:
      return payouts::PayoutAuthenticateStep();
    case Kind::kToken:
      return vault::StoreCardStep();
    case Kind::kLink:
      break;
  }
  return payments::CreatePaymentLinkStep();
}

Act ActOf(Kind kind) {
  constexpr std::array<Act, kKinds> kActs = {Act::kCreateOrder, Act::kStart,     Act::kCapture,
                                             Act::kRefund,      Act::kRefund,    Act::kPayOut,
                                             Act::kSpendToken,  Act::kCreateLink};
  return kActs[static_cast<std::size_t>(kind)];
}

bool HasAmount(Kind kind) {
  return kind != Kind::kStart && kind != Kind::kCapture && kind != Kind::kToken;
}

const Order* OrderIn(const google::protobuf::Message& answer) {
  if (const auto* paid = google::protobuf::DynamicCastToGenerated<AuthenticateAnswer>(&answer)) {
    return &paid->order();
  }
  return google::protobuf::DynamicCastToGenerated<Order>(&answer);
}

absl::StatusOr<PlanResult> ReadLast(Kind kind, const domain::Project& project,
                                    const google::protobuf::Message& last,
                                    ports::Knowledge knowledge) {
  const Order* order = OrderIn(last);
  const std::optional<Uuid> id = order == nullptr ? std::nullopt : Uuid::Parse(order->id());
  if (!id) return absl::DataLossError("no id");
  auto response = std::make_shared<CreateOrderResponse>();
  *response->mutable_order() = *order;
  response->set_knowledge(knowledge);
  PlanResult result;
  result.response = std::move(response);
  if (!OnlyRecordShows(kind)) result.order = ports::OrderEntry{.key = {project.name, *id}};
  result.created_order = kind == Kind::kCreate;
  if (order->has_amount()) result.amount = order->amount();
  return result;
}

std::string RpcOf(Kind kind) { return absl::StrCat("model.Model/", std::string(NameOf(kind))); }

Step StepOf(const Ask& ask, const StepKind& kind, Act act) {
  Step step;
  step.kind = &kind;
  step.target.name = kind.name;
  if (HasGate(ask.kind)) step.target.order_id = ask.order_id;
  if (IsOfTransaction(ask.kind)) step.target.transaction_id = ask.transaction_id;
  if (HasAmount(ask.kind)) step.target.amount = ask.amount;
  step.target.marked = ask.kind == Kind::kRefund;
  // As for a caller that gives no reference.
  const bool searched = ask.kind == Kind::kCreate || ask.kind == Kind::kPayout;
  if (searched) step.target.merchant_order_id = ask.operation.ToString();
  SendSpec spec{.call = ask.call,
                .key = ask.key,
                .act = act,
                .project = ask.project,
                .operation = ask.operation,
                .order_id = step.target.order_id,
                .transaction_id = step.target.transaction_id,
                .amount = step.target.amount.value_or(0),
                .description = {},
                .mark = {},
                .counts = act == ActOf(ask.kind)};
  if (act == Act::kRefund) {
    spec.description = "refund";
    if (step.target.marked) spec.description += domain::DescriptionMark(ask.operation);
  }
  step.send = [spec](ports::PaymentService& service, const operations::StepContext& context) {
    SendSpec sent = spec;
    if (!context.earlier.empty()) sent.order_id = OrderIn(*context.earlier.back().result)->id();
    return static_cast<Service&>(service).Send(std::move(sent), context);
  };
  return step;
}

/// About the order that the step before has made.
Step PayOut(const Ask& ask) {
  Step step = StepOf(ask, LastStep(Kind::kPayout), Act::kPayOut);
  step.prepare = [target = step.target](
                     std::span<const ports::Answer> earlier) -> absl::StatusOr<ports::StepTarget> {
    const Order* order = OrderIn(*earlier.back().result);
    ports::StepTarget shown = target;
    shown.order_id = order->id();
    if (order->has_amount()) shown.amount = order->amount();
    return shown;
  };
  return step;
}

}  // namespace

std::string_view NameOf(Kind kind) {
  constexpr std::array<std::string_view, kKinds> kNames = {
      "Create", "Start", "Capture", "Refund", "Unmarked", "Payout", "Token", "Link"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool HasGate(Kind kind) {
  return IsOfTransaction(kind) || kind == Kind::kRefund || kind == Kind::kUnmarked;
}
bool IsOfTransaction(Kind kind) { return kind == Kind::kStart || kind == Kind::kCapture; }
bool OnlyRecordShows(Kind kind) { return kind == Kind::kToken || kind == Kind::kLink; }

std::string_view LimitOf(Kind kind) {
  if (kind == Kind::kPayout) return "payouts.EUR";
  return kind == Kind::kRefund || kind == Kind::kUnmarked ? "refunds.EUR" : "";
}

const domain::Project& ProjectAt(std::size_t number) {
  static const std::array<domain::Project, kProjects> kAll = [] {
    std::array<domain::Project, kProjects> all = {*test::StoreProjects().Find("shop"),
                                                  *test::StoreProjects().Find("stall")};
    for (domain::Project& project : all) {
      // Never passed: what counts is that what is taken is exactly what is held.
      project.refund_limits = {{.currency = "EUR", .amount = 1'000'000'000}};
      project.payout_limits = project.refund_limits;
    }
    return all;
  }();
  return kAll.at(number);
}

namespace {

/// The same, with a limit above which payouts are confirmed.
const domain::Project& ApprovingProjectAt(std::size_t number) {
  static const std::array<domain::Project, kProjects> kAll = [] {
    std::array<domain::Project, kProjects> all = {ProjectAt(0), ProjectAt(1)};
    for (domain::Project& project : all) {
      project.payout_approvals = {{.currency = "EUR", .above = 0}};
    }
    return all;
  }();
  return kAll.at(number);
}

}  // namespace

std::size_t NumberOf(const domain::Project& project) {
  return project.name == ProjectAt(0).name ? 0 : 1;
}

const domain::Projects& TheProjects(std::size_t count) {
  static const domain::Projects kOne({ProjectAt(0)});
  static const domain::Projects kBoth({ProjectAt(0), ProjectAt(1)});
  return count == 1 ? kOne : kBoth;
}

const operations::PlanTable& ThePlans() {
  static const operations::PlanTable kPlans = [] {
    std::vector<PlanRegistration> registrations;
    for (int i = 0; i < kKinds; ++i) {
      const auto kind = static_cast<Kind>(i);
      operations::MutationSpec spec;
      if (kind == Kind::kPayout) spec.steps.push_back(&payouts::PayoutOrderStep());
      spec.steps.push_back(&LastStep(kind));
      spec.result = [kind](const domain::Project& project, const google::protobuf::Message& last,
                           ports::Knowledge knowledge) {
        return ReadLast(kind, project, last, knowledge);
      };
      // Plans are made by PlanOf, which knows more than the request holds.
      registrations.push_back(
          operations::UnmadePlan(*CreateOrderRequest::descriptor(), std::move(spec)));
      registrations.back().rpc = RpcOf(kind);
    }
    return *operations::PlanTable::Of(std::move(registrations));
  }();
  return kPlans;
}

CreateOrderRequest RequestOf(const Ask& ask) {
  CreateOrderRequest request;
  request.set_idempotency_key(ask.idempotency_key);
  request.set_amount(ask.amount);
  return request;
}

Plan PlanOf(const Ask& ask, const CreateOrderRequest& request) {
  Plan plan;
  plan.project = &ProjectAt(ask.project);
  plan.rpc = RpcOf(ask.kind);
  plan.request = &request;
  plan.idempotency_key = ask.idempotency_key;
  plan.caller = "model";
  if (ask.needs_approval) {
    plan.project = &ApprovingProjectAt(ask.project);
    plan.caller_names = {plan.caller};
  }
  if (!LimitOf(ask.kind).empty()) {
    plan.money = {.kind = ask.kind == Kind::kPayout ? operations::MoneyKind::kPayouts
                                                    : operations::MoneyKind::kRefunds,
                  .amount = ask.amount,
                  .currency = "EUR"};
  }
  if (HasGate(ask.kind)) plan.gate_order = ask.order_id;
  if (ask.kind == Kind::kPayout) {
    plan.steps.push_back(StepOf(ask, payouts::PayoutOrderStep(), Act::kPayoutOrder));
    plan.steps.push_back(PayOut(ask));
  } else {
    plan.steps.push_back(StepOf(ask, LastStep(ask.kind), ActOf(ask.kind)));
  }
  return plan;
}

Told ReadResponse(const std::string& response) {
  CreateOrderResponse message;
  Told told;
  told.pending = !message.ParseFromString(response) || message.has_pending();
  if (!told.pending) told.effect_id = message.order().id();
  return told;
}

}  // namespace tollbridge::model
