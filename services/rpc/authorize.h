#ifndef TOLLBRIDGE_SERVICES_RPC_AUTHORIZE_H_
#define TOLLBRIDGE_SERVICES_RPC_AUTHORIZE_H_

#include "services/domain/project.h"
#include "services/rpc/access.h"
#include "services/rpc/middleware.h"
#include "services/rpc/refused_callers.h"

namespace tollbridge::rpc {

/// Link: PERMISSION_DENIED PERMISSION_DENIED when the caller lacks the method's permission
/// (`policy.permission` in the .proto) in the request's project. The project is the request's field
/// `project`; empty is the only configured one. A request without the field, or with a name that
/// leads to no configured project, needs the permission in all projects. What it resolves is the
/// call's project from then on. Stands behind Parse.
class Authorize : public Middleware {
 public:
  /// All outlive the link.
  Authorize(const AccessRules& rules, const domain::Projects& projects, telemetry::Metrics& metrics,
            const ports::Clock& clock)
      : rules_(rules), projects_(projects), refused_(metrics, clock) {}
  AsyncStatus Handle(Call& call, Next next) override;

 private:
  const AccessRules& rules_;
  const domain::Projects& projects_;
  RefusedCallers refused_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_AUTHORIZE_H_
