#ifndef TOLLBRIDGE_SERVICES_RPC_WIRE_BINDING_H_
#define TOLLBRIDGE_SERVICES_RPC_WIRE_BINDING_H_

#include <chrono>

#include "base/wire/server_call.h"
#include "services/ports/clock.h"
#include "services/rpc/handover.h"
#include "services/rpc/method.h"

namespace tollbridge::rpc {

/// How long a caller may ask a call to live.
struct DeadlineBounds {
  std::chrono::milliseconds unary{std::chrono::minutes(2)};
  std::chrono::milliseconds stream{std::chrono::hours(1)};
};

/// Who calls, as the connection proves it.
Caller CallerOf(const wire::Peer& peer);

/// The published methods as what a server of base/wire serves: each call is given to `handover` on
/// the shard that it came on. All arguments outlive the server.
wire::Methods BindMethods(const MethodTable& methods, Handover& handover, const ports::Clock& clock,
                          DeadlineBounds bounds);

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_WIRE_BINDING_H_
