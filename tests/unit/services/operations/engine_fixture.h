#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_OPERATIONS_ENGINE_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_OPERATIONS_ENGINE_FIXTURE_H_

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "base/telemetry/metrics.h"
#include "google/rpc/error_details.pb.h"
#include "services/domain/errors.h"
#include "services/operations/engine.h"
#include "services/operations/identity.h"
#include "services/operations/resolver.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_payment_service.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/fakes/fake_store.h"
#include "tests/unit/services/operations/scripted_store.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::operations {

inline std::shared_ptr<OperationKeys> TestKeys() {
  auto keys = std::make_shared<OperationKeys>();
  keys->fingerprints.keys = {{"f1", std::string(32, 'f')}};
  keys->outcomes.keys = {{"o1", std::string(32, 'o')}};
  return keys;
}

inline const domain::Project& TestProject() {
  static const domain::Project project = [] {
    domain::Project made;
    made.name = "shop";
    made.id = *Uuid::Parse("3b241101-e2bb-4255-8caf-4136c566a962");
    return made;
  }();
  return project;
}

/// The error's metadata; empty when there is none.
inline std::string Metadata(const absl::Status& status, const std::string& name) {
  google::rpc::ErrorInfo info;
  const auto payload = status.GetPayload(std::string(domain::kErrorInfoUrl));
  if (!payload.has_value() || !info.ParseFromString(std::string(*payload))) return "";
  const auto found = info.metadata().find(name);
  return found != info.metadata().end() ? found->second : "";
}

inline bool HasRetryInfo(const absl::Status& status) {
  return status.GetPayload(std::string(domain::kRetryInfoUrl)).has_value();
}

/// An engine on fakes, and plans that create an order.
class EngineTest : public ::testing::Test {
 protected:
  EngineTest() {
    kind_.name = "create_order";
    kind_.look = [this](ports::PaymentService&,
                        const LookRequest& request) -> boost::asio::awaitable<Finding> {
      looks_.push_back(request);
      if (during_look_) during_look_();
      co_return finding_;
    };
    kind_.by_search = true;
    kind_.late_effect_is_orphan = true;
    second_ = kind_;
    second_.name = "second";
    Restart();
  }

  /// A new process: nothing but the store is left of the old one.
  void Restart() {
    engine_ = std::make_unique<Engine>(
        context_.get_executor(), Engine::Ports{service_, store_, clock_, rng_, metrics_, memory_},
        settings_, plans_, Keys());
  }
  /// Those that the test has put last, also where a process runs already.
  KeySource Keys() const {
    return [this] { return keys_; };
  }

  PlanTable MakePlans() {
    const std::function make = [this](const domain::Project&,
                                      const payments::v1::CreateOrderRequest& request) {
      return MakePlan(request);
    };
    return *PlanTable::Of({PlanFor(make, {.steps = {&kind_, &second_}, .result = &ReadOrder})});
  }

  static absl::StatusOr<PlanResult> ReadOrder(const domain::Project&,
                                              const google::protobuf::Message& last,
                                              ports::Knowledge knowledge) {
    const auto& order = static_cast<const common::v1::Order&>(last);
    const std::optional<Uuid> id = Uuid::Parse(order.id());
    if (!id.has_value()) return absl::DataLossError("no id");
    auto response = std::make_shared<payments::v1::CreateOrderResponse>();
    *response->mutable_order() = order;
    response->set_knowledge(knowledge == operations::v1::KNOWLEDGE_RECOVERED
                                ? v1::KNOWLEDGE_RECOVERED
                                : v1::KNOWLEDGE_ANSWERED);
    PlanResult result;
    result.response = response;
    result.order = ports::OrderEntry{.key = {"shop", *id}};
    result.created_order = true;
    if (order.has_amount()) result.amount = order.amount();
    result.currency = order.currency();
    return result;
  }

  /// What reading the evidence shows from now on.
  void Show(const common::v1::Order& order) {
    finding_ = {Presence::kPresent, std::make_shared<common::v1::Order>(order), "order seen"};
  }
  void ShowNothing() { finding_ = {.presence = Presence::kAbsent}; }

  const payments::v1::CreateOrderRequest& Request(const std::string& key, std::int64_t amount) {
    payments::v1::CreateOrderRequest& request = requests_.emplace_back();
    request.set_idempotency_key(key);
    request.set_amount(amount);
    request.set_currency("EUR");
    return request;
  }

  Plan MakePlan(const payments::v1::CreateOrderRequest& request) {
    Step step;
    step.kind = &kind_;
    step.target.name = "create_order";
    step.target.amount = request.amount();
    step.target.currency = request.currency();
    step.target.marked = marked_;
    step.send = [request](
                    ports::PaymentService& service,
                    const StepContext& step_context) -> boost::asio::awaitable<ports::Answer> {
      payments::v1::CreateOrderRequest outgoing = request;
      outgoing.set_description(step_context.mark);
      co_return co_await service.CreateOrder(TestProject(), outgoing, step_context.context,
                                             step_context.guard);
    };
    Plan plan;
    plan.project = &TestProject();
    plan.rpc = std::string(kRpc);
    plan.request = &request;
    plan.idempotency_key = request.idempotency_key();
    plan.capture_mode = "manual";
    plan.steps.push_back(std::move(step));
    return plan;
  }
  /// With a second step.
  Plan MakeLongPlan(const payments::v1::CreateOrderRequest& request) {
    Plan plan = MakePlan(request);
    plan.steps.push_back(plan.steps.front());
    plan.steps.back().kind = &second_;
    plan.steps.back().target.name = "second";
    return plan;
  }

  ports::Context CallContext() {
    ports::Context call;
    call.deadline = clock_.BootNow() + std::chrono::seconds(15);
    call.trace = *telemetry::TraceContext::FromTraceparent(
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    return call;
  }

  Reply Run(Plan plan) { return Run(std::move(plan), CallContext()); }
  Reply Run(Plan plan, ports::Context call) {
    if (resolver_ == nullptr) Resolve();  // it watches from the start
    return test::Await(context_, engine_->Run(std::move(plan), std::move(call)));
  }
  Reply Call(const std::string& key, std::int64_t amount = 500) {
    return Run(MakePlan(Request(key, amount)));
  }

  /// One pass of a resolver, the same one each time: absence counts once it has watched the store's
  /// clock for long enough.
  std::size_t Resolve() {
    if (resolver_ == nullptr) RestartResolver();
    return test::Await(context_, resolver_->Pass());
  }
  void RestartResolver() {
    resolver_ = std::make_unique<Resolver>(
        context_.get_executor(),
        Resolver::Ports{service_, store_, memory_, clock_, rng_, metrics_, memory_}, settings_,
        plans_, projects_, Keys());
  }

  /// Lets the quarantine pass, and looks the three times that absence needs.
  void LookUntilAbsenceCounts() {
    clock_.Advance(Quarantine(settings_, true));
    for (int read = 1; read <= 3; ++read) {
      Resolve();
      clock_.Advance(settings_.absence_read_interval);
    }
  }

  static payments::v1::CreateOrderResponse Response(const Reply& reply) {
    payments::v1::CreateOrderResponse response;
    EXPECT_TRUE(response.ParseFromString(reply.response));
    return response;
  }

  v1::Operation Record(const std::string& key) {
    absl::StatusOr<v1::Operation> operation = test::Await(
        context_,
        memory_.Read(TestProject().name, OperationId(TestProject().id, key), CallContext()));
    return operation.ok() ? *std::move(operation) : v1::Operation();
  }
  v1::OperationState State(const std::string& key) { return Record(key).state(); }

  static constexpr std::string_view kRpc = "tollbridge.payments.v1.Payments/CreateOrder";

  /// Where a process runs that dies: what is left suspended there never goes on.
  boost::asio::io_context other_process_;
  boost::asio::io_context context_;
  test::FakeClock clock_;
  test::FakePaymentService service_;
  test::FakeStore memory_{[this] { return clock_.WallNow(); }};
  test::ScriptedStore store_{memory_};
  test::FakeRng rng_;
  telemetry::Metrics metrics_;
  Settings settings_;
  std::shared_ptr<OperationKeys> keys_ = TestKeys();
  std::list<payments::v1::CreateOrderRequest> requests_;
  /// The first step carries the operation's mark.
  bool marked_ = false;
  StepKind kind_;
  StepKind second_;
  Finding finding_;
  std::vector<LookRequest> looks_;
  std::function<void()> during_look_;
  domain::Projects projects_{{TestProject()}};
  PlanTable plans_ = MakePlans();
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Resolver> resolver_;
};

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_OPERATIONS_ENGINE_FIXTURE_H_
