#ifndef TOLLBRIDGE_SERVICES_DOMAIN_EVENT_ID_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_EVENT_ID_H_

#include <cstdint>
#include <string>

#include "base/core/uuid.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::domain {

/// "tollbridge.<kind>.<what>.v1", for example "tollbridge.account_funding.completed.v1".
std::string EventType(events::v1::EventKind kind, events::v1::EventWhat what);

/// UUIDv5 in the namespace of the project's id: the same event has the same id, whoever decides it
/// and whenever (docs/design/events.md#events). `project_id` is the payment service's, which
/// outlives a change of the project's name in the configuration.
Uuid EventId(const Uuid& project_id, const Uuid& order, events::v1::EventKind kind,
             events::v1::EventWhat what, std::uint32_t occurrence);

/// Whether the event is one of the project with this id: it keeps the name that the project had,
/// which may be another one's since.
bool IsOfProject(const events::v1::PaymentEvent& event, const Uuid& project_id);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_EVENT_ID_H_
