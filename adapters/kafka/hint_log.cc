#include "adapters/kafka/hint_log.h"

#include <absl/strings/str_cat.h>

#include <vector>

#include "adapters/kafka/trace_headers.h"

namespace tollbridge::kafka {

AsyncStatus KafkaHintLog::Append(const events::v1::Hint& hint, const ports::Context& context) {
  const std::string key = absl::StrCat(hint.project(), ":", hint.order_id());
  const std::string value = hint.SerializeAsString();
  std::vector<RecordHeader> headers;
  AddTraceHeaders(context.trace, &headers);
  const OutgoingRecord record{Purpose::kHints, topic_, key, value, headers};
  const absl::StatusOr<RecordPlace> place = co_await producer_.Produce(record, context.deadline);
  co_return place.status();
}

}  // namespace tollbridge::kafka
