#ifndef TOLLBRIDGE_SANDBOX_RATE_LIMIT_H_
#define TOLLBRIDGE_SANDBOX_RATE_LIMIT_H_

#include <cstdint>
#include <map>

#include "base/core/uuid.h"
#include "sandbox/core/simulation.h"

namespace tollbridge::sandbox {

/// Requests of each project in a second of the sandbox's clock (docs/interface.md#limits): 429 when
/// exceeded.
class RateLimit {
 public:
  explicit RateLimit(const Simulation* simulation) : simulation_(simulation) {}

  /// Counts a request; false when it is one too many. Always true where no limit is set.
  bool Admit(const Uuid& project);

 private:
  struct Window {
    std::chrono::sys_seconds second;
    std::int64_t requests = 0;
  };

  const Simulation* simulation_;
  std::map<Uuid, Window> windows_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_RATE_LIMIT_H_
