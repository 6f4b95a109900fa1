#include "adapters/system/system_rng.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <array>
#include <cstddef>
#include <cstdlib>
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

/// What a thread has in store.
class Store {
 public:
  Store() = default;
  ~Store() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  static constexpr std::size_t kSize = 1024;

  /// At most kSize.
  std::string Take(std::size_t count) {
    if (count > left_) {
      Fill(std::as_writable_bytes(std::span(bytes_)));
      left_ = kSize;
    }
    left_ -= count;
    char* const taken = bytes_.data() + left_;
    std::string given(taken, count);
    OPENSSL_cleanse(taken, count);
    return given;
  }

 private:
  std::array<char, kSize> bytes_{};
  /// So many at the beginning have not been handed out.
  std::size_t left_ = 0;
};

}  // namespace

std::string SystemRng::Bytes(std::size_t count) {
  thread_local Store store;
  if (count <= Store::kSize) return store.Take(count);
  std::string bytes(count, '\0');
  Fill(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

}  // namespace tollbridge::system
