#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_RUN_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_RUN_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "tests/chaos/events_auditor/audit.h"
#include "tests/chaos/events_driver/backlog.h"
#include "tests/chaos/events_driver/cluster.h"
#include "tests/chaos/events_driver/collect.h"
#include "tests/chaos/events_driver/ledgers.h"
#include "tests/chaos/events_driver/options.h"
#include "tests/chaos/events_driver/stillness.h"
#include "tests/chaos/lines/json_lines.h"

namespace tollbridge::pipeline {

/// A run from the start of all processes to the audit. For one thread, which must live as long.
class EventsRun {
 public:
  using Say = std::function<void(const std::string&)>;

  /// Starts all processes. Throws std::runtime_error when one does not start.
  EventsRun(const Options& options, Say say);

  /// Lets everything happen, waits until nothing is pending, for a bounded time, and audits.
  /// `meanwhile` is called every few milliseconds while orders are under way, and says whether they
  /// are to go on.
  Report Go(const std::function<bool()>& meanwhile = {});

  Cluster& cluster() { return cluster_; }
  /// Where the files are that the auditor has read, and the processes' logs.
  const std::string& folder() const { return folder_; }

 private:
  using Clock = std::chrono::steady_clock;

  void Drive(const std::function<bool()>& meanwhile);
  Report Settle();
  /// Until readers have finished nearly all hints; false at the limit.
  bool WaitForBacklog(Clock::time_point limit);
  Report CollectAndAudit(const AuditOptions& options);
  std::string Seconds() const;

  Options options_;
  Say say_;
  std::string folder_;
  chaos::LineWriter calls_;
  chaos::LineWriter disturbed_;
  Stillness stillness_;
  Clock::time_point begun_;
  Cluster cluster_;
  Collector collector_;
  Backlog backlog_;
  std::unique_ptr<Ledgers> ledgers_;
};

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_RUN_H_
