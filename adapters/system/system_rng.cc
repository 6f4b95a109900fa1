#include "adapters/system/system_rng.h"

#include <openssl/rand.h>

#include <cstdlib>

namespace tollbridge::system {

std::string SystemRng::Bytes(std::size_t count) {
  std::string bytes(count, '\0');
  // Without randomness there are no safe nonces: nothing may go on.
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1) {
    std::abort();
  }
  return bytes;
}

}  // namespace tollbridge::system
