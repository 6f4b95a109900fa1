#ifndef TOLLBRIDGE_BASE_NET_HANDSHAKE_SIZES_H_
#define TOLLBRIDGE_BASE_NET_HANDSHAKE_SIZES_H_

#include <openssl/ssl.h>

#include <array>
#include <cstddef>
#include <span>

namespace tollbridge::net {

/// Follows what a client sends of a TLS handshake while that can be read, for messages that say
/// they are long: OpenSSL takes memory for the whole of one, 128 KiB of a ClientHello, with its
/// first bytes. Internal to base/net.
class HandshakeSizes {
 public:
  /// A chain of certificates takes a few KiB.
  static constexpr std::size_t kMost = std::size_t{16} << 10;

  /// What came next. False when a message of it is longer than kMost.
  bool Take(std::span<const char> bytes, const SSL* ssl);

 private:
  void BeginRecord(const SSL* ssl);
  bool TakeMessages(std::span<const char> bytes);

  /// What comes is encrypted, or the handshake is over.
  bool over_ = false;
  std::array<unsigned char, 5> record_{};
  std::size_t have_of_record_ = 0;
  std::size_t record_left_ = 0;
  std::array<unsigned char, 4> message_{};
  std::size_t have_of_message_ = 0;
  std::size_t message_left_ = 0;
};

}  // namespace tollbridge::net

#endif  // TOLLBRIDGE_BASE_NET_HANDSHAKE_SIZES_H_
