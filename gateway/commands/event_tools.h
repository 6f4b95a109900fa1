#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_EVENT_TOOLS_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_EVENT_TOOLS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/system/system_clock.h"
#include "adapters/system/system_rng.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "base/telemetry/metrics.h"
#include "gateway/config/config.h"
#include "gateway/config/secrets.h"
#include "gateway/wiring/stores.h"
#include "services/domain/project.h"
#include "services/ports/clock.h"

/// What the commands that look at all events have in common.
namespace tollbridge::gateway {

/// Stores on an io_context of their own.
struct EventTools {
  boost::asio::io_context context{1};
  telemetry::Metrics metrics;
  system::SystemClock clock;
  system::SystemRng rng;
  std::unique_ptr<ShardStores> stores;
};

/// Makes the stores; they connect when the context runs. `projects` outlive them.
absl::Status OpenStores(const Config& config, const Secrets& secrets,
                        const domain::Projects& projects, EventTools& tools);

/// Waits until the stores of these projects answer. UNAVAILABLE when one does not.
AsyncStatus AwaitStores(ShardStores& stores, const std::vector<const domain::Project*>& projects);

/// Those that are configured, or the one of that name. INVALID_ARGUMENT, naming the option, for one
/// that is not.
absl::StatusOr<std::vector<const domain::Project*>> ChosenProjects(const std::string& name,
                                                                   const domain::Projects& all);

/// The time that an option says, as TimeOption; nullopt for an empty one.
absl::StatusOr<std::optional<WallTime>> OptionalTime(std::string_view option,
                                                     const std::string& text, WallTime now);

/// How far it is, on stderr, each 5 s.
class Progress {
 public:
  void operator()(std::string_view what, std::uint64_t count);

 private:
  std::optional<BootTime> told_;
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_EVENT_TOOLS_H_
