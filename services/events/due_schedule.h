#ifndef TOLLBRIDGE_SERVICES_EVENTS_DUE_SCHEDULE_H_
#define TOLLBRIDGE_SERVICES_EVENTS_DUE_SCHEDULE_H_

#include <optional>

#include "services/events/settings.h"
#include "services/ports/clock.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::events {

/// When an order is to be read again although nobody hints at it (events.md, Reconciliation): not
/// final, at intervals that grow with its age within the settings; final, 1 h, 24 h, 7 d and 30 d
/// after its end, for late refunds and chargebacks; then nullopt. `final` as domain::Decide says.
std::optional<ports::WallTime> NextDue(const common::v1::Order& order, bool final,
                                       ports::WallTime now, const Settings& settings);

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_DUE_SCHEDULE_H_
