#ifndef TOLLBRIDGE_ADAPTERS_REDIS_BACKOFF_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_BACKOFF_H_

#include <chrono>
#include <cstdint>
#include <random>

#include "base/core/backoff.h"

namespace tollbridge::redis {

/// A Backoff with jitter, so that processes which lost the same server do not come back to it in
/// step: each wait is between half of and the whole of the plain one.
class JitteredBackoff {
 public:
  JitteredBackoff(std::chrono::milliseconds first, std::chrono::milliseconds longest,
                  std::uint32_t seed)
      : whole_(first, longest), random_(seed) {}

  std::chrono::milliseconds Next() {
    const std::int64_t whole = whole_.Next().count();
    return std::chrono::milliseconds(std::uniform_int_distribution(whole / 2, whole)(random_));
  }
  void Reset() { whole_.Reset(); }

 private:
  Backoff whole_;
  std::minstd_rand random_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_BACKOFF_H_
