#include "services/rpc/drain.h"

namespace tollbridge::rpc {

void Drain::Leave() {
  if (in_flight_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  // Under the lock, so that a waiter is either before its look at the count or already asleep.
  const std::lock_guard lock(mutex_);
  idle_.notify_all();
}

bool Drain::WaitUntilIdle(BootTime deadline) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, deadline - BootClock::now(), [this] { return in_flight() == 0; });
}

}  // namespace tollbridge::rpc
