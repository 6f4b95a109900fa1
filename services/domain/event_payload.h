#ifndef TOLLBRIDGE_SERVICES_DOMAIN_EVENT_PAYLOAD_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_EVENT_PAYLOAD_H_

#include <optional>
#include <string>
#include <string_view>

#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::domain {

/// The type of heartbeats (ce_type), which lie among the events of each partition.
inline constexpr std::string_view kHeartbeatType = "tollbridge.heartbeat.v1";

/// The event in a record's value, in the encoding that its header content-type names: after a
/// change of events.encoding both lie in one topic. nullopt for what is no event: a heartbeat too.
std::optional<events::v1::PaymentEvent> ReadEvent(std::string_view content_type,
                                                  const std::string& value);

/// The heartbeat in the value of a record of kHeartbeatType, in the same way. nullopt for what
/// cannot be read.
std::optional<events::v1::Heartbeat> ReadHeartbeat(std::string_view content_type,
                                                   const std::string& value);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_EVENT_PAYLOAD_H_
