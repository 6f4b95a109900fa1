#include "services/ports/rng.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tollbridge::ports {

Uuid Rng::NewUuid() {
  const std::string raw = Bytes(16);
  std::array<std::uint8_t, 16> bytes{};
  std::copy(raw.begin(), raw.end(), reinterpret_cast<char*>(bytes.data()));
  return Uuid::V4(bytes);
}

}  // namespace tollbridge::ports
