#ifndef TOLLBRIDGE_BASE_CORE_SIGNAL_H_
#define TOLLBRIDGE_BASE_CORE_SIGNAL_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/core/boot_clock.h"
#include "base/core/steady_time.h"

namespace tollbridge {

/// What coroutines wait for on one shard until another one brings it about. It carries no value and
/// is not remembered: who is woken looks whether what it waits for is there. One thread.
class Signal {
 public:
  explicit Signal(const boost::asio::any_io_executor& executor)
      : timer_(executor, SteadyTime(BootTime::max())) {}

  /// Wakes everyone who waits now.
  void Fire() { timer_.cancel(); }

  /// Awaitable: ends when the signal is fired, at the deadline, when the coroutine is cancelled or
  /// when the signal goes. A wait wakes those that wait for the same signal until another deadline.
  auto Wait(BootTime deadline = BootTime::max()) {
    const auto until = SteadyTime(deadline);
    if (timer_.expiry() != until) timer_.expires_at(until);
    return timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  }

  boost::asio::any_io_executor executor() { return timer_.get_executor(); }

 private:
  /// A timer that does not expire, or only at a deadline; cancelling it wakes who waits for it.
  boost::asio::steady_timer timer_;
};

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_SIGNAL_H_
