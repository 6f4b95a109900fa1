#include "adapters/kafka/event_log.h"

#include <optional>
#include <string>
#include <vector>

#include "adapters/kafka/send_span.h"
#include "base/core/status_macros.h"
#include "base/telemetry/span.h"
#include "services/domain/outbox_header.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::kafka {

Async<ports::EventPlace> KafkaEventLog::Publish(const storage::v1::OutboxEntry& event,
                                                const ports::Context& context) {
  std::vector<RecordHeader> headers;
  headers.reserve(static_cast<std::size_t>(event.headers_size()));
  for (const storage::v1::Header& header : event.headers()) {
    headers.emplace_back(header.name(), header.value());
  }
  const std::string& topic = event.topic().empty() ? topic_ : event.topic();
  if (!gate_.Enter(topic, event.key())) {
    co_return absl::UnavailableError("kafka: the partition of events takes nothing at the moment");
  }
  const OutgoingRecord record{Purpose::kEvents, topic, event.key(), event.payload(), headers};
  // The event was created by whoever decided it, perhaps in another process.
  const std::optional<telemetry::TraceContext> created =
      telemetry::TraceContext::FromTraceparent(domain::HeaderOf(event, "traceparent"));
  SendSpan span(topic, event.id(), context.trace, created);
  const absl::StatusOr<RecordPlace> place = co_await producer_.Produce(record, context.deadline);
  span.End(place);
  gate_.Leave(topic, event.key(), place.status());
  TB_CO_RETURN_IF_ERROR(place.status());
  co_return ports::EventPlace{.partition = place->partition, .offset = place->offset};
}

}  // namespace tollbridge::kafka
