#ifndef TOLLBRIDGE_TESTS_SUPPORT_ASYNC_TEST_H_
#define TOLLBRIDGE_TESTS_SUPPORT_ASYNC_TEST_H_

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

namespace tollbridge::test {

/// How long a coroutine of a test may take unless it says otherwise. Only a hang gets there.
inline constexpr std::chrono::seconds kAwaitLimit{20};

/// Runs the io_context on this thread until `condition` holds. False at the limit, or when nothing
/// is left to run that could change it.
template <typename Condition>
bool RunUntil(boost::asio::io_context& context, Condition condition,
              std::chrono::milliseconds limit = kAwaitLimit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  context.restart();
  while (!condition()) {
    if (context.run_one_until(end) == 0) return condition();
  }
  return true;
}

/// Runs the io_context on this thread until `coroutine` has ended, and gives what it returned. What
/// else runs on the io_context goes on meanwhile, and stands still after. Throws what the coroutine
/// throws, and std::runtime_error at the limit: the test then fails.
template <typename T>
T Await(boost::asio::io_context& context, boost::asio::awaitable<T> coroutine,
        std::chrono::milliseconds limit = kAwaitLimit) {
  struct Ending {
    std::exception_ptr error;
    std::optional<T> value;
  };
  // Shared, since after a hang the coroutine may still end while the test is being torn down.
  auto ending = std::make_shared<std::optional<Ending>>();
  boost::asio::co_spawn(context, std::move(coroutine), [ending](std::exception_ptr error, T value) {
    *ending = Ending{error, std::move(value)};
  });
  if (!RunUntil(context, [&] { return ending->has_value(); }, limit)) {
    throw std::runtime_error("the coroutine did not end in time");
  }
  if ((*ending)->error) std::rethrow_exception((*ending)->error);
  return *std::move((*ending)->value);
}

/// Await for a coroutine without a value.
inline void Await(boost::asio::io_context& context, boost::asio::awaitable<void> coroutine,
                  std::chrono::milliseconds limit = kAwaitLimit) {
  auto with_value =
      [](boost::asio::awaitable<void> inner) -> boost::asio::awaitable<std::monostate> {
    co_await std::move(inner);
    co_return std::monostate();
  };
  Await<std::monostate>(context, with_value(std::move(coroutine)), limit);
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_ASYNC_TEST_H_
