#ifndef TOLLBRIDGE_SERVICES_DOMAIN_OCCURRED_AT_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_OCCURRED_AT_H_

#include "services/domain/timestamps.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::domain {

/// Says when it happened, by the payment service's records: for created the order's `created`; else
/// the newest event record of a transaction whose name stands for `what`; else `completed` for
/// completed; else `modified`; else `now`, when it was noticed.
WallTime OccurredAt(const common::v1::Order& order, events::v1::EventWhat what, WallTime now);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_OCCURRED_AT_H_
