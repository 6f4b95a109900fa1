#ifndef TOLLBRIDGE_TESTS_SUPPORT_ASYNC_TEST_H_
#define TOLLBRIDGE_TESTS_SUPPORT_ASYNC_TEST_H_

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

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

/// Runs the io_context on this thread until `coroutine` has ended. What else runs on the io_context
/// goes on meanwhile, and stands still after. Throws what the coroutine throws, and
/// std::runtime_error at the limit: the test then fails.
void Await(boost::asio::io_context& context, boost::asio::awaitable<void> coroutine,
           std::chrono::milliseconds limit = kAwaitLimit);

/// The same, and gives what the coroutine returned.
template <typename T>
T Await(boost::asio::io_context& context, boost::asio::awaitable<T> coroutine,
        std::chrono::milliseconds limit = kAwaitLimit) {
  // Shared, since after a hang the coroutine may still end while the test is being torn down.
  auto value = std::make_shared<std::optional<T>>();
  // One kind of coroutine is spawned, in one place: each further one costs every test's
  // compilation.
  auto keep = [](boost::asio::awaitable<T> inner,
                 std::shared_ptr<std::optional<T>> result) -> boost::asio::awaitable<void> {
    T returned = co_await std::move(inner);
    result->emplace(std::move(returned));
  };
  Await(context, keep(std::move(coroutine), value), limit);
  return *std::move(*value);
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_ASYNC_TEST_H_
