#include "services/domain/event_id.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>

#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::domain {
namespace {

std::string_view WireValue(const google::protobuf::EnumValueDescriptor* value) {
  if (value == nullptr) return {};
  return value->options().GetExtension(options::v1::wire_value);
}

}  // namespace

std::string_view NameOf(events::v1::EventKind kind) {
  return WireValue(events::v1::EventKind_descriptor()->FindValueByNumber(kind));
}

std::string_view NameOf(events::v1::EventWhat what) {
  return WireValue(events::v1::EventWhat_descriptor()->FindValueByNumber(what));
}

std::string EventType(events::v1::EventKind kind, events::v1::EventWhat what) {
  std::string type = "tollbridge.";
  type.append(NameOf(kind)).append(".").append(NameOf(what)).append(".v1");
  return type;
}

Uuid EventId(const Uuid& project_id, const Uuid& order, events::v1::EventKind kind,
             events::v1::EventWhat what, std::uint32_t occurrence) {
  // "event:" keeps these names apart from those of operations, whose ids share the namespace.
  std::string name = "event:" + order.ToString();
  name.append(":").append(NameOf(kind)).append(":").append(NameOf(what));
  absl::StrAppend(&name, ":", occurrence);
  return Uuid::V5(project_id, name);
}

}  // namespace tollbridge::domain
