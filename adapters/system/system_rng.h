#ifndef TOLLBRIDGE_ADAPTERS_SYSTEM_SYSTEM_RNG_H_
#define TOLLBRIDGE_ADAPTERS_SYSTEM_SYSTEM_RNG_H_

#include <cstddef>
#include <string>

#include "services/ports/rng.h"

namespace tollbridge::system {

/// The cryptographic generator of the process, asked for some at a time by each thread: each time
/// costs as much as hundreds of bytes do. What is handed out is not kept. Any thread may use any
/// object, but not in a process that is about to fork.
class SystemRng final : public ports::Rng {
 public:
  std::string Bytes(std::size_t count) override;
};

}  // namespace tollbridge::system

#endif  // TOLLBRIDGE_ADAPTERS_SYSTEM_SYSTEM_RNG_H_
