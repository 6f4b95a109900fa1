#include "services/domain/event_id.h"

#include <absl/strings/str_cat.h>

#include <optional>

#include "services/domain/wire_names.h"

namespace tollbridge::domain {

std::string EventType(events::v1::EventKind kind, events::v1::EventWhat what) {
  std::string type = "tollbridge.";
  type.append(WireName(kind)).append(".").append(WireName(what)).append(".v1");
  return type;
}

Uuid EventId(const Uuid& project_id, const Uuid& order, events::v1::EventKind kind,
             events::v1::EventWhat what, std::uint32_t occurrence) {
  // "event:" keeps these names apart from those of operations, whose ids share the namespace.
  std::string name = "event:" + order.ToString();
  name.append(":").append(WireName(kind)).append(":").append(WireName(what));
  absl::StrAppend(&name, ":", occurrence);
  return Uuid::V5(project_id, name);
}

bool IsOfProject(const events::v1::PaymentEvent& event, const Uuid& project_id) {
  const std::optional<Uuid> order = Uuid::Parse(event.order_id());
  return order && EventId(project_id, *order, event.kind(), event.what(), event.occurrence()) ==
                      Uuid::Parse(event.id());
}

}  // namespace tollbridge::domain
