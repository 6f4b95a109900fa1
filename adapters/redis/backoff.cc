#include "adapters/redis/backoff.h"

#include <algorithm>

namespace tollbridge::redis {
namespace {

constexpr unsigned kMaxDoublings = 16;

}  // namespace

std::chrono::milliseconds Backoff::Next() {
  const std::chrono::milliseconds whole = std::min(longest_, first_ * (1U << steps_));
  steps_ = std::min(steps_ + 1, kMaxDoublings);
  std::uniform_int_distribution<std::int64_t> spread(whole.count() / 2, whole.count());
  return std::chrono::milliseconds(spread(random_));
}

}  // namespace tollbridge::redis
