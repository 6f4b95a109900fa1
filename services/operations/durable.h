#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_DURABLE_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_DURABLE_H_

#include <memory>
#include <string_view>

#include <absl/status/statusor.h>

#include "services/operations/engine.h"
#include "services/operations/plan.h"
#include "services/rpc/method.h"
#include "services/rpc/middleware.h"

namespace tollbridge::operations {

/// Sent before the answer when an earlier call's outcome is answered again.
inline constexpr std::string_view kReplayMetadata = "tollbridge-replay";

/// The link of the inbound pipe that makes mutations durable: it ends the pipe for them, with the
/// method's plan run by the engine. All else goes on. One for each shard.
class Durable final : public rpc::Middleware {
 public:
  /// FAILED_PRECONDITION when a published mutation has no plan, when a plan is of a method that is
  /// not published or no mutation, or when it takes another request type.
  static absl::StatusOr<std::unique_ptr<Durable>> Make(const rpc::MethodTable& methods,
                                                       const PlanTable& plans, Engine& engine);

  AsyncStatus Handle(rpc::Call& call, rpc::Next next) override;

 private:
  Durable(const PlanTable& plans, Engine& engine) : plans_(plans), engine_(engine) {}

  const PlanTable& plans_;
  Engine& engine_;
};

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_DURABLE_H_
