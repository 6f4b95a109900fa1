#include "adapters/kafka/event_topic.h"

#include <absl/strings/str_cat.h>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "adapters/kafka/event_tail.h"
#include "base/core/boot_clock.h"
#include "base/core/status_macros.h"

namespace tollbridge::kafka {
namespace {

constexpr std::chrono::seconds kOpenTimeout{15};
constexpr std::chrono::milliseconds kPoll{50};
/// Brokers that give nothing for so long, although there is more, are away.
constexpr std::chrono::seconds kSilence{30};
/// After so many records others of the executor have their turn.
constexpr std::uint64_t kTurn = 256;

ports::EventRecord ToEvent(TailedRecord record) {
  return {.partition = record.partition,
          .offset = record.offset,
          .written = record.written,
          .content_type = record.Header("content-type"),
          .value = std::move(record.value)};
}

}  // namespace

absl::StatusOr<std::vector<ports::EventPartition>> KafkaEventTopic::Look() {
  TB_ASSIGN_OR_RETURN(const auto tail, EventTail::Open(settings_, topic_, true, kOpenTimeout));
  std::vector<ports::EventPartition> partitions;
  for (const EventTail::Range& range : tail->ranges()) {
    partitions.push_back({.first = range.low, .end = range.high, .first_written = std::nullopt});
  }
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    ports::EventPartition& partition = partitions[i];
    if (partition.first == partition.end) continue;
    const absl::StatusOr<TailedRecord> first = tail->ReadAt(
        {.partition = static_cast<std::int32_t>(i), .offset = partition.first}, kOpenTimeout);
    // Its time of keeping may be over just now.
    if (absl::IsNotFound(first.status())) continue;
    TB_RETURN_IF_ERROR(first.status());
    partition.first_written = first->written;
  }
  partitions_ = partitions.size();
  return partitions;
}

std::size_t KafkaEventTopic::PartitionOf(std::string_view key) const {
  if (partitions_ == 0) return 0;
  return static_cast<std::size_t>(PartitionOfKey(key, static_cast<int>(partitions_)));
}

AsyncStatus KafkaEventTopic::Read(const std::function<void(const ports::EventRecord&)>& take) {
  TB_CO_ASSIGN_OR_RETURN(const auto tail, EventTail::Open(settings_, topic_, true, kOpenTimeout));
  BootTime heard = BootClock::now();
  for (std::uint64_t count = 0; !tail->AtEnd(); ++count) {
    TB_CO_ASSIGN_OR_RETURN(std::optional<TailedRecord> record, tail->Next(kPoll));
    if (record) {
      heard = BootClock::now();
      take(ToEvent(*std::move(record)));
    } else if (BootClock::now() - heard > kSilence) {
      co_return absl::UnavailableError(
          absl::StrCat("Kafka: ", topic_, " cannot be read to its end"));
    }
    if (count % kTurn == 0 || !record) {
      co_await boost::asio::post(executor_, boost::asio::use_awaitable);
    }
  }
  co_return absl::OkStatus();
}

}  // namespace tollbridge::kafka
