#ifndef TOLLBRIDGE_SERVICES_RECONCILE_PACE_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_PACE_H_

#include <boost/asio/awaitable.hpp>
#include <cstdint>

#include "base/core/boot_clock.h"
#include "services/ports/clock.h"

namespace tollbridge::reconcile {

/// So many steps a second at most, evenly spread, whoever takes them. One shard.
class Pace {
 public:
  /// `per_second` is positive.
  Pace(ports::Clock& clock, std::int64_t per_second);

  /// Returns when the next step may be taken. Those who wait come in their order.
  boost::asio::awaitable<void> Step();
  /// When the next step may be taken, by who asked and nobody else.
  BootTime Book();

 private:
  ports::Clock& clock_;
  BootClock::duration between_;
  BootTime next_;
};

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_PACE_H_
