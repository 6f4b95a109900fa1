#ifndef TOLLBRIDGE_GATEWAY_WIRING_METHODS_H_
#define TOLLBRIDGE_GATEWAY_WIRING_METHODS_H_

#include <vector>

#include "base/telemetry/metrics.h"
#include "gateway/config/config.h"
#include "gateway/wiring/shard.h"
#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/rpc/drain.h"
#include "services/rpc/method.h"
#include "services/rpc/validate.h"

namespace tollbridge::gateway {

// What the published methods lead to: one line a mutation, one call a read.

/// The mutations of all services. `projects` outlives them.
std::vector<operations::PlanRegistration> Mutations(const Config& config,
                                                    const domain::Projects& projects);

/// What requests must fulfil beyond the rules of their fields.
void AddRequestRules(rpc::RequestRules& rules);

/// What use cases are made from beside the shard's parts. All outlive the shards.
struct MethodMaterial {
  const Config& config;
  const domain::Projects& projects;
  const rpc::MethodTable& methods;
  const operations::PlanTable& plans;
  const rpc::Drain& drain;
  telemetry::Metrics& metrics;
};

/// Registers every method with the shard's dispatcher.
void RegisterMethods(ShardParts& parts, const MethodMaterial& material);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_METHODS_H_
