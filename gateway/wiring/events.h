#ifndef TOLLBRIDGE_GATEWAY_WIRING_EVENTS_H_
#define TOLLBRIDGE_GATEWAY_WIRING_EVENTS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "adapters/kafka/heartbeat_log.h"
#include "adapters/kafka/hint_feed.h"
#include "adapters/kafka/producer.h"
#include "base/core/boot_clock.h"
#include "gateway/config/config.h"
#include "gateway/wiring/kafka.h"
#include "gateway/wiring/shard.h"
#include "services/events/heartbeats.h"
#include "services/events/hint_handler.h"
#include "services/events/hint_loop.h"
#include "services/events/reader.h"
#include "services/ports/event_log.h"
#include "services/ports/hint_log.h"
#include "services/ports/operation_outbox.h"
#include "services/ports/payment_service.h"
#include "services/reconcile/due_poller.h"
#include "services/reconcile/outbox_drainer.h"
#include "services/reconcile/outbox_gauges.h"
#include "services/reconcile/search_sweep.h"

namespace tollbridge::gateway {

/// The loops of the roles events and reconcile. They live on one shard; what they are made from
/// outlives them.
class BackgroundLoops {
 public:
  struct Dependencies {
    const Config& config;
    const domain::Projects& projects;
    telemetry::Metrics& metrics;
    Shard& shard;
    ShardParts& parts;
    kafka::Producer& producer;
    ports::HintLog& hint_log;
  };

  explicit BackgroundLoops(const Dependencies& dependencies);

  /// Role events: hints to domain events. Joins the consumer group.
  absl::Status StartEvents(KafkaClients& kafka);
  /// Role reconcile: the due poller, the search sweep, the drainer of operation records, and what
  /// shows the outboxes of events.
  void StartReconcile();
  /// After StartEvents: the consumer group has taken this process in. On the shard.
  bool in_group() const { return hint_feed_->member(); }
  /// After StartReconcile: the due poller has begun its work. On the shard.
  bool has_polled() const { return poller_->has_polled(); }
  /// Whether all ended in time. Not on a shard.
  bool Stop(BootTime deadline);

 private:
  absl::Status StartHeartbeats(KafkaClients& kafka, const events::Settings& settings);
  void StartSweep();

  Dependencies with_;
  std::unique_ptr<ports::EventLog> event_log_;
  std::unique_ptr<ports::DeadLetterLog> dead_letters_;
  std::unique_ptr<ports::OperationLog> operation_log_;
  std::unique_ptr<kafka::KafkaHintFeed> hint_feed_;
  /// The reader's own client, since its repeats count against its budget.
  std::unique_ptr<ports::PaymentService> reader_service_;
  std::unique_ptr<events::Reader> reader_;
  std::unique_ptr<events::HintHandler> hint_handler_;
  std::shared_ptr<events::HintLoop> hint_loop_;
  std::unique_ptr<kafka::KafkaHeartbeatLog> heartbeat_log_;
  std::shared_ptr<events::Heartbeats> heartbeats_;
  std::shared_ptr<reconcile::DuePoller> poller_;
  std::shared_ptr<reconcile::OutboxDrainer> drainer_;
  std::shared_ptr<reconcile::OutboxGauges> outbox_gauges_;
  std::shared_ptr<reconcile::SearchSweep> sweep_;
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_EVENTS_H_
