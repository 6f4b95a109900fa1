#include "base/core/side_by_side.h"

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <memory>
#include <utility>

#include "base/core/signal.h"

namespace tollbridge {
namespace {

namespace asio = boost::asio;

/// How far the work is. Shared by those who do it.
struct Progress {
  Progress(const asio::any_io_executor& executor, std::size_t turns,
           std::function<Turn(std::size_t)> one)
      : count(turns), turn(std::move(one)), ended(executor) {}

  std::size_t count;
  std::function<Turn(std::size_t)> turn;
  std::size_t next = 0;
  std::size_t workers = 0;
  bool goes_on = true;
  std::exception_ptr thrown;
  Signal ended;
};

asio::awaitable<void> Work(std::shared_ptr<Progress> progress) {
  while (progress->goes_on && progress->next < progress->count) {
    const std::size_t index = progress->next++;
    try {
      const bool goes_on = co_await progress->turn(index);
      if (!goes_on) progress->goes_on = false;
    } catch (...) {
      progress->thrown = std::current_exception();
      progress->goes_on = false;
    }
  }
  if (--progress->workers == 0) progress->ended.Fire();
}

}  // namespace

asio::awaitable<std::size_t> SideBySide(std::size_t count, std::size_t at_once,
                                        std::function<Turn(std::size_t)> turn) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto progress = std::make_shared<Progress>(executor, count, std::move(turn));
  const std::size_t workers = std::min(at_once, count);
  progress->workers = workers;
  for (std::size_t i = 0; i < workers; ++i) {
    asio::co_spawn(executor, Work(progress), asio::detached);
  }
  while (progress->workers > 0) {
    co_await progress->ended.Wait();
  }
  if (progress->thrown) std::rethrow_exception(progress->thrown);
  co_return progress->next;
}

}  // namespace tollbridge
