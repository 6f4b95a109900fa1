#ifndef TOLLBRIDGE_ADAPTERS_REDIS_BACKOFF_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_BACKOFF_H_

#include <chrono>
#include <cstdint>
#include <random>

namespace tollbridge::redis {

/// Waits between attempts that fail: each up to twice as long as the one before, with jitter, so
/// that processes which lost the same server do not come back to it in step.
class Backoff {
 public:
  Backoff(std::chrono::milliseconds first, std::chrono::milliseconds longest, std::uint32_t seed)
      : first_(first), longest_(longest), random_(seed) {}

  /// The n-th since Reset (from 0) is between half of and the whole of first * 2^n, or of `longest`
  /// if that is less.
  std::chrono::milliseconds Next();
  void Reset() { steps_ = 0; }

 private:
  std::chrono::milliseconds first_;
  std::chrono::milliseconds longest_;
  unsigned steps_ = 0;
  std::minstd_rand random_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_BACKOFF_H_
