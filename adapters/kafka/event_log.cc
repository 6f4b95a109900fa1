#include "adapters/kafka/event_log.h"

#include <string>
#include <vector>

#include "base/core/status_macros.h"
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
  const OutgoingRecord record{topic, event.key(), event.payload(), headers};
  TB_CO_ASSIGN_OR_RETURN(const RecordPlace place,
                         co_await producer_.Produce(record, context.deadline));
  co_return ports::EventPlace{.partition = place.partition, .offset = place.offset};
}

}  // namespace tollbridge::kafka
