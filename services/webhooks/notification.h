#ifndef TOLLBRIDGE_SERVICES_WEBHOOKS_NOTIFICATION_H_
#define TOLLBRIDGE_SERVICES_WEBHOOKS_NOTIFICATION_H_

#include <optional>
#include <string_view>

#include "base/core/uuid.h"

namespace tollbridge::webhooks {

/// The body of a webhook (docs/interface.md#webhook-notification).
struct Notification {
  Uuid order_id;
  /// Absent where the body names none: the URL's token names the project.
  std::optional<Uuid> project_id;
};

/// Reads {"event", "order_id", "project_id"}: a JSON object of bounded depth, the ids UUIDs.
/// project_id may be absent; the event and other fields are ignored, since whatever they say, the
/// order is read. nullopt for anything else.
std::optional<Notification> ParseNotification(std::string_view body);

}  // namespace tollbridge::webhooks

#endif  // TOLLBRIDGE_SERVICES_WEBHOOKS_NOTIFICATION_H_
