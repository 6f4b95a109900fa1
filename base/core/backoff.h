#ifndef TOLLBRIDGE_BASE_CORE_BACKOFF_H_
#define TOLLBRIDGE_BASE_CORE_BACKOFF_H_

#include <algorithm>
#include <chrono>
#include <utility>

namespace tollbridge {

/// Waits between attempts that fail: each twice as long as the one before, up to `longest`.
class Backoff {
 public:
  using Millis = std::chrono::milliseconds;

  Backoff(Millis first, Millis longest)
      : first_(std::min(first, longest)), longest_(longest), next_(first_) {}

  Millis Next() { return std::exchange(next_, std::min(next_ * 2, longest_)); }
  void Reset() { next_ = first_; }

 private:
  Millis first_;
  Millis longest_;
  Millis next_;
};

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_BACKOFF_H_
