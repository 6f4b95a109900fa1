#include "tests/fuzz/published_methods.h"

#include <chrono>
#include <utility>

#include <absl/status/statusor.h>

#include "gateway/config/published_services.h"
#include "services/domain/errors.h"
#include "services/domain/mark.h"
#include "services/operations/identity.h"
#include "services/payments/methods.h"
#include "services/payouts/methods.h"
#include "services/rpc/request_project.h"
#include "services/search/methods.h"
#include "services/vault/methods.h"
#include "tests/fuzz/finding.h"
#include "tests/fuzz/fixed_service.h"
#include "tests/fuzz/obliging_service.h"

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

/// A caller that takes all, but of a watch no more than the first order.
class Taker final : public rpc::WireCall {
 public:
  explicit Taker(bool once) : once_(once) {}
  bool cancelled() const override { return taken_ && once_; }
  AsyncStatus Write(std::string, const rpc::Metadata&) override {
    taken_ = true;
    co_return absl::OkStatus();
  }

 private:
  bool once_;
  bool taken_ = false;
};

std::vector<operations::Method> AllMethods() {
  std::vector<operations::Method> all = payments::PaymentMethods(kAllExtensions);
  for (auto& more : {payouts::PayoutMethods(), vault::VaultMethods(), search::SearchMethods()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::unique_ptr<const operations::Methods> MethodsOf(const rpc::MethodTable& published) {
  auto methods = operations::Methods::Of(published, AllMethods());
  if (!methods.ok()) Found(std::string(methods.status().message()));
  return *std::move(methods);
}

}  // namespace

PublishedMethods::PublishedMethods()
    : projects_({ProjectOf("shop", '3')}),
      published_(TableOf()),
      methods_(MethodsOf(published_)),
      service_(ClientOf(&Oblige)) {
  methods_->Bind(ports_.With(*service_, clock_), dispatcher_);
}

std::vector<domain::FieldViolation> PublishedMethods::Check(const rpc::MethodInfo& method,
                                                            const pb::Message& request) const {
  return methods_->rules().Check(method, request, rpc::ProjectOf(projects_, request));
}

void PublishedMethods::Do(const rpc::MethodInfo& method, const pb::Message& request) {
  const domain::Project& project = *rpc::ProjectOf(projects_, request);
  const auto* mutation = methods_->plans().Find(operations::RpcOf(*request.GetDescriptor()));
  if (mutation != nullptr) return Mutate(*mutation, project, request);
  Taker taker(method.name == "WatchOrder");
  rpc::Call call(method, {.deadline = BootTime::max()}, request.SerializeAsString(), taker);
  if (!call.Parse().ok()) Found("a request that is not read again");
  call.set_project(&project);
  const absl::Status status = Run(context_, dispatcher_.Dispatch(call));
  if (!taker.cancelled()) CheckRead(status);
}

void PublishedMethods::Mutate(const operations::PlanRegistration& mutation,
                              const domain::Project& project, const pb::Message& request) {
  const absl::StatusOr<operations::Plan> plan = mutation.make(project, request);
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
