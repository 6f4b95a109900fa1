#include "sandbox/rate_limit.h"

#include <chrono>

namespace tollbridge::sandbox {

bool RateLimit::Admit(const Uuid& project) {
  const std::int64_t limit = simulation_->settings.requests_per_second;
  if (limit == 0) return true;
  const auto second = std::chrono::floor<std::chrono::seconds>(simulation_->clock.Now());
  Window& window = windows_[project];
  if (window.second != second) window = {.second = second};
  return ++window.requests <= limit;
}

}  // namespace tollbridge::sandbox
