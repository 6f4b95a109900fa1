#include "adapters/kafka/event_log.h"

#include <vector>

#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::kafka {

AsyncStatus KafkaEventLog::Publish(const storage::v1::OutboxEntry& event,
                                   const ports::Context& context) {
  std::vector<RecordHeader> headers;
  headers.reserve(static_cast<std::size_t>(event.headers_size()));
  for (const storage::v1::Header& header : event.headers()) {
    headers.emplace_back(header.name(), header.value());
  }
  const OutgoingRecord record{topic_, event.key(), event.payload(), headers};
  co_return co_await producer_.Produce(record, context.deadline);
}

}  // namespace tollbridge::kafka
