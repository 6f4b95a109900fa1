#include "services/events/heartbeats.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/core/status_macros.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/timestamps.h"
#include "services/events/event_builder.h"

namespace tollbridge::events {

using boost::asio::awaitable;
using ports::Millis;

namespace {

/// Whose owner makes the heartbeats.
constexpr std::int32_t kFirstPartition = 0;
constexpr Millis kLookInterval = std::chrono::seconds(1);
constexpr Millis kPortTimeout = std::chrono::seconds(5);
/// Heartbeats under way at a time.
constexpr std::size_t kAtOnce = 16;

}  // namespace

Heartbeats::Heartbeats(const Ports& ports, const Settings& settings)
    : ports_(ports), settings_(settings) {
  for (const auto& [project, topics] : settings_.topics) {
    topics_.insert(topics.events.name);
    topics_.insert(topics.test_orders.name);
  }
}

std::shared_ptr<Heartbeats> Heartbeats::Create(const Ports& ports, const Settings& settings) {
  return std::shared_ptr<Heartbeats>(new Heartbeats(ports, settings));
}

ports::Context Heartbeats::MakeContext() const {
  return {.deadline = ports_.clock.BootNow() + kPortTimeout, .trace = {}};
}

awaitable<void> Heartbeats::Run() {
  const std::shared_ptr<Heartbeats> self = shared_from_this();
  const Millis interval = std::min(kLookInterval, settings_.heartbeat_interval);
  while (!stopping_) {
    co_await LookOnce();
    if (!stopping_) co_await ports_.clock.Sleep(interval);
  }
}

awaitable<void> Heartbeats::LookOnce() {
  if (!ports_.feed.Owns(kFirstPartition)) {
    hints_.Restart();
    beat_after_.reset();
    co_return;
  }
  absl::Status status = co_await Advance();
  const BootTime now = ports_.clock.BootNow();
  if (!stopping_ && (!beat_after_ || now >= *beat_after_)) {
    beat_after_ = now + settings_.heartbeat_interval;
    status.Update(co_await Beat());
  }
  Note(status);
}

AsyncStatus Heartbeats::Advance() {
  const WallTime asked_at = ports_.clock.WallNow();
  absl::StatusOr<std::vector<ports::HintsProgress>> look = co_await ports_.log.Look(MakeContext());
  TB_CO_RETURN_IF_ERROR(look.status());
  hints_.Take(asked_at, *look);
  if (!hints_.before()) co_return absl::OkStatus();
  // Asked after the hints: an outbox that is saved later is that of a hint that was appended later.
  TB_CO_ASSIGN_OR_RETURN(const std::optional<WallTime> oldest, co_await OldestOutbox());
  WallTime before = *hints_.before() - settings_.heartbeat_margin;
  if (oldest) before = std::min(before, *oldest);
  published_before_ = std::max(published_before_.value_or(before), before);
  co_return absl::OkStatus();
}

Async<std::optional<WallTime>> Heartbeats::OldestOutbox() {
  std::optional<WallTime> oldest;
  for (const domain::Project& project : ports_.projects.all()) {
    TB_CO_ASSIGN_OR_RETURN(const ports::PendingOutboxes pending,
                           co_await ports_.snapshots.Pending(project.name, MakeContext()));
    if (pending.oldest) oldest = std::min(oldest.value_or(*pending.oldest), *pending.oldest);
  }
  co_return oldest;
}

AsyncStatus Heartbeats::Beat() {
  absl::Status status;
  for (const std::string& topic : topics_) status.Update(co_await BeatTopic(topic));
  co_return status;
}

AsyncStatus Heartbeats::BeatTopic(const std::string& topic) {
  TB_CO_ASSIGN_OR_RETURN(const std::int32_t partitions,
                         co_await ports_.log.CountPartitions(topic, MakeContext()));
  absl::Status failure;
  const auto beat = [&](std::size_t partition) { return BeatPartition(topic, partition, failure); };
  co_await SideBySide(static_cast<std::size_t>(partitions), kAtOnce, beat);
  co_return failure;
}

Turn Heartbeats::BeatPartition(const std::string& topic, std::size_t partition,
                               absl::Status& failure) {
  v1::Heartbeat heartbeat;
  if (published_before_) {
    *heartbeat.mutable_published_before() = domain::ToTimestamp(*published_before_);
  }
  *heartbeat.mutable_made_at() = domain::ToTimestamp(ports_.clock.WallNow());
  *heartbeat.mutable_interval() = google::protobuf::util::TimeUtil::MillisecondsToDuration(
      settings_.heartbeat_interval.count());
  heartbeat.set_partition(static_cast<std::int32_t>(partition));
  const storage::v1::OutboxEntry entry = MakeHeartbeatEntry(
      heartbeat, ports_.rng.NewUuid(),
      {.encoding = settings_.encoding, .schema_id = settings_.schema_id, .topic = topic});
  const absl::Status written =
      co_await ports_.log.Append(entry, heartbeat.partition(), MakeContext());
  ports_.metrics.Get(telemetry::kHeartbeats, {written.ok() ? "written" : "failed"}).Increment();
  failure.Update(written);
  // The other partitions have leaders of their own.
  co_return true;
}

void Heartbeats::Note(const absl::Status& status) {
  if (status.ok() || !well_) {
    well_ = status.ok();
    return;
  }
  well_ = false;
  telemetry::Log(telemetry::Severity::kWarning, "heartbeats_held_back",
                 {{"cause", std::string(status.message())}});
}

}  // namespace tollbridge::events
