#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_WITH_REDIS_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_WITH_REDIS_H_

#include <absl/status/statusor.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <utility>

#include "adapters/redis/connection.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "base/core/status_macros.h"
#include "base/telemetry/metrics.h"
#include "gateway/commands/run_to_end.h"
#include "gateway/config/adapter_settings.h"

namespace tollbridge::gateway {

/// How long a command waits for Redis: for the connection, and then for each thing it asks.
inline constexpr std::chrono::seconds kRedisTimeout{5};

template <typename T, typename Use>
Async<T> UseRedis(redis::Connection& connection, Use use) {
  const BootTime deadline = BootClock::now() + kRedisTimeout;
  TB_CO_RETURN_IF_ERROR(co_await connection.WaitReady(deadline));
  absl::StatusOr<T> result = co_await use(connection, deadline);
  connection.Stop();
  co_return result;
}

/// Runs `use`, which is given a connection to the store and the deadline of its first command, on a
/// connection of its own. For commands, which have no shards.
template <typename T, typename Use>
absl::StatusOr<T> WithRedis(const Config& config, const Store& store, const Secrets& secrets,
                            Use use) {
  TB_ASSIGN_OR_RETURN(redis::ConnectionOptions options, RedisOptions(config, store, secrets));
  telemetry::Metrics metrics;
  boost::asio::io_context context(1);
  redis::Connection connection(context.get_executor(), std::move(options), metrics);
  connection.Start();
  return RunToEnd(context, UseRedis<T>(connection, std::move(use)));
}

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_WITH_REDIS_H_
