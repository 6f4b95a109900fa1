#ifndef TOLLBRIDGE_SERVICES_RECONCILE_WRITE_HINT_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_WRITE_HINT_H_

#include <string>

#include "services/base/async.h"
#include "services/base/uuid.h"
#include "services/ports/clock.h"
#include "services/ports/hint_log.h"
#include "services/ports/known_orders.h"

namespace tollbridge::reconcile {

/// Writes a hint about `order`, of which `known` is known: about its root, which names the order
/// where that is a member. In a trace of its own. UNAVAILABLE when the log does not acknowledge it.
/// All arguments outlive the coroutine.
AsyncStatus WriteHint(ports::HintLog& log, const ports::Clock& clock, const std::string& project,
                      const ports::KnownOrder& known, const Uuid& order,
                      events::v1::HintSource source);

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_WRITE_HINT_H_
