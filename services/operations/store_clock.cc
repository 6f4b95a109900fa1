#include "services/operations/store_clock.h"

#include <chrono>

namespace tollbridge::operations {

bool StoreClock::Show(WallTime shown, BootTime now) {
  const Seen seen{.shown = shown, .at = now};
  if (!since_.has_value()) {
    since_ = seen;
    return false;
  }
  const auto by_store = shown - since_->shown;
  const auto by_process = std::chrono::floor<ports::Millis>(now - since_->at);
  if (std::chrono::abs(by_store - by_process) <= kTolerance) return false;
  since_ = seen;
  return true;
}

ports::Millis StoreClock::SteadyFor(BootTime now) const {
  if (!since_.has_value()) return ports::Millis::zero();
  return std::chrono::floor<ports::Millis>(now - since_->at);
}

}  // namespace tollbridge::operations
