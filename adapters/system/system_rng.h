#ifndef TOLLBRIDGE_ADAPTERS_SYSTEM_SYSTEM_RNG_H_
#define TOLLBRIDGE_ADAPTERS_SYSTEM_SYSTEM_RNG_H_

#include "services/ports/rng.h"

namespace tollbridge::system {

/// The cryptographic generator of the process.
class SystemRng final : public ports::Rng {
 public:
  std::string Bytes(std::size_t count) override;
};

}  // namespace tollbridge::system

#endif  // TOLLBRIDGE_ADAPTERS_SYSTEM_SYSTEM_RNG_H_
