#ifndef TOLLBRIDGE_GATEWAY_WIRING_SEARCH_H_
#define TOLLBRIDGE_GATEWAY_WIRING_SEARCH_H_

#include "gateway/wiring/shard.h"
#include "services/domain/project.h"

namespace tollbridge::gateway {

/// Registers the methods of the service Search with the shard's dispatcher. `projects` outlives it.
void RegisterSearch(ShardParts& parts, const domain::Projects& projects);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_SEARCH_H_
