#include "adapters/kafka/dead_letter_log.h"

#include <absl/time/time.h>

#include <vector>

#include "adapters/kafka/trace_headers.h"

namespace tollbridge::kafka {
namespace {

std::string Rfc3339(WallTime time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

}  // namespace

AsyncStatus KafkaDeadLetterLog::Append(const ports::DeadLetter& letter,
                                       const ports::Context& context) {
  std::vector<RecordHeader> headers = {
      {"cause", letter.cause},
      {"tries", std::to_string(letter.tries)},
      {"first_failure", Rfc3339(letter.first_failure)},
      {"last_failure", Rfc3339(letter.last_failure)},
      {"original_topic", hints_topic_},
      {"original_partition", std::to_string(letter.record.partition)},
      {"original_offset", std::to_string(letter.record.offset)},
  };
  if (letter.cut_from) {
    headers.emplace_back("cut", "true");
    headers.emplace_back("value_bytes", std::to_string(letter.cut_from->value_bytes));
    headers.emplace_back("value_sha256", letter.cut_from->value_sha256);
  }
  AddTraceHeaders(letter.record.trace, &headers);
  const OutgoingRecord record{Purpose::kDeadLetters, topic_, letter.record.key, letter.record.value,
                              headers};
  const absl::StatusOr<RecordPlace> place = co_await producer_.Produce(record, context.deadline);
  co_return place.status();
}

}  // namespace tollbridge::kafka
