#ifndef TOLLBRIDGE_SERVICES_RECONCILE_OUTBOX_DRAINER_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_OUTBOX_DRAINER_H_

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/core/async.h"
#include "base/core/side_by_side.h"
#include "base/telemetry/metrics.h"
#include "services/ports/clock.h"
#include "services/ports/operation_outbox.h"
#include "services/reconcile/settings.h"

namespace tollbridge::reconcile {

/// Brings the transitions of operations to the operations topic
/// (docs/design/operations.md#records-for-audit): those of one operation in their order, each after
/// the delivery report of the one before, and only then out of the outbox. So none is lost, and a
/// repeat is an exact copy. Has what was closed for long enough retired, too. Several processes may
/// run one: one of them is at work on a project. One shard.
class OutboxDrainer : public std::enable_shared_from_this<OutboxDrainer> {
 public:
  /// All outlive the drainer and what it started: they go after the shard has stopped.
  struct Ports {
    ports::OperationOutbox& outbox;
    ports::OperationLog& log;
    ports::Clock& clock;
    telemetry::Metrics& metrics;
  };

  static std::shared_ptr<OutboxDrainer> Create(const Ports& ports, const DrainerSettings& settings);

  /// Drains a project's until Stop; ends at most one interval later, or when what is under way has
  /// ended. While the outbox or the topic is away it asks less and less often, for one transition
  /// only.
  boost::asio::awaitable<void> Run(std::string project);
  /// Nothing further is taken.
  void Stop() { stopping_ = true; }
  /// Takes up to `limit` transitions of the project and drains them. How many were drained.
  /// UNAVAILABLE when the outbox or the topic is not there: what is not drained comes again.
  Async<std::size_t> DrainOnce(const std::string& project, std::size_t limit);

 private:
  OutboxDrainer(const Ports& ports, const DrainerSettings& settings)
      : ports_(ports), settings_(settings) {}

  using Records = std::vector<ports::UndrainedRecord>;
  /// Brings those of one operation to the topic, and puts them into `delivered`; says in `away`
  /// what all need and is not there. False after that: nothing further is begun.
  Turn Deliver(Records records, Records& delivered, absl::Status& away);
  ports::Context MakeContext() const;

  Ports ports_;
  DrainerSettings settings_;
  bool stopping_ = false;
};

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_OUTBOX_DRAINER_H_
