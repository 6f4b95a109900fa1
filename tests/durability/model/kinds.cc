#include "tests/durability/model/kinds.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::model {

namespace {

using operations::Finding;
using operations::LookRequest;
using operations::OnAbsence;
using operations::Plan;
using operations::PlanRegistration;
using operations::Presence;
using operations::Step;
using operations::StepKind;
using payments::v1::CreateOrderRequest;
using payments::v1::CreateOrderResponse;

constexpr std::string_view kPayoutOrder = "payout_order";

Finding Found(const Effect& effect) {
  auto order = std::make_shared<common::v1::Order>();
  order->set_id(effect.id.ToString());
  order->set_amount(effect.spec.amount);
  return {.presence = Presence::kPresent, .result = std::move(order), .reason = "seen"};
}

/// By the mark, which names the operation.
boost::asio::awaitable<Finding> LookForMark(Service& service, const LookRequest& request,
                                            std::string step, bool by_search) {
  const Uuid operation = request.operation;
  const std::shared_ptr<const std::vector<operations::Candidate>> candidates = request.candidates;
  // The scan shows orders that were created: other kinds are not in it.
  const bool from_scan = candidates != nullptr && request.step.order_id.empty();
  if (from_scan && std::ranges::none_of(*candidates, [&](const operations::Candidate& candidate) {
        return candidate.merchant_order_id == operation.ToString();
      })) {
    co_return Finding{.presence = Presence::kAbsent};
  }
  const Service::View view = co_await service.Read(std::move(step), by_search && !from_scan);
  if (!view.readable) co_return Finding{};
  for (const Effect& effect : view.effects) {
    if (effect.spec.operation == operation) co_return Found(effect);
  }
  // The index shows it already, and the replica that was read does not yet.
  if (from_scan) co_return Finding{};
  co_return Finding{.presence = Presence::kAbsent};
}

/// By order, amount and time alone.
boost::asio::awaitable<Finding> LookForAmount(Service& service, const LookRequest& request,
                                              std::string step) {
  const ports::StepTarget target = request.step;
  const std::optional<WallTime> sent_at = request.sent_at;
  const Service::View view = co_await service.Read(std::move(step), false);
  if (!view.readable || !sent_at) co_return Finding{};
  const Effect* found = nullptr;
  for (const Effect& effect : view.effects) {
    if (effect.spec.order_id != target.order_id || effect.spec.amount != target.amount) {
      continue;
    }
    if (found != nullptr || Civil(effect.time) < *sent_at) {
      co_return Finding{.presence = Presence::kAmbiguous};
    }
    found = &effect;
  }
  if (found == nullptr) co_return Finding{.presence = Presence::kAbsent};
  co_return Found(*found);
}

StepKind MarkedKind(std::string name, bool by_search) {
  StepKind kind;
  kind.name = name;
  kind.by_search = by_search;
  kind.look = [name, by_search](ports::PaymentService& service, const LookRequest& request) {
    return LookForMark(static_cast<Service&>(service), request, name, by_search);
  };
  return kind;
}

StepKind UnmarkedKind(const std::string& name) {
  StepKind kind;
  kind.name = name;
  kind.on_absence = OnAbsence::kNeedsReview;
  kind.look = [name](ports::PaymentService& service, const LookRequest& request) {
    return LookForAmount(static_cast<Service&>(service), request, name);
  };
  return kind;
}

/// The last step of each kind, and the first of the payout.
struct StepKinds {
  std::array<StepKind, kKinds> last;
  StepKind payout_order;
};

const StepKinds& TheKinds() {
  static const StepKinds kKindsOfSteps = [] {
    StepKinds kinds;
    const auto at = [&kinds](Kind kind) -> StepKind& {
      return kinds.last[static_cast<std::size_t>(kind)];
    };
    at(Kind::kCreate) = MarkedKind("create", true);
    at(Kind::kCreate).late_effect_is_orphan = true;
    at(Kind::kStart) = MarkedKind("start", false);
    at(Kind::kStart).service_guards_repeat = true;
    at(Kind::kCapture) = MarkedKind("capture", true);
    at(Kind::kCapture).service_guards_repeat = true;
    at(Kind::kRefund) = MarkedKind("refund", false);
    at(Kind::kRefund).on_absence = OnAbsence::kNeedsReview;
    at(Kind::kUnmarked) = UnmarkedKind("unmarked");
    at(Kind::kPayout) = MarkedKind("payout", false);
    kinds.payout_order = MarkedKind(std::string(kPayoutOrder), true);
    kinds.payout_order.late_effect_is_orphan = true;
    kinds.payout_order.completes = false;
    kinds.payout_order.look = nullptr;
    return kinds;
  }();
  return kKindsOfSteps;
}

const StepKind& LastStep(Kind kind) { return TheKinds().last[static_cast<std::size_t>(kind)]; }

absl::StatusOr<operations::PlanResult> ReadLast(const domain::Project& project,
                                                const google::protobuf::Message& last,
                                                ports::Knowledge knowledge) {
  const auto& order = static_cast<const common::v1::Order&>(last);
  auto response = std::make_shared<CreateOrderResponse>();
  *response->mutable_order() = order;
  response->set_knowledge(knowledge == operations::v1::KNOWLEDGE_RECOVERED
                              ? operations::v1::KNOWLEDGE_RECOVERED
                              : operations::v1::KNOWLEDGE_ANSWERED);
  operations::PlanResult result;
  result.response = std::move(response);
  const std::optional<Uuid> id = Uuid::Parse(order.id());
  if (!id) return absl::DataLossError("no id");
  result.order = ports::OrderEntry{.key = {project.name, *id}};
  result.amount = order.amount();
  return result;
}

std::string RpcOf(Kind kind) { return absl::StrCat("model.Model/", std::string(NameOf(kind))); }

Step StepOf(const Ask& ask, const StepKind& kind, bool counts) {
  Step step;
  step.kind = &kind;
  step.target.name = kind.name;
  step.target.order_id = ask.order_id;
  step.target.amount = ask.amount;
  step.target.marked = ask.kind != Kind::kUnmarked;
  SendSpec spec{.call = ask.call,
                .key = ask.key,
                .operation = ask.operation,
                .step = kind.name,
                .order_id = ask.order_id,
                .amount = ask.amount,
                .guarded = kind.service_guards_repeat,
                .counts = counts};
  step.send = [spec](ports::PaymentService& service, const operations::StepContext& context) {
    return static_cast<Service&>(service).Send(spec, context);
  };
  return step;
}

}  // namespace

std::string_view NameOf(Kind kind) {
  constexpr std::array<std::string_view, kKinds> kNames = {"Create", "Start",    "Capture",
                                                           "Refund", "Unmarked", "Payout"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool HasGate(Kind kind) { return kind != Kind::kCreate && kind != Kind::kPayout; }

const domain::Project& TheProject() {
  static const domain::Project kProject = [] {
    domain::Project project;
    project.name = "shop";
    project.id = Uuid::Parse("3b241101-e2bb-4255-8caf-4136c566a962").value_or(Uuid());
    return project;
  }();
  return kProject;
}

const operations::PlanTable& ThePlans() {
  static const operations::PlanTable kPlans = [] {
    std::vector<PlanRegistration> registrations;
    for (int i = 0; i < kKinds; ++i) {
      const auto kind = static_cast<Kind>(i);
      operations::MutationSpec spec;
      if (kind == Kind::kPayout) spec.steps.push_back(&TheKinds().payout_order);
      spec.steps.push_back(&LastStep(kind));
      spec.result = ReadLast;
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
  plan.project = &TheProject();
  plan.rpc = RpcOf(ask.kind);
  plan.request = &request;
  plan.idempotency_key = ask.idempotency_key;
  if (HasGate(ask.kind)) plan.gate_order = ask.order_id;
  if (ask.kind == Kind::kPayout) plan.steps.push_back(StepOf(ask, TheKinds().payout_order, false));
  plan.steps.push_back(StepOf(ask, LastStep(ask.kind), true));
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
