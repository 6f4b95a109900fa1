#ifndef TOLLBRIDGE_SERVICES_RECONCILE_SEARCH_SWEEP_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_SEARCH_SWEEP_H_

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/core/async.h"
#include "base/core/backoff.h"
#include "base/core/side_by_side.h"
#include "base/core/uuid.h"
#include "base/telemetry/metrics.h"
#include "services/domain/project.h"
#include "services/ports/clock.h"
#include "services/ports/due_queue.h"
#include "services/ports/hint_log.h"
#include "services/ports/known_orders.h"
#include "services/ports/payment_service.h"
#include "services/ports/rng.h"
#include "services/ports/sweep_state.h"
#include "services/reconcile/pace.h"
#include "services/reconcile/sweep_plan.h"

namespace tollbridge::reconcile {

/// Finds orders that nobody told of, through the payment service's search, and writes a hint for
/// each whose snapshot may be out of date (docs/design/events.md#reconciliation). Such an order is
/// due, too, for a hint that nobody reads. The search is a reason to look, never the truth.
/// Progress is saved after each page, when its hints were acknowledged, so that whoever dies loses
/// nothing and goes on where it was. One process sweeps a project at a time. Memory: one page a
/// project. One shard.
class SearchSweep : public std::enable_shared_from_this<SearchSweep> {
 public:
  /// All outlive the sweep and what it started: they go after the shard has stopped.
  struct Ports {
    ports::PaymentService& payment_service;
    ports::KnownOrders& known_orders;
    ports::SweepState& state;
    ports::DueQueue& due_queue;
    ports::HintLog& hint_log;
    ports::Clock& clock;
    ports::Rng& rng;
    telemetry::Metrics& metrics;
  };

  static std::shared_ptr<SearchSweep> Create(const Ports& ports, const SweepSettings& settings);

  /// Sweeps one project until Stop; runs beside those of other projects, which share the pace. What
  /// fails is tried again, less and less often, and holds up no other project.
  boost::asio::awaitable<void> Run(const domain::Project& project);
  /// Begins no further page.
  void Stop() { stopping_ = true; }
  /// Brings what is due or under way to its end, if no other process is at it. How long
  /// until the next look. An error of the search, the store or the hint log: what was done before
  /// it stays done.
  Async<ports::Millis> Look(const domain::Project& project);

 private:
  struct Work;
  /// An order that the search shows, and what is known of it.
  struct Found {
    Uuid order;
    ports::KnownOrder known;
  };

  SearchSweep(const Ports& ports, const SweepSettings& settings);

  /// Shows when the last pass ended, as the store has it.
  void Measure(const domain::Project& project, const storage::v1::SweepProgress& progress) const;
  /// Measures the same of a project that another process sweeps.
  boost::asio::awaitable<void> MeasureOthers(const domain::Project& project);
  AsyncStatus Sweep(Work& work);
  /// Returns when the next page may be asked for, or the next hint written.
  AsyncStatus TakeTurn(Work& work, Pace& pace) { return WaitUntil(work, pace.Book()); }
  /// Keeps the lease meanwhile; two thirds of it are left then at least.
  AsyncStatus WaitUntil(Work& work, BootTime time);
  AsyncStatus SweepPage(Work& work, SweepPlace place);
  AsyncStatus HintAll(Work& work, storage::v1::SweepPass& pass,
                      const common::v1::OrderSearchResult& page);
  /// Orders that the search cannot show are each looked at by themselves, unless they were before.
  AsyncStatus HintUnreadable(Work& work, storage::v1::SweepPass& pass,
                             const common::v1::OrderSearchResult& page);
  /// Of several at once, none of which waits for another's acknowledgement. The first error; what
  /// was begun before it has ended.
  AsyncStatus HintThese(Work& work, storage::v1::SweepPass& pass, const std::vector<Found>& found);
  Turn HintOr(Work& work, storage::v1::SweepPass& pass, const Found& found, absl::Status& failure);
  AsyncStatus Hint(Work& work, const storage::v1::SweepPass& pass, const Found& found);
  /// Keeps the lease where a third of it is over.
  AsyncStatus KeepInTime(Work& work);
  /// Saves the progress and keeps the lease. ABORTED when the project is no longer ours, or the
  /// store went back and takes no progress of before.
  AsyncStatus Keep(Work& work);
  Backoff MakeBackoff() const;
  /// `query`: the page that failed is one of it.
  void ReportFailure(const domain::Project& project, const absl::Status& failure,
                     const std::string& query = {}) const;
  void ReportEnd(const domain::Project& project, const storage::v1::SweepPass& pass) const;
  ports::Context MakeContext(ports::Millis timeout) const;

  Ports ports_;
  SweepSettings settings_;
  /// Names this process as the one that has a project.
  std::string token_;
  Pace pages_;
  Pace hints_;
  bool stopping_ = false;
};

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_SEARCH_SWEEP_H_
