#ifndef TOLLBRIDGE_SERVICES_GATEWAY_WIRING_SEARCH_H_
#define TOLLBRIDGE_SERVICES_GATEWAY_WIRING_SEARCH_H_

#include "services/domain/project.h"
#include "services/gateway/wiring_shard.h"

namespace tollbridge::gateway {

/// Registers the methods of the service Search with the shard's dispatcher. `projects` outlives it.
void RegisterSearch(ShardParts& parts, const domain::Projects& projects);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_SERVICES_GATEWAY_WIRING_SEARCH_H_
