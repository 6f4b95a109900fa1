#include "tests/fuzz/published_methods.h"

#include <chrono>
#include <utility>

#include <absl/status/statusor.h>

#include "gateway/config/published_services.h"
#include "services/domain/errors.h"
#include "services/domain/mark.h"
#include "services/operations/identity.h"
#include "services/payments/create_wallet_a_session.h"
#include "services/payments/get_order.h"
#include "services/payments/get_payment_link.h"
#include "services/payments/list_currencies.h"
#include "services/payments/list_refunds.h"
#include "services/payments/plans.h"
#include "services/payouts/get_payout.h"
#include "services/payouts/plans.h"
#include "services/rpc/request_project.h"
#include "services/search/export_orders.h"
#include "services/search/rules.h"
#include "services/search/search_orders.h"
#include "services/search/stream_orders.h"
#include "services/vault/plans.h"
#include "tests/fuzz/finding.h"
#include "tests/fuzz/fixed_service.h"
#include "tests/fuzz/obliging_service.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/payouts/v1/payouts.pb.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::fuzz {
namespace {

namespace pb = google::protobuf;

constexpr payments::PaymentOptions kAllExtensions = {.create_refund = true,
                                                     .partial_capture = true,
                                                     .partial_void = true,
                                                     .create_payment_link = true,
                                                     .list_currencies = true};

domain::Project ProjectOf(std::string name, char digit) {
  return {.name = std::move(name),
          .id = *Uuid::Parse(digit + std::string("b241101-e2bb-4255-8caf-4136c566a962")),
          .test = true,
          .webhook_url = "https://hooks.test/token",
          .allow_caller_webhook_url = true};
}

std::vector<std::string_view> Services() {
  std::vector<std::string_view> names;
  for (const std::string_view name : gateway::kPublishedServices) {
    // Reads what we keep ourselves; nothing of it is sent to the payment service.
    if (name != "tollbridge.operations.v1.Operations") names.push_back(name);
  }
  return names;
}

rpc::MethodTable TableOf() {
  absl::StatusOr<rpc::MethodTable> table = rpc::MethodTable::Of(Services());
  if (!table.ok()) Found(std::string(table.status().message()));
  return *std::move(table);
}

ports::Context LongCall() { return {.deadline = BootTime::max(), .trace = {}}; }

/// A read of what is there, or not: what it may not be is our own fault.
void CheckRead(const absl::Status& status) {
  if (status.ok() || !domain::ReasonOf(status).empty()) return;
  Found("a read ends with an error without a reason: " + std::string(status.message()));
}

template <typename Response>
AsyncStatus Drop(const Response& /*response*/) {
  co_return absl::OkStatus();
}

}  // namespace

PublishedMethods::PublishedMethods()
    : projects_({ProjectOf("shop", '3')}),
      methods_(TableOf()),
      rules_(methods_, domain::FieldLimits()),
      mutations_(payments::PaymentPlans(projects_, kAllExtensions)),
      service_(ClientOf(&Oblige)) {
  for (auto& more : {payouts::PayoutPlans(projects_), vault::VaultPlans(projects_)}) {
    mutations_.insert(mutations_.end(), more.begin(), more.end());
  }
  payments::AddPaymentRules(rules_);
  search::AddSearchRules(rules_);
  payouts::AddPayoutRules(rules_);
  vault::AddVaultRules(rules_);
  if (!rules_.status().ok()) Found(std::string(rules_.status().message()));
  AddReads();
  AddStreams();
}

template <typename Request, typename Function>
void PublishedMethods::AddRead(std::string_view name, Function function) {
  reads_.emplace(name, [function](const pb::Message& message) {
    CheckRead(function(static_cast<const Request&>(message)));
  });
}

void PublishedMethods::AddReads() {
  AddRead<payments::v1::GetOrderRequest>(
      "tollbridge.payments.v1.Payments.GetOrder", [this](const auto& request) {
        return Run(context_, payments::GetOrder(*service_, projects_, request, LongCall()))
            .status();
      });
  // What a watch is about to send is the read of its order; the rest is about what we keep.
  AddRead<payments::v1::WatchOrderRequest>(
      "tollbridge.payments.v1.Payments.WatchOrder", [this](const auto& request) {
        const domain::Project& project = *projects_.Find(request.project());
        const ports::Context call = LongCall();
        return Run(context_, service_->GetOrder(project, request.order_id(), call)).status();
      });
  AddRead<payments::v1::ListRefundsRequest>(
      "tollbridge.payments.v1.Payments.ListRefunds", [this](const auto& request) {
        return Run(context_, payments::ListRefunds(*service_, projects_, request, LongCall()))
            .status();
      });
  AddRead<payments::v1::GetPaymentLinkRequest>(
      "tollbridge.payments.v1.Payments.GetPaymentLink", [this](const auto& request) {
        return Run(context_, payments::GetPaymentLink(*service_, projects_, request, LongCall()))
            .status();
      });
  AddRead<payments::v1::ListCurrenciesRequest>(
      "tollbridge.payments.v1.Payments.ListCurrencies", [this](const auto& request) {
        return Run(context_, payments::ListCurrencies(*service_, projects_, kAllExtensions, request,
                                                      LongCall()))
            .status();
      });
  AddRead<payments::v1::CreateWalletASessionRequest>(
      "tollbridge.payments.v1.Payments.CreateWalletASession", [this](const auto& request) {
        return Run(context_,
                   payments::CreateWalletASession(*service_, projects_, request, LongCall()))
            .status();
      });
  AddRead<payouts::v1::GetPayoutRequest>(
      "tollbridge.payouts.v1.Payouts.GetPayout", [this](const auto& request) {
        return Run(context_, payouts::GetPayout(*service_, projects_, request, LongCall()))
            .status();
      });
}

void PublishedMethods::AddStreams() {
  AddRead<search::v1::SearchOrdersRequest>(
      "tollbridge.search.v1.Search.SearchOrders", [this](const auto& request) {
        const ports::Context call = LongCall();
        return Run(context_, search::SearchOrders(*service_, projects_, request, call)).status();
      });
  AddRead<search::v1::StreamOrdersRequest>(
      "tollbridge.search.v1.Search.StreamOrders", [this](const auto& request) {
        const ports::Context call = LongCall();
        const search::StreamSink<search::v1::StreamOrdersResponse> sink =
            &Drop<search::v1::StreamOrdersResponse>;
        return Run(context_,
                   search::StreamOrders(*service_, clock_, projects_, request, call, sink));
      });
  AddRead<search::v1::ExportOrdersRequest>(
      "tollbridge.search.v1.Search.ExportOrders", [this](const auto& request) {
        const ports::Context call = LongCall();
        const search::StreamSink<search::v1::ExportOrdersResponse> sink =
            &Drop<search::v1::ExportOrdersResponse>;
        return Run(context_, search::ExportOrders(*service_, projects_, request, call, sink));
      });
}

std::vector<domain::FieldViolation> PublishedMethods::Check(const rpc::MethodInfo& method,
                                                            const pb::Message& request) const {
  return rules_.Check(method, request, rpc::ProjectOf(projects_, request));
}

void PublishedMethods::Do(const rpc::MethodInfo& method, const pb::Message& request) {
  for (const operations::PlanRegistration& mutation : mutations_) {
    if ("/" + mutation.rpc == method.path) return Mutate(mutation, request);
  }
  const auto read = reads_.find(method.full_name);
  if (read == reads_.end()) Found("nobody does " + method.full_name);
  read->second(request);
}

void PublishedMethods::Mutate(const operations::PlanRegistration& mutation,
                              const pb::Message& request) {
  const absl::StatusOr<operations::Plan> plan = mutation.make(request);
  if (!plan.ok()) {
    Found("a request that fulfils its rules has no plan: " + std::string(plan.status().message()));
  }
  if (plan->steps.empty()) Found("a plan without steps");
  if (plan->check_before_sending && !plan->check_before_sending(clock_.WallNow()).ok()) return;
  const std::string mark = domain::ToText(
      {.operation = operations::OperationId(plan->project->id, plan->idempotency_key),
       .epoch = "0a1b2c3d",
       .attempt = 1});
  std::vector<ports::Answer> answers;
  for (const operations::Step& step : plan->steps) {
    if (step.prepare && !step.prepare(answers).ok()) Found("an answer that lacks what it holds");
    const operations::StepContext with{.mark = mark,
                                       .context = LongCall(),
                                       .guard = {.write_before = BootTime::max()},
                                       .earlier = answers};
    ports::Answer answer = Run(context_, step.send(*service_, with));
    if (answer.fate != ports::Answer::Fate::kAnswered) {
      Found(mutation.rpc + ": a step that is not answered: " + answer.cause);
    }
    answers.push_back(std::move(answer));
  }
  // What reads the last answer for the caller must bear any answer.
  const auto result =
      mutation.result(*plan->project, *answers.back().result, operations::v1::KNOWLEDGE_ANSWERED);
  if (result.ok() && result->response == nullptr) Found("a result without a response");
}

}  // namespace tollbridge::fuzz
