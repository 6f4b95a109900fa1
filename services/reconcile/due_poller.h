#ifndef TOLLBRIDGE_SERVICES_RECONCILE_DUE_POLLER_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_DUE_POLLER_H_

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/telemetry/metrics.h"
#include "services/domain/project.h"
#include "services/ports/clock.h"
#include "services/ports/due_queue.h"
#include "services/ports/hint_log.h"
#include "services/reconcile/settings.h"

namespace tollbridge::reconcile {

/// Writes a hint for each order that is due (docs/design/events.md#reconciliation). Never sets a
/// due time of its own: only the reader does, so that a poller that dies loses nothing. While
/// nobody reads an order its hints come ever more rarely. Several may run. One shard.
class DuePoller : public std::enable_shared_from_this<DuePoller> {
 public:
  /// All outlive the poller and what it started: they go after the shard has stopped.
  struct Ports {
    ports::DueQueue& due_queue;
    ports::HintLog& hint_log;
    ports::Clock& clock;
    telemetry::Metrics& metrics;
  };

  static std::shared_ptr<DuePoller> Create(const Ports& ports, const domain::Projects& projects,
                                           const PollerSettings& settings);

  /// Polls for a project until Stop; ends at most one interval later. None waits for another's.
  boost::asio::awaitable<void> Run(std::string project);
  /// No further order is taken.
  void Stop() { stopping_ = true; }
  /// Each project's Run has looked at its queue, with whatever success.
  bool has_polled() const { return polled_.size() == projects_; }
  /// Takes what of the project is due now, a second's share at most, and writes the hints. How many
  /// were taken.
  /// UNAVAILABLE when the queue or the log is not there: the orders are put back, at the latest
  /// they come again after take_again_after, or longer where nobody has read them before.
  Async<std::size_t> PollOnce(const std::string& project);

 private:
  DuePoller(const Ports& ports, const domain::Projects& projects, const PollerSettings& settings);

  AsyncStatus Hint(const ports::DueOrder& due);
  /// Whether it is hinted at; else says why, and adds it to those that are put back.
  boost::asio::awaitable<bool> HintOr(const ports::DueOrder& due, absl::Status& away,
                                      std::vector<ports::DueOrder>& refused);
  /// Undoes the taking, so that nobody waits for take_again_after when the log was away.
  boost::asio::awaitable<void> PutBack(std::span<const ports::DueOrder> orders);
  /// Shows how long the order that is most overdue has not been read.
  AsyncStatus MeasureOldest(const std::string& project);
  /// Shows the oldest of all; without `waiting` that of the project is not known.
  void ShowOldest(const std::string& project, std::optional<ports::Millis> waiting);
  ports::Context MakeContext() const;

  Ports ports_;
  std::size_t projects_;
  PollerSettings settings_;
  /// By how much an order is moved each time that it is taken and nobody has read it.
  std::vector<ports::Millis> moves_;
  bool stopping_ = false;
  std::set<std::string> polled_;
  std::map<std::string, ports::Millis> waiting_;
};

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_DUE_POLLER_H_
