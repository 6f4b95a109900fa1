#include "adapters/kafka/send_span.h"

#include <absl/strings/str_cat.h>

#include <cstdint>
#include <string>

namespace tollbridge::kafka {

SendSpan::SendSpan(std::string_view topic, std::string_view message_id,
                   const telemetry::TraceContext& parent,
                   const std::optional<telemetry::TraceContext>& creation)
    : span_(telemetry::StartSpan(
          absl::StrCat("send ", std::string(topic)), parent,
          creation ? telemetry::SpanKind::kClient : telemetry::SpanKind::kProducer, creation)) {
  if (!span_.recording()) return;
  span_.SetAttribute("messaging.system", "kafka");
  span_.SetAttribute("messaging.operation.name", "send");
  span_.SetAttribute("messaging.operation.type", "send");
  span_.SetAttribute("messaging.destination.name", topic);
  if (!message_id.empty()) span_.SetAttribute("messaging.message.id", message_id);
}

void SendSpan::End(const absl::StatusOr<RecordPlace>& place) {
  if (!span_.recording()) return;
  if (!place.ok()) return span_.SetErrorType(absl::StatusCodeToString(place.status().code()));
  const std::string partition = std::to_string(place->partition);
  span_.SetAttribute("messaging.destination.partition.id", std::string_view(partition));
  span_.SetAttribute("messaging.kafka.offset", std::int64_t{place->offset});
}

}  // namespace tollbridge::kafka
