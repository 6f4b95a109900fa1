#ifndef TOLLBRIDGE_BASE_TELEMETRY_SAMPLER_H_
#define TOLLBRIDGE_BASE_TELEMETRY_SAMPLER_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/core/boot_clock.h"

namespace tollbridge::telemetry {

/// Bounds log lines about what others can cause as often as they like to one in ten seconds, or in
/// another interval. It is not for several threads at once.
class Sampler {
 public:
  explicit Sampler(std::chrono::seconds interval = std::chrono::seconds(10))
      : interval_(interval) {}

  /// Counts one more, or `more`. How many there were since the last line, if it is time for
  /// another.
  std::optional<std::uint64_t> Count(BootTime now, std::uint64_t more = 1) {
    since_ += more;
    if (last_ && now - *last_ < interval_) return std::nullopt;
    last_ = now;
    return std::exchange(since_, 0U);
  }

 private:
  std::chrono::seconds interval_;
  std::uint64_t since_ = 0;
  std::optional<BootTime> last_;
};

}  // namespace tollbridge::telemetry

#endif  // TOLLBRIDGE_BASE_TELEMETRY_SAMPLER_H_
