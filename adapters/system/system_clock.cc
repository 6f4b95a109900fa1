#include "adapters/system/system_clock.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace tollbridge::system {

WallTime SystemClock::WallNow() const {
  return std::chrono::floor<ports::Millis>(std::chrono::system_clock::now());
}

BootTime SystemClock::BootNow() const { return BootClock::now(); }

boost::asio::awaitable<void> SystemClock::Sleep(ports::Millis duration) {
  const auto executor = co_await boost::asio::this_coro::executor;
  boost::asio::steady_timer timer(executor, duration);
  boost::system::error_code cancelled;
  co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
}

}  // namespace tollbridge::system
