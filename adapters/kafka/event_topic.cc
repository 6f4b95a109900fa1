#include "adapters/kafka/event_topic.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <iterator>
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

ports::EventRecord ToEvent(TailedRecord record, std::size_t first) {
  return {.partition = static_cast<std::int32_t>(first) + record.partition,
          .offset = record.offset,
          .written = record.written,
          .type = record.Header("ce_type"),
          .content_type = record.Header("content-type"),
          .value = std::move(record.value)};
}

/// What each partition of a topic holds.
absl::StatusOr<std::vector<ports::EventPartition>> LookAt(const ClientSettings& settings,
                                                          const std::string& topic) {
  TB_ASSIGN_OR_RETURN(const auto tail, EventTail::Open(settings, topic, true, kOpenTimeout));
  std::vector<ports::EventPartition> partitions;
  for (const EventTail::Range& range : tail->ranges()) {
    partitions.push_back({.topic = topic,
                          .number = static_cast<std::int32_t>(partitions.size()),
                          .first = range.low,
                          .end = range.high,
                          .first_written = std::nullopt});
  }
  for (ports::EventPartition& partition : partitions) {
    if (partition.first == partition.end) continue;
    const absl::StatusOr<TailedRecord> first =
        tail->ReadAt({.partition = partition.number, .offset = partition.first}, kOpenTimeout);
    // Its time of keeping may be over just now.
    if (absl::IsNotFound(first.status())) continue;
    TB_RETURN_IF_ERROR(first.status());
    partition.first_written = first->written;
  }
  return partitions;
}

}  // namespace

absl::StatusOr<std::vector<ports::EventPartition>> KafkaEventTopic::Look() {
  std::vector<ports::EventPartition> all;
  partitions_.clear();
  for (const std::string& topic : topics_) {
    TB_ASSIGN_OR_RETURN(std::vector<ports::EventPartition> found, LookAt(settings_, topic));
    partitions_.push_back(found.size());
    std::ranges::move(found, std::back_inserter(all));
  }
  return all;
}

std::vector<std::size_t> KafkaEventTopic::PartitionsOf(std::string_view key) const {
  std::vector<std::size_t> found;
  std::size_t first = 0;
  for (const std::size_t count : partitions_) {
    if (count > 0) {
      found.push_back(first +
                      static_cast<std::size_t>(PartitionOfKey(key, static_cast<int>(count))));
    }
    first += count;
  }
  return found;
}

AsyncStatus KafkaEventTopic::Read(const std::function<void(const ports::EventRecord&)>& take) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < topics_.size(); ++i) {
    TB_CO_RETURN_IF_ERROR(co_await ReadTopic(topics_[i], first, take));
    if (i < partitions_.size()) first += partitions_[i];
  }
  co_return absl::OkStatus();
}

AsyncStatus KafkaEventTopic::ReadTopic(const std::string& topic, std::size_t first,
                                       const std::function<void(const ports::EventRecord&)>& take) {
  TB_CO_ASSIGN_OR_RETURN(const auto tail, EventTail::Open(settings_, topic, true, kOpenTimeout));
  BootTime heard = BootClock::now();
  for (std::uint64_t count = 0; !tail->AtEnd(); ++count) {
    TB_CO_ASSIGN_OR_RETURN(std::optional<TailedRecord> record, tail->Next(kPoll));
    const bool came = record.has_value();
    if (came) {
      heard = BootClock::now();
      take(ToEvent(*std::move(record), first));
    } else if (BootClock::now() - heard > kSilence) {
      co_return absl::UnavailableError(
          absl::StrCat("Kafka: ", topic, " cannot be read to its end"));
    }
    if (count % kTurn == 0 || !came) {
      co_await boost::asio::post(executor_, boost::asio::use_awaitable);
    }
  }
  co_return absl::OkStatus();
}

}  // namespace tollbridge::kafka
