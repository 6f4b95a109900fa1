#include "gateway/wiring/events.h"

#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include "adapters/kafka/dead_letter_log.h"
#include "adapters/kafka/event_log.h"
#include "adapters/kafka/operation_log.h"
#include "base/core/must_go_on.h"
#include "base/core/status_macros.h"
#include "base/telemetry/metric_definitions.h"
#include "gateway/config/topic_specs.h"

namespace tollbridge::gateway {

BackgroundLoops::BackgroundLoops(const Dependencies& dependencies)
    : with_(dependencies),
      event_log_(std::make_unique<kafka::KafkaEventLog>(
          with_.producer, with_.config.kafka.events_topic, with_.config.kafka.partitions)),
      dead_letters_(std::make_unique<kafka::KafkaDeadLetterLog>(
          with_.producer, with_.config.kafka.dead_letter_topic, with_.config.kafka.hints_topic)),
      operation_log_(std::make_unique<kafka::KafkaOperationLog>(
          with_.producer, with_.config.kafka.operations_topic)) {}

absl::Status BackgroundLoops::StartEvents(KafkaClients& kafka) {
  ShardParts& parts = with_.parts;
  const boost::asio::any_io_executor executor = with_.shard.executor();
  TB_ASSIGN_OR_RETURN(hint_feed_, kafka::KafkaHintFeed::Create(
                                      {.client = kafka.settings(),
                                       .topic = with_.config.kafka.hints_topic,
                                       .group = with_.config.kafka.group,
                                       .instance_id = with_.config.kafka.static_membership
                                                          ? with_.config.process.name
                                                          : std::string(),
                                       .session_timeout = with_.config.kafka.session_timeout,
                                       .metrics = &with_.metrics},
                                      executor));
  kafka.Add("feed", [feed = hint_feed_.get()](kafka::ClientSettings settings) {
    return feed->Renew(std::move(settings));
  });
  for (const domain::Project& project : with_.projects.all()) {
    for (const std::string_view result : telemetry::kReadResults) {
      with_.metrics.Get(telemetry::kReads, {result, project.name});
    }
  }
  events::Settings settings = with_.config.events;
  settings.topics = EventTopics(with_.config);
  settings.hint_partitions = static_cast<std::size_t>(with_.config.kafka.partitions);
  reader_service_ =
      parts.make_client([this](std::string_view project) { reader_->NoteRepeat(project); });
  reader_ =
      std::make_unique<events::Reader>(events::Reader::Ports{.payment_service = *reader_service_,
                                                             .snapshots = parts.stores->snapshots(),
                                                             .registry = parts.stores->registry(),
                                                             .event_log = *event_log_,
                                                             .hint_log = with_.hint_log,
                                                             .clock = parts.clock,
                                                             .rng = parts.rng,
                                                             .metrics = with_.metrics},
                                       settings);
  hint_handler_ = std::make_unique<events::HintHandler>(
      events::HintHandler::Ports{.reader = *reader_,
                                 .snapshots = parts.stores->snapshots(),
                                 .due_queue = parts.stores->due_queue(),
                                 .dead_letters = *dead_letters_,
                                 .clock = parts.clock,
                                 .metrics = with_.metrics},
      with_.config.events);
  hint_loop_ = events::HintLoop::Create(executor,
                                        events::HintLoop::Ports{.feed = *hint_feed_,
                                                                .handler = *hint_handler_,
                                                                .clock = parts.clock,
                                                                .projects = with_.projects},
                                        settings);
  // The feed is used on its shard only, so it joins the group from there.
  const absl::Status joined =
      RunOn(with_.shard, [](std::shared_ptr<events::HintLoop> loop) -> AsyncStatus {
        co_return loop->Start();
      }(hint_loop_));
  TB_RETURN_IF_ERROR(joined);
  with_.metrics.OnCollect([loop = hint_loop_, clock = &parts.clock](telemetry::Metrics& metrics) {
    const std::optional<WallTime> oldest = loop->OldestHint();
    const std::chrono::duration<double> age =
        oldest ? clock->WallNow() - *oldest : ports::Millis::zero();
    metrics.Get(telemetry::kOldestHint).Set(age.count());
  });
  boost::asio::co_spawn(executor, hint_loop_->Run(), MustGoOn{});
  return StartHeartbeats(kafka, settings);
}

absl::Status BackgroundLoops::StartHeartbeats(KafkaClients& kafka,
                                              const events::Settings& settings) {
  if (settings.heartbeat_interval == ports::Millis::zero()) return absl::OkStatus();
  ShardParts& parts = with_.parts;
  TB_ASSIGN_OR_RETURN(heartbeat_log_, kafka::KafkaHeartbeatLog::Create(
                                          {.client = kafka.settings(),
                                           .hints_topic = with_.config.kafka.hints_topic,
                                           .group = with_.config.kafka.group},
                                          with_.producer));
  kafka.Add("heartbeats", [log = heartbeat_log_.get()](kafka::ClientSettings changed) {
    return log->Renew(std::move(changed));
  });
  heartbeats_ =
      events::Heartbeats::Create(events::Heartbeats::Ports{.log = *heartbeat_log_,
                                                           .feed = *hint_feed_,
                                                           .snapshots = parts.stores->snapshots(),
                                                           .clock = parts.clock,
                                                           .rng = parts.rng,
                                                           .metrics = with_.metrics,
                                                           .projects = with_.projects},
                                 settings);
  boost::asio::co_spawn(with_.shard.executor(), heartbeats_->Run(), MustGoOn{});
  return absl::OkStatus();
}

void BackgroundLoops::StartReconcile() {
  ShardParts& parts = with_.parts;
  const boost::asio::any_io_executor executor = with_.shard.executor();
  const reconcile::Settings& config = with_.config.reconcile;
  poller_ = reconcile::DuePoller::Create(
      reconcile::DuePoller::Ports{.due_queue = parts.stores->due_queue(),
                                  .hint_log = with_.hint_log,
                                  .clock = parts.clock,
                                  .metrics = with_.metrics},
      with_.projects, config.poller);
  drainer_ = reconcile::OutboxDrainer::Create(
      reconcile::OutboxDrainer::Ports{.outbox = parts.stores->outbox(),
                                      .refused_calls = parts.stores->refused_calls(),
                                      .log = *operation_log_,
                                      .clock = parts.clock,
                                      .metrics = with_.metrics},
      config.drainer);
  outbox_gauges_ = reconcile::OutboxGauges::Create(
      {.snapshots = parts.stores->snapshots(), .clock = parts.clock, .metrics = with_.metrics});
  for (const domain::Project& project : with_.projects.all()) {
    boost::asio::co_spawn(executor, outbox_gauges_->Run(project.name), MustGoOn{});
    boost::asio::co_spawn(executor, poller_->Run(project.name), MustGoOn{});
    boost::asio::co_spawn(executor, drainer_->Run(project.name), MustGoOn{});
    boost::asio::co_spawn(executor, drainer_->RunRefused(project.name), MustGoOn{});
  }
  StartSweep();
}

void BackgroundLoops::StartSweep() {
  ShardParts& parts = with_.parts;
  reconcile::SweepSettings settings = with_.config.reconcile.sweep;
  settings.index_lag = with_.config.operations.settings.search_index_lag;
  settings.baseline_window = with_.config.events.baseline_window;
  settings.take_again_after = with_.config.reconcile.poller.take_again_after;
  sweep_ = reconcile::SearchSweep::Create(
      reconcile::SearchSweep::Ports{.payment_service = *parts.payment_service,
                                    .known_orders = parts.stores->known_orders(),
                                    .state = parts.stores->sweep_state(),
                                    .due_queue = parts.stores->due_queue(),
                                    .hint_log = with_.hint_log,
                                    .clock = parts.clock,
                                    .rng = parts.rng,
                                    .metrics = with_.metrics},
      settings);
  for (const domain::Project& project : with_.projects.all()) {
    boost::asio::co_spawn(with_.shard.executor(), sweep_->Run(project), MustGoOn{});
  }
}

bool BackgroundLoops::Stop(BootTime deadline) {
  // All of these are our own doing, and can be stopped between two steps.
  RunOn(with_.shard, [](BackgroundLoops* self) -> boost::asio::awaitable<void> {
    if (self->poller_) self->poller_->Stop();
    if (self->drainer_) self->drainer_->Stop();
    if (self->sweep_) self->sweep_->Stop();
    if (self->outbox_gauges_) self->outbox_gauges_->Stop();
    if (self->heartbeats_) self->heartbeats_->Stop();
    co_return;
  }(this));
  return !hint_loop_ || RunOn(with_.shard, hint_loop_->Stop(deadline)).ok();
}

}  // namespace tollbridge::gateway
