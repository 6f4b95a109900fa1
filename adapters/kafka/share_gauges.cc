#include "adapters/kafka/share_gauges.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "adapters/kafka/handles.h"
#include "base/telemetry/metric_definitions.h"

namespace tollbridge::kafka {
namespace {

constexpr int kAskMillis = 5'000;

using OptionsPtr = std::unique_ptr<rd_kafka_AdminOptions_t, Deleter<rd_kafka_AdminOptions_destroy>>;

}  // namespace

ShareGauges::ShareGauges(telemetry::Metrics* metrics, std::string topic)
    : metrics_(metrics), topic_(std::move(topic)) {
  if (metrics_ != nullptr) metrics_->Get(telemetry::kAssignedPartitions).Set(0);
}

telemetry::Gauge ShareGauges::LagOf(std::int32_t partition) {
  return metrics_->Get(telemetry::kConsumerLag, {std::to_string(partition)});
}

void ShareGauges::GaveShare(std::size_t partitions) {
  ++shares_;
  asking_ = false;
  if (metrics_ == nullptr) return;
  metrics_->Get(telemetry::kAssignedPartitions).Set(static_cast<double>(partitions));
  metrics_->Get(telemetry::kRebalances).Increment();
}

void ShareGauges::Gave(std::int32_t partition, std::optional<std::int64_t> next) {
  share_[partition] = {.next = next.value_or(kUnknown)};
}

void ShareGauges::Took(std::int32_t partition, std::int64_t next) {
  const auto found = share_.find(partition);
  if (found != share_.end()) found->second.next = next;
}

void ShareGauges::Lost() {
  const std::map<std::int32_t, Progress> lost = std::exchange(share_, {});
  if (metrics_ == nullptr) return;
  for (const auto& [partition, progress] : lost) LagOf(partition).Clear();
  metrics_->Get(telemetry::kAssignedPartitions).Set(0);
}

void ShareGauges::Report(rd_kafka_t* client, rd_kafka_queue_t* answers) {
  if (metrics_ == nullptr) return;
  for (const auto& [partition, progress] : share_) {
    std::int64_t low = kUnknown;
    std::int64_t fetched = kUnknown;
    // What the client remembers; it asks nobody.
    if (rd_kafka_get_watermark_offsets(client, topic_.c_str(), partition, &low, &fetched) !=
        RD_KAFKA_RESP_ERR_NO_ERROR) {
      fetched = kUnknown;
    }
    const std::int64_t end = std::max(fetched, progress.end);
    // Of a log from which nothing was taken ever it is not known where it begins.
    const bool known = end == 0 || (end > 0 && progress.next != kUnknown);
    if (known) {
      const std::int64_t lag = end - std::max<std::int64_t>(0, progress.next);
      LagOf(partition).Set(static_cast<double>(std::max<std::int64_t>(0, lag)));
    } else {
      LagOf(partition).Clear();
    }
  }
  AskForEnds(client, answers);
}

void ShareGauges::AskForEnds(rd_kafka_t* client, rd_kafka_queue_t* answers) {
  if (asking_ || share_.empty()) return;
  asking_ = true;
  const OptionsPtr options(rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_LISTOFFSETS));
  rd_kafka_AdminOptions_set_opaque(options.get(), reinterpret_cast<void*>(shares_));
  rd_kafka_AdminOptions_set_request_timeout(options.get(), kAskMillis, nullptr, 0);
  const PartitionsPtr list(rd_kafka_topic_partition_list_new(static_cast<int>(share_.size())));
  for (const auto& [partition, progress] : share_) {
    rd_kafka_topic_partition_list_add(list.get(), topic_.c_str(), partition)->offset =
        RD_KAFKA_OFFSET_SPEC_LATEST;
  }
  rd_kafka_ListOffsets(client, list.get(), options.get(), answers);
}

std::map<std::int32_t, std::int64_t> ShareGauges::TakeEnds(rd_kafka_event_t* answer) {
  std::map<std::int32_t, std::int64_t> ends;
  if (rd_kafka_event_opaque(answer) != reinterpret_cast<void*>(shares_)) return ends;
  asking_ = false;
  // Without an answer what was known stays.
  if (rd_kafka_event_error(answer) != RD_KAFKA_RESP_ERR_NO_ERROR) return ends;
  std::size_t count = 0;
  const auto* const* infos =
      rd_kafka_ListOffsets_result_infos(rd_kafka_event_ListOffsets_result(answer), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const rd_kafka_topic_partition_t* const each =
        rd_kafka_ListOffsetsResultInfo_topic_partition(infos[i]);
    const auto found = share_.find(each->partition);
    if (each->err != RD_KAFKA_RESP_ERR_NO_ERROR || found == share_.end()) continue;
    found->second.end = each->offset;
    ends[each->partition] = each->offset;
  }
  return ends;
}

}  // namespace tollbridge::kafka
