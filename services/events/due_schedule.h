#ifndef TOLLBRIDGE_SERVICES_EVENTS_DUE_SCHEDULE_H_
#define TOLLBRIDGE_SERVICES_EVENTS_DUE_SCHEDULE_H_

#include <chrono>
#include <optional>

#include "services/ports/clock.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::events {

inline constexpr ports::Millis kShortestReadInterval = std::chrono::seconds(30);
inline constexpr ports::Millis kLongestReadInterval = std::chrono::minutes(15);

/// When an order is to be read again although nobody hints at it (events.md, Reconciliation): not
/// final, at intervals that grow with its age from 30 s to 15 min; final, 1 h, 24 h, 7 d and 30 d
/// after its end, for late refunds and chargebacks; then nullopt. `final` as domain::Decide says.
std::optional<ports::WallTime> NextDue(const common::v1::Order& order, bool final,
                                       ports::WallTime now);

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_DUE_SCHEDULE_H_
