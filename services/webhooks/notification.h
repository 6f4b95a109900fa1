#ifndef TOLLBRIDGE_SERVICES_WEBHOOKS_NOTIFICATION_H_
#define TOLLBRIDGE_SERVICES_WEBHOOKS_NOTIFICATION_H_

#include <optional>
#include <string_view>

#include "base/core/uuid.h"

namespace tollbridge::webhooks {

/// The body of a webhook (docs/interface.md#webhook-notification).
struct Notification {
  Uuid order_id;
  Uuid project_id;
};

/// Reads {"event", "order_id", "project_id"}: a JSON object of bounded depth, the ids UUIDs, the
/// event any text, since whatever it says, the order is read. Other fields are ignored. nullopt for
/// anything else.
std::optional<Notification> ParseNotification(std::string_view body);

}  // namespace tollbridge::webhooks

#endif  // TOLLBRIDGE_SERVICES_WEBHOOKS_NOTIFICATION_H_
