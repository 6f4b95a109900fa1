#include "services/webhooks/token_bucket.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tollbridge::webhooks {

TokenBucket::TokenBucket(double per_second, double burst)
    : per_second_(per_second), burst_(burst), tokens_(burst) {}

bool TokenBucket::Take(BootTime now) {
  const std::chrono::duration<double> elapsed = now - std::exchange(filled_, now);
  tokens_ = std::min(burst_, tokens_ + elapsed.count() * per_second_);
  if (tokens_ < 1) return false;
  tokens_ -= 1;
  return true;
}

}  // namespace tollbridge::webhooks
