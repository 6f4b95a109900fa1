#ifndef TOLLBRIDGE_SERVICES_RPC_TRACE_H_
#define TOLLBRIDGE_SERVICES_RPC_TRACE_H_

#include "services/rpc/middleware.h"

namespace tollbridge::rpc {

/// Link: the span of the RPC, child of the caller's `traceparent` or root of a new trace. From here
/// on `call.context()` names it as the parent of all that is done for the RPC.
class Trace : public Middleware {
 public:
  AsyncStatus Handle(Call& call, Next next) override;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_TRACE_H_
