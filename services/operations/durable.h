#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_DURABLE_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_DURABLE_H_

#include <string_view>

#include "services/operations/engine.h"
#include "services/operations/plan.h"
#include "services/rpc/middleware.h"

namespace tollbridge::operations {

/// Sent before the answer when an earlier call's outcome is answered again.
inline constexpr std::string_view kReplayMetadata = "tollbridge-replay";

/// The link of the inbound pipe that makes mutations durable: it ends the pipe for them, with the
/// method's plan run by the engine. All else goes on. One for each shard.
class Durable final : public rpc::Middleware {
 public:
  /// `plans` has one of each published mutation (Methods).
  Durable(const PlanTable& plans, Engine& engine) : plans_(plans), engine_(engine) {}

  AsyncStatus Handle(rpc::Call& call, rpc::Next next) override;

 private:
  const PlanTable& plans_;
  Engine& engine_;
};

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_DURABLE_H_
