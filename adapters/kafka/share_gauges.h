#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_SHARE_GAUGES_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_SHARE_GAUGES_H_

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/telemetry/metrics.h"

/// For .cc files of this room.
namespace tollbridge::kafka {

/// Tells which partitions a consumer has and how far it is behind in them. How far a log goes is
/// known from what was fetched of it; that stands still while its consumer takes nothing, so it is
/// asked for too, and the answer shows in the next report. Lives on the consumer's shard; waits for
/// nothing.
class ShareGauges {
 public:
  /// `metrics` outlives it; nullptr: tells nobody.
  ShareGauges(telemetry::Metrics* metrics, std::string topic);

  /// The group gave a share of this many partitions: Gave follows for each of them.
  void GaveShare(std::size_t partitions);
  /// `next`: the first record that will be taken of it; nullopt: the oldest that there is.
  void Gave(std::int32_t partition, std::optional<std::int64_t> next);
  /// The record before `next` was taken.
  void Took(std::int32_t partition, std::int64_t next);
  /// No partition is its own any more.
  void Lost();

  /// Before a scrape.
  void Report(rd_kafka_t* client, rd_kafka_queue_t* answers);
  /// Asks how far the logs go, unless it waits for an answer to that. TakeEnds takes it from the
  /// queue.
  void AskForEnds(rd_kafka_t* client, rd_kafka_queue_t* answers);
  /// The answer, an event of the type LISTOFFSETS_RESULT: where the logs of the share end, by
  /// partition, as far as it says.
  std::map<std::int32_t, std::int64_t> TakeEnds(rd_kafka_event_t* answer);

 private:
  static constexpr std::int64_t kUnknown = -1;
  struct Progress {
    std::int64_t next = kUnknown;
    std::int64_t end = kUnknown;  ///< as was answered
  };

  telemetry::Gauge LagOf(std::int32_t partition);

  telemetry::Metrics* metrics_;
  std::string topic_;
  std::map<std::int32_t, Progress> share_;
  bool asking_ = false;
  /// Answers to questions about an earlier share are about nothing any more.
  std::intptr_t shares_ = 0;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_SHARE_GAUGES_H_
