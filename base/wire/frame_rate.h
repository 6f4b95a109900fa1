#ifndef TOLLBRIDGE_BASE_WIRE_FRAME_RATE_H_
#define TOLLBRIDGE_BASE_WIRE_FRAME_RATE_H_

#include <algorithm>
#include <chrono>

#include "base/core/boot_clock.h"

namespace tollbridge::wire {

/// How many frames of a kind may come: so many at once, and as many again each second.
class FrameRate {
 public:
  explicit FrameRate(int per_second) : per_second_(per_second), left_(per_second) {}

  /// Takes one more. Whether it was within the rate.
  bool Take(BootTime now) {
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    left_ = std::min(per_second_, left_ + passed.count() * per_second_);
    left_ -= 1;
    return left_ >= 0;
  }

 private:
  double per_second_;
  double left_;
  BootTime last_{};
};

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_BASE_WIRE_FRAME_RATE_H_
