#ifndef TOLLBRIDGE_SERVICES_PORTS_RNG_H_
#define TOLLBRIDGE_SERVICES_PORTS_RNG_H_

#include <cstddef>
#include <string>

#include "base/core/uuid.h"

namespace tollbridge::ports {

/// Randomness, as the core sees it. Used from one shard.
class Rng {
 public:
  virtual ~Rng() = default;
  /// `count` random bytes, fit for keys and nonces.
  virtual std::string Bytes(std::size_t count) = 0;

  Uuid NewUuid();
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_RNG_H_
