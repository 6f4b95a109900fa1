#ifndef TOLLBRIDGE_ADAPTERS_SYSTEM_SYSTEM_CLOCK_H_
#define TOLLBRIDGE_ADAPTERS_SYSTEM_SYSTEM_CLOCK_H_

#include "services/ports/clock.h"

namespace tollbridge::system {

/// The machine's clocks; Sleep is a timer of the awaiting shard.
class SystemClock final : public ports::Clock {
 public:
  WallTime WallNow() const override;
  BootTime BootNow() const override;
  boost::asio::awaitable<void> Sleep(ports::Millis duration) override;
};

}  // namespace tollbridge::system

#endif  // TOLLBRIDGE_ADAPTERS_SYSTEM_SYSTEM_CLOCK_H_
