#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_RUN_TO_END_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_RUN_TO_END_H_

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <utility>

namespace tollbridge::gateway {

template <typename T>
boost::asio::awaitable<void> StoreResult(boost::asio::awaitable<T> work, std::optional<T>* result) {
  result->emplace(co_await std::move(work));
}

/// Runs one coroutine to its end on the calling thread. For commands, which have no shards. What
/// else still lives on the context when the coroutine ends is left as it is, for the next one.
template <typename T>
T RunToEnd(boost::asio::io_context& context, boost::asio::awaitable<T> work) {
  std::optional<T> result;
  context.restart();
  boost::asio::co_spawn(context, StoreResult(std::move(work), &result),
                        [&context](std::exception_ptr) { context.stop(); });
  context.run();
  return *std::move(result);
}

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_RUN_TO_END_H_
