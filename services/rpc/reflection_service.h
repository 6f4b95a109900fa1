#ifndef TOLLBRIDGE_SERVICES_RPC_REFLECTION_SERVICE_H_
#define TOLLBRIDGE_SERVICES_RPC_REFLECTION_SERVICE_H_

#include "base/wire/server_call.h"
#include "services/rpc/method.h"

namespace tollbridge::rpc {

/// Server reflection, v1 and v1alpha, outside of the pipe: what services there are, and the .proto
/// files that they are made of, with all that these import. Files of the process that no service
/// needs are not shown. `methods` outlive the server.
void AddReflection(const MethodTable& methods, wire::Methods& bound);

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_REFLECTION_SERVICE_H_
