#ifndef TOLLBRIDGE_SANDBOX_CORE_RANDOM_H_
#define TOLLBRIDGE_SANDBOX_CORE_RANDOM_H_

#include <cstdint>
#include <random>
#include <string>

#include "base/core/uuid.h"

namespace tollbridge::sandbox {

/// A seeded source of randomness, so that a run can be repeated. The ids have one of their own:
/// what else is random must not shift them.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  Uuid NewUuid();
  /// As many decimal digits, e.g. for an approval code.
  std::string Digits(std::size_t count);
  /// From 0 to below `bound`, which is not 0.
  std::uint64_t Below(std::uint64_t bound) { return engine_() % bound; }
  /// True with this probability, from 0 to 1.
  bool Chance(double probability);

 private:
  std::mt19937_64 engine_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_RANDOM_H_
