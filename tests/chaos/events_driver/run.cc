#include "tests/chaos/events_driver/run.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <utility>

#include "tests/chaos/events_auditor/history_file.h"
#include "tests/chaos/events_driver/disturbances.h"
#include "tests/chaos/events_driver/faults.h"
#include "tests/chaos/events_driver/merchants.h"
#include "tests/support/process.h"

namespace tollbridge::pipeline {
namespace {

constexpr std::chrono::seconds kProgressEvery{5};
/// A card whose issuer takes its time is approved after 30 s.
constexpr std::chrono::seconds kLongestChange{45};
constexpr Millis kBetweenAudits{3'000};
/// Of the orders: then readers go away.
constexpr std::size_t kAwayAfterPercent = 60;
constexpr TimeMs kSlack = 10'000;
constexpr TimeMs kSlackOfTests = 60'000;

void WaitFor(Millis time) {
  test::Eventually([] { return false; }, time);
}

}  // namespace

EventsRun::EventsRun(const Options& options, Say say)
    : options_(options),
      say_(std::move(say)),
      folder_(chaos::MakeRunFolder(options.folder)),
      calls_(folder_, file::kCalls),
      disturbed_(folder_, file::kDisturbances),
      stillness_(&disturbed_),
      begun_(Clock::now()),
      cluster_(options),
      collector_(&cluster_),
      backlog_(cluster_.stack()) {
  if (options_.ledgers) ledgers_ = std::make_unique<Ledgers>(&cluster_, folder_);
  cluster_.KeepBrokerLogs(folder_);
  const test::KafkaCluster* brokers = cluster_.brokers();
  if (brokers != nullptr && brokers->small_disk() == test::KafkaCluster::kBrokers) {
    say_("no disk can be mounted here: that of a broker never gets full");
  }
}

std::string EventsRun::Seconds() const {
  return std::to_string(
             std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun_).count()) +
         " s";
}

Report EventsRun::Go(const std::function<bool()>& meanwhile) {
  say_(std::to_string(options_.orders) + " orders, seed " + std::to_string(options_.seed) +
       ", files in " + folder_);
  Drive(meanwhile);
  Report report = Settle();
  std::ofstream(std::filesystem::path(folder_) / "report.txt")
      << Text(report, 0) << LastLine(report) << "\n";
  cluster_.WriteLogs(folder_);
  return report;
}

void EventsRun::Drive(const std::function<bool()>& meanwhile) {
  std::optional<Disturbances> disturbances;
  if (options_.disturbed) {
    disturbances.emplace(&cluster_, ledgers_.get(), options_, &disturbed_);
  } else {
    cluster_.stack().SandboxFaults(FaultPlan(options_, cluster_.intervals(), 1, {}));
  }
  Merchants merchants(&cluster_, options_, &calls_);
  if (meanwhile) merchants.KeepUp();
  Clock::time_point told = Clock::now();
  const auto is_over = [&] {
    return merchants.ended() && !(disturbances && disturbances->readers_are_away());
  };
  while (!test::Eventually(is_over, Millis(50))) {
    if (disturbances) {
      if (merchants.begun() >= options_.orders * kAwayAfterPercent / 100) {
        disturbances->SendReadersAway();
      }
      disturbances->Step();
    }
    if (ledgers_) ledgers_->Step(!disturbances || disturbances->kafka_is_there());
    if (meanwhile && !meanwhile()) merchants.Release();
    if (options_.is_long()) {
      backlog_.Look();
      merchants.SlowDown(backlog_.is_long());
    }
    if (Clock::now() - told < kProgressEvery) continue;
    told = Clock::now();
    say_(Seconds() + ": " + std::to_string(merchants.over()) + " of " +
         std::to_string(options_.orders) + " over, " +
         std::to_string(merchants.begun() - merchants.over()) + " under way" +
         (disturbances ? "; now: " + disturbances->now() : "") +
         (backlog_.of_most() ? "; behind by " + std::to_string(*backlog_.of_most()) : ""));
  }
  if (disturbances) {
    disturbances->End();
    for (const auto& [name, count] : disturbances->counts()) {
      say_(std::to_string(count) + " times: " + name);
    }
  }
  calls_.Flush();
  disturbed_.Flush();
  say_("all orders have had what happens to them after " + Seconds());
}

Report EventsRun::CollectAndAudit(const AuditOptions& options) {
  collector_.Collect(folder_);
  disturbed_.Flush();
  return Audit(ReadHistory(folder_), options);
}

bool EventsRun::WaitForBacklog(Clock::time_point limit) {
  return test::Eventually(
      [&] {
        backlog_.Look();
        return backlog_.is_done();
      },
      std::chrono::duration_cast<Millis>(limit - Clock::now()));
}

Report EventsRun::Settle() {
  test::Eventually(
      [&] {
        WaitFor(Millis(1'000));
        return !collector_.ChangesAreComing();
      },
      kLongestChange);
  say_("nothing changes any more after " + Seconds());
  const Clock::time_point until = Clock::now() + cluster_.intervals().settle;
  // Each audit reads all that there is, for as long as readers would need to come to the end.
  if (options_.is_long()) {
    say_(WaitForBacklog(until) ? "hints are finished after " + Seconds()
                               : "readers are still behind");
  }
  const AuditOptions options{
      .read_lag = options_.disturbed ? Millis(cluster_.intervals().read_lag).count() : 0,
      .intervals = cluster_.intervals().polls,
      // Where nothing is disturbed on purpose, only the machine is slow.
      .slack = options_.disturbed ? kSlack : kSlackOfTests};
  Report report;
  while (true) {
    report = CollectAndAudit(options);
    const std::size_t lost = report.Count("lost");
    const std::size_t not_vouched_for = report.figures.at(kNotVouchedFor);
    if ((lost == 0 && not_vouched_for == 0) || Clock::now() >= until) break;
    say_(Seconds() + ": " + std::to_string(lost) + " not published, " +
         std::to_string(not_vouched_for) + " not vouched for yet");
    WaitFor(kBetweenAudits);
  }
  if (ledgers_) {
    say_("consumers were started again " + std::to_string(ledgers_->restarts()) + " times");
    ledgers_->Collect();
    // They have read what was published since.
    report = CollectAndAudit(options);
  }
  say_("audited after " + Seconds());
  return report;
}

}  // namespace tollbridge::pipeline
