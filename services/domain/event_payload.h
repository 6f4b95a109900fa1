#ifndef TOLLBRIDGE_SERVICES_DOMAIN_EVENT_PAYLOAD_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_EVENT_PAYLOAD_H_

#include <optional>
#include <string>
#include <string_view>

#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::domain {

/// The event in a record's value, in the encoding that its header content-type names: after a
/// change of events.encoding both lie in one topic. nullopt for what is none of ours.
std::optional<events::v1::PaymentEvent> ReadEvent(std::string_view content_type,
                                                  const std::string& value);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_EVENT_PAYLOAD_H_
