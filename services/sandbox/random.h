#ifndef TOLLBRIDGE_SERVICES_SANDBOX_RANDOM_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_RANDOM_H_

#include <cstdint>
#include <random>

#include "services/base/uuid.h"

namespace tollbridge::sandbox {

/// The sandbox's only source of randomness: seeded, so that a run can be repeated.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  Uuid NewUuid();

 private:
  std::mt19937_64 engine_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_RANDOM_H_
