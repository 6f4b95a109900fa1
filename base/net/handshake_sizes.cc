#include "base/net/handshake_sizes.h"

#include <openssl/ssl3.h>

#include <algorithm>

namespace tollbridge::net {

bool HandshakeSizes::Take(std::span<const char> bytes, const SSL* ssl) {
  while (!bytes.empty() && !over_) {
    if (record_left_ == 0) {
      record_[have_of_record_++] = static_cast<unsigned char>(bytes.front());
      bytes = bytes.subspan(1);
      if (have_of_record_ == record_.size()) BeginRecord(ssl);
      continue;
    }
    const std::size_t taken = std::min(record_left_, bytes.size());
    record_left_ -= taken;
    if (record_[0] == SSL3_RT_HANDSHAKE && !TakeMessages(bytes.first(taken))) return false;
    bytes = bytes.subspan(taken);
  }
  return true;
}

void HandshakeSizes::BeginRecord(const SSL* ssl) {
  have_of_record_ = 0;
  record_left_ = (std::size_t{record_[3]} << 8U) | record_[4];
  // In TLS 1.3 what is encrypted looks like data of the application, of which some may come before
  // a second ClientHello, and a change of the cipher says nothing; before that it ends what can be
  // read.
  const bool changes = record_[0] == SSL3_RT_CHANGE_CIPHER_SPEC;
  over_ = SSL_is_init_finished(ssl) == 1 || (changes && SSL_version(ssl) < TLS1_3_VERSION);
}

bool HandshakeSizes::TakeMessages(std::span<const char> bytes) {
  while (!bytes.empty()) {
    if (message_left_ > 0) {
      const std::size_t taken = std::min(message_left_, bytes.size());
      message_left_ -= taken;
      bytes = bytes.subspan(taken);
      continue;
    }
    message_[have_of_message_++] = static_cast<unsigned char>(bytes.front());
    bytes = bytes.subspan(1);
    if (have_of_message_ < message_.size()) continue;
    have_of_message_ = 0;
    message_left_ =
        (std::size_t{message_[1]} << 16U) | (std::size_t{message_[2]} << 8U) | message_[3];
    if (message_left_ > kMost) return false;
  }
  return true;
}

}  // namespace tollbridge::net
