#ifndef TOLLBRIDGE_SERVICES_RPC_LOG_H_
#define TOLLBRIDGE_SERVICES_RPC_LOG_H_

#include "services/ports/clock.h"
#include "services/rpc/middleware.h"

namespace tollbridge::rpc {

/// Link: one line per RPC when it ends: method, code, reason and who is to blame for it, outcome of
/// a mutation, milliseconds, project, caller, peer, trace, operation and order id; what is not
/// known is left out. No value of a field, except an order id that is a UUID. The message of an
/// internal error, which the caller does not get to see, stands here.
class Log : public Middleware {
 public:
  explicit Log(const ports::Clock& clock) : clock_(clock) {}
  AsyncStatus Handle(Call& call, Next next) override;

 private:
  const ports::Clock& clock_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_LOG_H_
