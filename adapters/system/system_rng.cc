#include "adapters/system/system_rng.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <cstdlib>
#include <cstring>
#include <span>

namespace tollbridge::system {
namespace {

void Fill(std::span<std::byte> bytes) {
  // Without randomness there are no safe nonces: nothing may go on.
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) !=
      1) {
    std::abort();
  }
}

}  // namespace

SystemRng::~SystemRng() { OPENSSL_cleanse(store_.data(), store_.size()); }

std::string SystemRng::Bytes(std::size_t count) {
  std::string bytes(count, '\0');
  if (count > store_.size()) {
    Fill(std::as_writable_bytes(std::span(bytes)));
    return bytes;
  }
  if (count > left_) {
    Fill(std::as_writable_bytes(std::span(store_)));
    left_ = store_.size();
  }
  left_ -= count;
  char* const taken = store_.data() + left_;
  std::memcpy(bytes.data(), taken, count);
  OPENSSL_cleanse(taken, count);
  return bytes;
}

}  // namespace tollbridge::system
