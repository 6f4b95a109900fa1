#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_PLAN_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_PLAN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <boost/asio/awaitable.hpp>

#include "services/domain/project.h"
#include "services/ports/context.h"
#include "services/ports/family.h"
#include "services/ports/operation_store.h"
#include "services/ports/payment_service.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::operations {

/// What the engine gives a step beside what its plan knows.
struct StepContext {
  /// Names the operation and this attempt at the payment service (identity.h).
  std::string mark;
  ports::Context context;
  ports::SendGuard guard;
  /// Answers of the steps before this one; all are kAnswered.
  std::span<const ports::Answer> earlier;
};

/// One HTTP call that changes something at the payment service.
struct Step {
  /// Its name, the order and transaction it is about, and what it leaves to be recognized by.
  ports::StepEvidence evidence;
  /// Whether the service itself refuses to do it twice (operations.md, Evidence).
  bool service_guards_repeat = false;
  /// The call. Sends once, and makes no decision about the operation.
  std::function<boost::asio::awaitable<ports::Answer>(ports::PaymentService&, const StepContext&)>
      send;
};

/// What the answers of all steps come to.
struct PlanResult {
  std::shared_ptr<google::protobuf::Message> response;
  /// The order that was made or changed, for the reader. The engine adds capture_mode and
  /// traceparent.
  std::optional<ports::OrderEntry> order;
  /// As answered; absent when the answer does not say. Compared with the last step's evidence.
  std::optional<std::int64_t> amount;
  std::string currency;
};

/// A mutation, ready to be run by the engine, which alone sends it (operations.md, Plan and
/// engine). Made by a pure function of the request. The steps before the last leave nothing that
/// matters when the operation ends there.
struct Plan {
  const domain::Project* project = nullptr;  ///< outlives the plan
  /// Set by the registration: full method name, and what the fingerprint is taken of.
  std::string rpc;
  const google::protobuf::Message* request = nullptr;
  std::string idempotency_key;
  std::string capture_mode;
  /// The order whose gate is taken; nullopt when the operation creates its order.
  std::optional<std::string> gate_order;
  std::vector<Step> steps;  ///< not empty
  /// Reads the answers, one a step. An error when they lack what the caller must get: then the
  /// outcome is not known.
  std::function<absl::StatusOr<PlanResult>(std::span<const ports::Answer>)> result;
  /// The response that says that the outcome is not known.
  std::function<std::shared_ptr<google::protobuf::Message>(const v1::PendingOperation&)> pending;
};

/// `Plan::pending` for a response with the field `PendingOperation pending`.
template <typename Response>
auto PendingAs() {
  return [](const v1::PendingOperation& pending) -> std::shared_ptr<google::protobuf::Message> {
    auto response = std::make_shared<Response>();
    *response->mutable_pending() = pending;
    return response;
  };
}

/// A method and the function that makes its plans.
struct PlanRegistration {
  std::string rpc;  ///< full method name, `tollbridge.payments.v1.Payments/CreateOrder`
  const google::protobuf::Descriptor* request_type = nullptr;
  std::function<absl::StatusOr<Plan>(const google::protobuf::Message&)> make;
};

/// Registers `make` as the plan of a method: the one line that publishing a mutation takes.
template <typename Request, typename Make>
PlanRegistration PlanFor(std::string_view rpc, Make make) {
  return {std::string(rpc), Request::descriptor(),
          [rpc = std::string(rpc), make = std::move(make)](
              const google::protobuf::Message& message) -> absl::StatusOr<Plan> {
            absl::StatusOr<Plan> plan = make(static_cast<const Request&>(message));
            if (plan.ok()) {
              plan->rpc = rpc;
              plan->request = &message;
            }
            return plan;
          }};
}

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_PLAN_H_
