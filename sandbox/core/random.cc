#include "sandbox/core/random.h"

#include <array>
#include <cstddef>

namespace tollbridge::sandbox {

Uuid Random::NewUuid() {
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t half = 0; half < 2; ++half) {
    std::uint64_t word = engine_();
    for (std::size_t i = 0; i < 8; ++i) {
      bytes[half * 8 + i] = static_cast<std::uint8_t>(word & 0xFF);
      word >>= 8;
    }
  }
  return Uuid::V4(bytes);
}

std::string Random::Digits(std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += static_cast<char>('0' + Below(10));
  return out;
}

bool Random::Chance(double probability) {
  constexpr double kSteps = 9007199254740992.0;  // 2^53
  return static_cast<double>(engine_() >> 11U) / kSteps < probability;
}

}  // namespace tollbridge::sandbox
