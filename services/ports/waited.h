#ifndef TOLLBRIDGE_SERVICES_PORTS_WAITED_H_
#define TOLLBRIDGE_SERVICES_PORTS_WAITED_H_

#include "base/core/boot_clock.h"

namespace tollbridge::ports {

/// How long a piece of work has waited for somebody else. Waits that go on side by side count once.
/// Used on one shard.
class Waited {
 public:
  /// A wait begins, and ends. Times do not go back.
  void Begin(BootTime now) {
    if (under_way_++ == 0) since_ = now;
  }
  void End(BootTime now) {
    if (--under_way_ == 0) ended_ += now - since_;
  }
  /// Altogether up to now, what still goes on included.
  BootClock::duration Until(BootTime now) const {
    return under_way_ == 0 ? ended_ : ended_ + (now - since_);
  }

 private:
  int under_way_ = 0;
  BootTime since_;
  BootClock::duration ended_{};
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_WAITED_H_
