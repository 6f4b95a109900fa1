#include "base/core/token_bucket.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tollbridge {

TokenBucket::TokenBucket(double per_second, double burst)
    : per_second_(per_second), burst_(burst), tokens_(burst) {}

double TokenBucket::TokensAt(BootTime now) const {
  const std::chrono::duration<double> elapsed = now - filled_;
  return std::min(burst_, tokens_ + elapsed.count() * per_second_);
}

void TokenBucket::Change(double per_second, double burst, BootTime now) {
  tokens_ = std::min(burst, TokensAt(now));
  filled_ = now;
  per_second_ = per_second;
  burst_ = burst;
}

bool TokenBucket::Take(BootTime now) {
  tokens_ = TokensAt(now);
  filled_ = now;
  if (tokens_ < 1) return false;
  tokens_ -= 1;
  return true;
}

BootTime::duration TokenBucket::Wait(BootTime now) const {
  const double missing = std::max(0.0, 1 - TokensAt(now));
  return std::chrono::ceil<BootTime::duration>(
      std::chrono::duration<double>(missing / per_second_));
}

bool TokenBucket::IsFull(BootTime now) const { return TokensAt(now) >= burst_; }

}  // namespace tollbridge
