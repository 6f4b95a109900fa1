#ifndef TOLLBRIDGE_SERVICES_RPC_AUTHENTICATE_H_
#define TOLLBRIDGE_SERVICES_RPC_AUTHENTICATE_H_

#include "services/rpc/access.h"
#include "services/rpc/middleware.h"
#include "services/rpc/refused_callers.h"

namespace tollbridge::rpc {

/// Link: UNAUTHENTICATED CALLER_UNKNOWN for a caller that permissions cannot be given to: over TLS
/// with a client authority, one whose certificate has no usable name; without, everyone unless the
/// configuration says what callers without a certificate may do. Needs no request.
class Authenticate : public Middleware {
 public:
  Authenticate(const AccessRules& rules, telemetry::Metrics& metrics, const ports::Clock& clock)
      : rules_(rules), refused_(metrics, clock) {}
  AsyncStatus Handle(Call& call, Next next) override;

 private:
  const AccessRules& rules_;
  RefusedCallers refused_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_AUTHENTICATE_H_
