#include "services/gateway/store_command.h"

#include <boost/asio/io_context.hpp>
#include <string>
#include <utility>
#include <vector>

#include "adapters/redis/connection.h"
#include "adapters/redis/operation_session.h"
#include "adapters/redis/operation_store.h"
#include "adapters/redis/server_check.h"
#include "adapters/system/system_rng.h"
#include "services/base/status_macros.h"
#include "services/gateway/adapter_settings.h"
#include "services/gateway/run_to_end.h"
#include "services/telemetry/metrics.h"

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::seconds kTimeout{5};

template <typename T, typename Use>
Async<T> UseConnection(redis::Connection& connection, Use use) {
  const BootTime deadline = BootClock::now() + kTimeout;
  const absl::Status ready = co_await connection.WaitReady(deadline);
  TB_CO_RETURN_IF_ERROR(ready);
  absl::StatusOr<T> result = co_await use(connection, deadline);
  connection.Stop();
  co_return result;
}

/// Runs `use`, which is given a connection and a deadline, on a connection of its own.
template <typename T, typename Use>
absl::StatusOr<T> WithConnection(const Config& config, const Secrets& secrets, Use use) {
  TB_ASSIGN_OR_RETURN(redis::ConnectionOptions options, RedisOptions(config, secrets));
  telemetry::Metrics metrics;
  boost::asio::io_context context(1);
  redis::Connection connection(context.get_executor(), std::move(options), metrics);
  connection.Start();
  return RunToEnd(context, UseConnection<T>(connection, std::move(use)));
}

Async<bool> WriteEpoch(redis::Connection& connection, std::string prefix, BootTime deadline) {
  system::SystemRng rng;
  redis::OperationSession session(connection, {.prefix = std::move(prefix)}, rng);
  redis::RedisOperationStore store(session, session);
  absl::StatusOr<bool> created =
      co_await store.InitializeEpoch(rng.NewUuid(), {.deadline = deadline});
  co_return created;
}

}  // namespace

absl::StatusOr<bool> InitStore(const Config& config, const Secrets& secrets) {
  return WithConnection<bool>(config, secrets,
                              [&config](redis::Connection& connection, BootTime deadline) {
                                return WriteEpoch(connection, config.redis.key_prefix, deadline);
                              });
}

absl::StatusOr<std::vector<std::string>> CheckStore(const Config& config, const Secrets& secrets) {
  const redis::ServerCheckOptions options{.strict = config.process.environment == "production",
                                          .min_replicas = config.redis.min_replicas};
  return WithConnection<std::vector<std::string>>(
      config, secrets, [options](redis::Connection& connection, BootTime deadline) {
        return redis::CheckServer(connection, options, deadline);
      });
}

}  // namespace tollbridge::gateway
