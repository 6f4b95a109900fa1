#ifndef TOLLBRIDGE_SERVICES_RECONCILE_WRITE_HINT_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_WRITE_HINT_H_

#include <optional>

#include "base/core/async.h"
#include "base/core/uuid.h"
#include "services/ports/clock.h"
#include "services/ports/family.h"
#include "services/ports/hint_log.h"

namespace tollbridge::reconcile {

/// Writes a hint about `order` of `family`: about its root, naming the order where that is a
/// member. In a trace of its own. `as_of`: when it counts as noticed, where that is not now.
/// UNAVAILABLE when the log does not acknowledge it.
AsyncStatus WriteHint(ports::HintLog& log, const ports::Clock& clock, ports::FamilyKey family,
                      Uuid order, events::v1::HintSource source,
                      std::optional<WallTime> as_of = std::nullopt);

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_WRITE_HINT_H_
