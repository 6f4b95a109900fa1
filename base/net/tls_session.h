#ifndef TOLLBRIDGE_BASE_NET_TLS_SESSION_H_
#define TOLLBRIDGE_BASE_NET_TLS_SESSION_H_

#include <openssl/ssl.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/core/boot_clock.h"
#include "base/net/handshake_sizes.h"

namespace tollbridge::net {

/// TLS of one connection, straight on its socket. It never waits: each step says what it waits for,
/// and is taken again then. Internal to base/net.
class TlsSession {
 public:
  enum class Wait { kNone, kRead, kWrite };
  struct Step {
    /// For what the socket has to be ready before the step goes on. The rest is then as it stands.
    Wait wait = Wait::kNone;
    boost::system::error_code error = {};
    /// Bytes of the application, read or written.
    std::size_t size = 0;
  };

  /// Takes `ssl`, which knows whether it is the client's or the server's; the socket is connected,
  /// and outlives the session.
  TlsSession(boost::asio::ip::tcp::socket& socket, SSL* ssl);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  /// Of a server it fails, too, where a message of the client is longer than
  /// HandshakeSizes::kMost.
  Step Handshake();
  /// As much as is there. Error: eof, or stream_truncated where the peer ended without saying so.
  Step Read(std::span<char> into);
  /// As much as the socket takes; then, and not when all is written, it says that it waits. What is
  /// left is to be written next, and nothing else.
  Step Write(std::string_view bytes);
  /// Says that no more is written.
  Step Shutdown();

  /// The peer has asked for another handshake. OpenSSL refuses that with a warning and goes on,
  /// which HTTP/2 forbids (RFC 9113, 9.2.1): here it ends the reading. Or it has exchanged its key
  /// (KeyUpdate) far more often than anybody needs, which ends it too.
  bool asked_anew() const { return asked_anew_; }
  /// Whether bytes of the peer are here that were not read.
  bool has_pending() const { return SSL_has_pending(ssl_.get()) == 1; }
  SSL* ssl() const { return ssl_.get(); }

 private:
  struct Socket;
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };

  static void OnMessage(int written, int version, int type, const void* bytes, std::size_t size,
                        SSL* ssl, void* unused);
  static void OnInfo(const SSL* ssl, int where, int value);
  /// Of a call of the library that did not go well.
  Step Failed(int result);

  boost::asio::ip::tcp::socket& socket_;
  std::unique_ptr<SSL, Free> ssl_;
  /// Of the last send or recv that failed.
  int system_error_ = 0;
  bool asked_anew_ = false;
  HandshakeSizes sizes_;
  /// A message of the client's handshake is: nothing more of it is read.
  bool too_long_ = false;
  int key_updates_ = 0;  ///< since then
  BootTime key_updates_since_{};
  /// Came after bytes that were read: the next Read tells of it.
  boost::system::error_code read_error_;
};

}  // namespace tollbridge::net

#endif  // TOLLBRIDGE_BASE_NET_TLS_SESSION_H_
