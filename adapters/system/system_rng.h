#ifndef TOLLBRIDGE_ADAPTERS_SYSTEM_SYSTEM_RNG_H_
#define TOLLBRIDGE_ADAPTERS_SYSTEM_SYSTEM_RNG_H_

#include <array>
#include <cstddef>
#include <string>

#include "services/ports/rng.h"

namespace tollbridge::system {

/// The cryptographic generator of the process, asked for some at a time: each time costs as much as
/// hundreds of bytes do. What is handed out is not kept. Not for a process that is about to fork.
class SystemRng final : public ports::Rng {
 public:
  SystemRng() = default;
  ~SystemRng() override;
  SystemRng(const SystemRng&) = delete;
  SystemRng& operator=(const SystemRng&) = delete;

  std::string Bytes(std::size_t count) override;

 private:
  static constexpr std::size_t kStored = 1024;
  std::array<char, kStored> store_{};
  /// So many at the beginning of the store have not been handed out.
  std::size_t left_ = 0;
};

}  // namespace tollbridge::system

#endif  // TOLLBRIDGE_ADAPTERS_SYSTEM_SYSTEM_RNG_H_
