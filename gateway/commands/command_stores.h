#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_COMMAND_STORES_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_COMMAND_STORES_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "adapters/system/system_clock.h"
#include "adapters/system/system_rng.h"
#include "base/core/async.h"
#include "base/telemetry/metrics.h"
#include "gateway/config/config.h"
#include "gateway/config/secrets.h"
#include "gateway/wiring/stores.h"
#include "services/domain/project.h"

namespace tollbridge::gateway {

/// The stores of a command that asks them itself, on an io_context of their own.
struct CommandStores {
  boost::asio::io_context context{1};
  telemetry::Metrics metrics;
  system::SystemClock clock;
  system::SystemRng rng;
  std::unique_ptr<ShardStores> stores;
};

/// Makes the stores; they connect when the context runs. `projects` outlive them.
absl::Status OpenStores(const Config& config, const Secrets& secrets,
                        const domain::Projects& projects, CommandStores& opened);

/// Waits until the stores of these projects answer, each for so long at most. UNAVAILABLE when one
/// does not.
AsyncStatus AwaitStores(ShardStores& stores, const std::vector<const domain::Project*>& projects,
                        std::chrono::milliseconds limit);

/// Those that are configured, or the one of that name. INVALID_ARGUMENT, naming the option, for one
/// that is not.
absl::StatusOr<std::vector<const domain::Project*>> ChosenProjects(const std::string& name,
                                                                   const domain::Projects& all);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_COMMAND_STORES_H_
