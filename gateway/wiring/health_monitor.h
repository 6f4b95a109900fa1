#ifndef TOLLBRIDGE_GATEWAY_WIRING_HEALTH_MONITOR_H_
#define TOLLBRIDGE_GATEWAY_WIRING_HEALTH_MONITOR_H_

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/ports/clock.h"

namespace tollbridge::gateway {

/// A name of grpc.health.v1 and what it follows.
struct HealthProbe {
  std::string_view name;
  /// Ends within the interval. On the monitor's shard.
  std::function<boost::asio::awaitable<bool>()> healthy;
};

/// Tells the health service what shared dependencies allow
/// (docs/architecture.md#published-services). The name "" is not among the probes: a process does
/// not fall for a shared dependency.
class HealthMonitor {
 public:
  using SetServing = std::function<void(std::string_view name, bool serving)>;

  /// `clock` outlives the monitor.
  HealthMonitor(ports::Clock* clock, std::vector<HealthProbe> probes, SetServing set_serving);

  /// Looks at each full second of the boot clock, until Stop; runs `each_time` with every look.
  boost::asio::awaitable<void> Run(std::function<void()> each_time);
  void Stop() { stopping_ = true; }
  /// What it last saw of a probe; false before that. On its shard.
  bool serving(std::string_view name) const;

 private:
  ports::Clock* clock_;
  std::vector<HealthProbe> probes_;
  SetServing set_serving_;
  std::map<std::string_view, bool> told_;
  bool stopping_ = false;
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_HEALTH_MONITOR_H_
