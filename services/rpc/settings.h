#ifndef TOLLBRIDGE_SERVICES_RPC_SETTINGS_H_
#define TOLLBRIDGE_SERVICES_RPC_SETTINGS_H_

#include <string_view>

#include "services/rpc/access.h"
#include "services/rpc/limit.h"
#include "services/rpc/limit_project.h"
#include "services/rpc/server.h"

namespace tollbridge::config {
class Section;
}  // namespace tollbridge::config

/// What a configuration may set of the gRPC services, with its bounds. The structs stand at the
/// classes that obey them.
namespace tollbridge::rpc {

/// `unsaid`: what 0 means.
void Describe(config::Section& section, CallerLimits* limits, std::string_view unsaid);
void Describe(config::Section& section, CallerGrant* caller);
void Describe(config::Section& section, LimitSettings* limit, LimitProjectSettings* of_project);
/// All but the listener, which is the process's.
void Describe(config::Section& section, ServerSettings* server);

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_SETTINGS_H_
