#ifndef TOLLBRIDGE_SERVICES_RECONCILE_OUTBOX_DRAINER_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_OUTBOX_DRAINER_H_

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/async.h"
#include "base/core/side_by_side.h"
#include "base/telemetry/metrics.h"
#include "services/ports/clock.h"
#include "services/ports/operation_outbox.h"
#include "services/ports/refused_calls.h"
#include "services/reconcile/settings.h"

namespace tollbridge::reconcile {

/// Brings the transitions of operations to the operations topic
/// (docs/design/operations.md#records-for-audit): those of one operation in their order, each after
/// the delivery report of the one before, and only then out of the outbox. So none is lost, and a
/// repeat is an exact copy. Has what was closed for long enough retired, too. Several processes may
/// run one: one of them is at work on a project.
///
/// Brings refused calls there as well, in a loop of their own: neither holds up the other. One
/// shard.
class OutboxDrainer : public std::enable_shared_from_this<OutboxDrainer> {
 public:
  /// All outlive the drainer and what it started: they go after the shard has stopped.
  struct Ports {
    ports::OperationOutbox& outbox;
    ports::RefusedCalls& refused_calls;
    ports::OperationLog& log;
    ports::Clock& clock;
    telemetry::Metrics& metrics;
  };

  static std::shared_ptr<OutboxDrainer> Create(const Ports& ports, const DrainerSettings& settings);

  /// Drains a project's until Stop; ends at most one interval later, or when what is under way has
  /// ended. While the outbox or the topic is away it asks less and less often, for one transition
  /// only.
  boost::asio::awaitable<void> Run(std::string project);
  /// The same with the project's refused calls.
  boost::asio::awaitable<void> RunRefused(std::string project);
  /// Nothing further is taken.
  void Stop() { stopping_ = true; }
  /// Takes up to `limit` transitions of the project and drains them. How many were drained.
  /// UNAVAILABLE when the outbox or the topic is not there: what is not drained comes again.
  Async<std::size_t> DrainOnce(const std::string& project, std::size_t limit);
  /// Drains the project's refused calls, up to `limit` at a time; what the topic does not take is
  /// passed over and stays. UNAVAILABLE as DrainOnce.
  AsyncStatus DrainRefused(const std::string& project, std::size_t limit);

 private:
  OutboxDrainer(const Ports& ports, const DrainerSettings& settings)
      : ports_(ports), settings_(settings) {}

  using Records = std::vector<ports::UndrainedRecord>;
  /// With how many at a time it works; whether there is more.
  using Pass = std::function<Async<bool>(std::size_t limit)>;
  /// Makes passes until Stop; `event` is logged of one that fails.
  boost::asio::awaitable<void> Repeat(std::string project, std::string_view event, Pass pass);
  Async<bool> DrainAndRetire(const std::string& project, std::size_t limit);
  /// Brings those of one operation to the topic, and puts them into `delivered`; says in `away`
  /// what all need and is not there. False after that: nothing further is begun.
  Turn Deliver(Records records, Records& delivered, absl::Status& away);
  /// What became of a page of refused calls.
  struct Delivery {
    Records delivered;
    /// Of one that the topic never takes.
    absl::Status refusal;
    /// What all need and is not there.
    absl::Status away;
  };
  /// Brings one to the topic. False once something is away: nothing further is begun.
  Turn DeliverRefused(const ports::UndrainedRecord& call, Delivery& delivery);
  ports::Context MakeContext() const;

  Ports ports_;
  DrainerSettings settings_;
  bool stopping_ = false;
};

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_OUTBOX_DRAINER_H_
