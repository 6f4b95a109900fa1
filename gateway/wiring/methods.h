#ifndef TOLLBRIDGE_GATEWAY_WIRING_METHODS_H_
#define TOLLBRIDGE_GATEWAY_WIRING_METHODS_H_

#include <vector>

#include "gateway/config/config.h"
#include "services/operations/method.h"
#include "services/rpc/drain.h"

namespace tollbridge::gateway {

/// All that the process publishes (published_services.h). `drain` outlives them.
std::vector<operations::Method> PublishedMethods(const Config& config, const rpc::Drain& drain);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_METHODS_H_
