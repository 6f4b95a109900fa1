#ifndef TOLLBRIDGE_SERVICES_WEBHOOKS_SAMPLER_H_
#define TOLLBRIDGE_SERVICES_WEBHOOKS_SAMPLER_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "services/base/boot_clock.h"

namespace tollbridge::webhooks {

/// For log lines about what senders can cause as often as they like: one line in ten seconds. One
/// shard.
class Sampler {
 public:
  /// Counts one more. How many there were since the last line, if it is time for another.
  std::optional<std::uint64_t> Count(BootTime now) {
    ++since_;
    if (last_ && now - *last_ < kInterval) return std::nullopt;
    last_ = now;
    return std::exchange(since_, 0U);
  }

 private:
  static constexpr std::chrono::seconds kInterval{10};

  std::uint64_t since_ = 0;
  std::optional<BootTime> last_;
};

}  // namespace tollbridge::webhooks

#endif  // TOLLBRIDGE_SERVICES_WEBHOOKS_SAMPLER_H_
