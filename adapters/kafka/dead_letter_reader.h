#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_DEAD_LETTER_READER_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_DEAD_LETTER_READER_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "adapters/kafka/client.h"
#include "adapters/kafka/event_tail.h"
#include "services/ports/hint_log.h"

namespace tollbridge::kafka {

/// A dead letter as it lies in its topic.
struct StoredLetter {
  /// The place where it lies is what people name it by.
  RecordPlace place;
  /// It is as KafkaDeadLetterLog was given it: its record is the hint's, with the place that the
  /// hint had in the topic of hints. What a header does not say, or not readably, has its default;
  /// -1 for the hint's place, no cause.
  ports::DeadLetter letter;
};

/// Reads what KafkaDeadLetterLog has written, for people who look. Holds one letter at a time.
/// Blocks: for command lines, not for shards. Leaves no trace at the broker.
class DeadLetterReader {
 public:
  /// Errors as EventTail::Open.
  static absl::StatusOr<std::unique_ptr<DeadLetterReader>> Open(const ClientSettings& settings,
                                                                const std::string& topic,
                                                                std::chrono::milliseconds timeout);

  /// The next letter, in order within a partition; nullopt at the end that the topic had when it
  /// was opened. UNAVAILABLE when none came in `timeout` although there are more.
  absl::StatusOr<std::optional<StoredLetter>> Next(std::chrono::milliseconds timeout);

  /// One letter, as EventTail::ReadAt.
  absl::StatusOr<StoredLetter> ReadAt(const RecordPlace& place, std::chrono::milliseconds timeout);

 private:
  explicit DeadLetterReader(std::unique_ptr<EventTail> tail) : tail_(std::move(tail)) {}

  std::unique_ptr<EventTail> tail_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_DEAD_LETTER_READER_H_
