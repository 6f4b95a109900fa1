#ifndef TOLLBRIDGE_SERVICES_PORTS_CONTEXT_H_
#define TOLLBRIDGE_SERVICES_PORTS_CONTEXT_H_

#include <memory>

#include "base/core/boot_clock.h"
#include "base/telemetry/span.h"
#include "services/ports/waited.h"

namespace tollbridge::ports {

/// What travels with a piece of work through every port call.
struct Context {
  /// No port call answers later than this.
  BootTime deadline;
  /// The span that the port call is a child of.
  telemetry::TraceContext trace;
  /// Gathers how long the work waits for the payment service; nullptr: nobody asks.
  std::shared_ptr<Waited> waited = nullptr;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_CONTEXT_H_
