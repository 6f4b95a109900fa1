#include "gateway/wiring/health_monitor.h"

#include "base/telemetry/log.h"

namespace tollbridge::gateway {
namespace {

constexpr ports::Millis kInterval{1000};

}  // namespace

HealthMonitor::HealthMonitor(ports::Clock* clock, std::vector<HealthProbe> probes,
                             SetServing set_serving)
    : clock_(clock), probes_(std::move(probes)), set_serving_(std::move(set_serving)) {}

boost::asio::awaitable<void> HealthMonitor::Run(std::function<void()> each_time) {
  while (!stopping_) {
    for (const HealthProbe& probe : probes_) {
      const bool healthy = co_await probe.healthy();
      if (stopping_) co_return;
      const auto told = told_.find(probe.name);
      if (told != told_.end() && told->second == healthy) continue;
      told_[probe.name] = healthy;
      set_serving_(probe.name, healthy);
      telemetry::Log(healthy ? telemetry::Severity::kInfo : telemetry::Severity::kWarning,
                     "health_changed", {{"name", probe.name}, {"serving", healthy}});
    }
    each_time();
    co_await clock_->SleepUntilTick(kInterval);
  }
}

bool HealthMonitor::serving(std::string_view name) const {
  const auto told = told_.find(name);
  return told != told_.end() && told->second;
}

}  // namespace tollbridge::gateway
