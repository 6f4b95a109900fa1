#include "services/reconcile/pace.h"

#include <algorithm>
#include <chrono>

namespace tollbridge::reconcile {
namespace {

/// Timers are late: so much of a delay is made up for. It lets no more steps through at once than
/// belong into this time.
constexpr ports::Millis kMadeUp{20};

}  // namespace

Pace::Pace(ports::Clock& clock, std::int64_t per_second)
    : clock_(clock),
      between_(BootClock::duration(std::chrono::seconds(1)) / per_second),
      next_(clock.BootNow()) {}

BootTime Pace::Book() {
  const BootTime mine = std::max(next_, clock_.BootNow() - kMadeUp);
  next_ = mine + between_;
  return mine;
}

boost::asio::awaitable<void> Pace::Step() {
  const BootTime mine = Book();
  const BootTime now = clock_.BootNow();
  if (mine > now) co_await clock_.Sleep(std::chrono::ceil<ports::Millis>(mine - now));
}

}  // namespace tollbridge::reconcile
