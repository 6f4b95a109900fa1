#include "services/gateway/store_command.h"

#include <boost/asio/io_context.hpp>
#include <utility>

#include "adapters/redis/connection.h"
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

/// Runs `use` on a connection of its own, from beginning to end.
template <typename T, typename Use>
absl::StatusOr<T> WithConnection(const Config& config, const Secrets& secrets, Use use) {
  TB_ASSIGN_OR_RETURN(redis::ConnectionOptions options, RedisOptions(config, secrets));
  boost::asio::io_context context(1);
  telemetry::Metrics metrics;
  redis::Connection connection(context.get_executor(), std::move(options), metrics);
  connection.Start();
  const auto session = [&]() -> Async<T> {
    const BootTime deadline = BootClock::now() + kTimeout;
    const absl::Status ready = co_await connection.WaitReady(deadline);
    if (!ready.ok()) co_return ready;
    absl::StatusOr<T> result = co_await use(connection, deadline);
    connection.Stop();
    co_return result;
  };
  return RunToEnd(context, session());
}

}  // namespace

absl::StatusOr<bool> InitStore(const Config& config, const Secrets& secrets) {
  return WithConnection<bool>(
      config, secrets, [&config](redis::Connection& connection, BootTime deadline) -> Async<bool> {
        redis::RedisOperationStore store(connection, {.prefix = config.redis.key_prefix});
        system::SystemRng rng;
        absl::StatusOr<bool> created =
            co_await store.InitializeEpoch(rng.NewUuid(), {.deadline = deadline});
        co_return created;
      });
}

absl::StatusOr<std::vector<std::string>> CheckStore(const Config& config, const Secrets& secrets) {
  using Warnings = std::vector<std::string>;
  const bool strict = config.process.environment == "production";
  return WithConnection<Warnings>(
      config, secrets,
      [strict](redis::Connection& connection, BootTime deadline) -> Async<Warnings> {
        absl::StatusOr<Warnings> warnings =
            co_await redis::CheckServer(connection, {.strict = strict}, deadline);
        co_return warnings;
      });
}

}  // namespace tollbridge::gateway
