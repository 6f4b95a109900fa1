#include "tests/support/fakes/fake_clock.h"

#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace tollbridge::test {

namespace asio = boost::asio;

asio::awaitable<void> FakeClock::Sleep(ports::Millis duration) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto timer =
      std::make_shared<asio::steady_timer>(executor, asio::steady_timer::time_point::max());
  sleepers_.push_back({boot_ + duration, timer});
  co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
  // Cancelled by the sleeper's own cancellation, not by Advance: then it is still listed.
  std::erase_if(sleepers_, [&](const Sleeper& sleeper) { return sleeper.timer.lock() == timer; });
}

void FakeClock::Advance(ports::Millis duration) {
  wall_ += duration;
  boot_ += duration;
  std::vector<Sleeper> asleep;
  for (Sleeper& sleeper : std::exchange(sleepers_, {})) {
    if (sleeper.until > boot_) {
      asleep.push_back(std::move(sleeper));
    } else if (const auto timer = sleeper.timer.lock()) {
      timer->cancel();
    }
  }
  sleepers_ = std::move(asleep);
}

}  // namespace tollbridge::test
