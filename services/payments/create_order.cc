#include "services/payments/create_order.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <google/protobuf/message.h>
#include <boost/asio/awaitable.hpp>

#include "services/base/uuid.h"
#include "services/domain/errors.h"
#include "services/domain/mark.h"
#include "services/operations/identity.h"
#include "services/payments/create_order_rules.h"
#include "services/payments/order_view.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::payments {
namespace {

using operations::PlanResult;
using operations::StepContext;

/// What is sent, but for the mark, which is known only after the claim.
v1::CreateOrderRequest Outgoing(const v1::CreateOrderRequest& request,
                                const domain::Project& project, const Uuid& operation_id) {
  v1::CreateOrderRequest outgoing = request;
  if (outgoing.merchant_order_id().empty()) {
    outgoing.set_merchant_order_id(operation_id.ToString());
  }
  if (!outgoing.has_webhook_url() && !project.webhook_url.empty()) {
    outgoing.set_webhook_url(project.webhook_url);
  }
  return outgoing;
}

boost::asio::awaitable<ports::Answer> Send(ports::PaymentService& service,
                                           const domain::Project& project,
                                           v1::CreateOrderRequest outgoing,
                                           const StepContext& step) {
  google::protobuf::Value mark;
  mark.set_string_value(step.mark);
  (*outgoing.mutable_extra()->mutable_fields())[std::string(domain::kMarkField)] = mark;
  ports::Answer answer = co_await service.CreateOrder(project, outgoing, step.context, step.guard);
  co_return answer;
}

absl::StatusOr<PlanResult> ReadAnswer(const domain::Project& project,
                                      std::span<const ports::Answer> answers) {
  const auto* order =
      google::protobuf::DynamicCastToGenerated<common::v1::Order>(answers.back().result.get());
  const std::optional<Uuid> id = order != nullptr ? Uuid::Parse(order->id()) : std::nullopt;
  if (!id.has_value()) return absl::DataLossError("the answer holds no order with an id");
  auto response = std::make_shared<v1::CreateOrderResponse>();
  *response->mutable_order() = ForCaller(*order);
  response->set_knowledge(operations::v1::KNOWLEDGE_ANSWERED);
  PlanResult result;
  result.response = std::move(response);
  result.order = ports::OrderEntry{.key = {project.name, *id}};
  if (order->has_amount()) result.amount = order->amount();
  result.currency = order->currency();
  return result;
}

}  // namespace

absl::StatusOr<operations::Plan> PlanCreateOrder(const domain::Projects& projects,
                                                 const v1::CreateOrderRequest& request) {
  const domain::Project* project = projects.Find(request.project());
  std::vector<domain::FieldViolation> violations = CreateOrderViolations(request, project);
  if (!violations.empty()) return domain::InvalidRequest(std::move(violations));

  const Uuid operation_id = operations::OperationId(project->id, request.idempotency_key());
  v1::CreateOrderRequest outgoing = Outgoing(request, *project, operation_id);

  operations::Step create;
  create.evidence.name = "create_order";
  create.evidence.amount = request.amount();
  create.evidence.currency = request.currency();
  create.evidence.merchant_order_id = outgoing.merchant_order_id();
  create.send = [project, outgoing = std::move(outgoing)](ports::PaymentService& service,
                                                          const StepContext& step) {
    return Send(service, *project, outgoing, step);
  };

  operations::Plan plan;
  plan.project = project;
  plan.idempotency_key = request.idempotency_key();
  if (request.transactions_size() > 0) plan.capture_mode = request.transactions(0).capture_mode();
  plan.steps.push_back(std::move(create));
  plan.result = [project](std::span<const ports::Answer> answers) {
    return ReadAnswer(*project, answers);
  };
  plan.pending = operations::PendingAs<v1::CreateOrderResponse>();
  return plan;
}

}  // namespace tollbridge::payments
