#include "base/net/tls_session.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl3.h>
#include <sys/socket.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <cerrno>
#include <chrono>
#include <limits>
#include <utility>

namespace tollbridge::net {
namespace {

/// Exchanges of keys that a peer may begin in so long. Each costs us some 20 us, and a peer needs
/// one in hundreds of gigabytes.
constexpr int kMostKeyUpdates = 32;
constexpr std::chrono::seconds kKeyUpdatesTime{1};

}  // namespace

using boost::system::error_code;

/// OpenSSL's own would get SIGPIPE of a peer that has gone.
struct TlsSession::Socket {
  static int Send(BIO* bio, const char* data, int size) {
    return Told(bio, BIO_FLAGS_WRITE, [&](int fd) {
      return send(fd, data, static_cast<std::size_t>(size), MSG_DONTWAIT | MSG_NOSIGNAL);
    });
  }

  static int Receive(BIO* bio, char* data, int size) {
    const int received = Told(bio, BIO_FLAGS_READ, [&](int fd) {
      return recv(fd, data, static_cast<std::size_t>(size), MSG_DONTWAIT);
    });
    auto& session = *static_cast<TlsSession*>(BIO_get_data(bio));
    if (received > 0 && SSL_is_server(session.ssl()) == 1) {
      session.too_long_ =
          !session.sizes_.Take({data, static_cast<std::size_t>(received)}, session.ssl());
    }
    return session.too_long_ ? -1 : received;
  }

  static long Control(BIO* bio, int command, long, void*) {
    // The end of the stream; and what is flushed, which is nothing.
    if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) == 0 ? 0 : 1;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
  }

  static const BIO_METHOD* Method() {
    static const BIO_METHOD* const method = [] {
      BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
      BIO_meth_set_write(made, &Send);
      BIO_meth_set_read(made, &Receive);
      BIO_meth_set_ctrl(made, &Control);
      return made;
    }();
    return method;
  }

 private:
  template <typename Call>
  static int Told(BIO* bio, int direction, Call call) {
    auto& session = *static_cast<TlsSession*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    if (direction == BIO_FLAGS_READ && (session.asked_anew_ || session.too_long_)) return -1;
    const ssize_t result = call(session.socket_.native_handle());
    if (result < 0) {
      session.system_error_ = errno;
      if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
        BIO_set_flags(bio, direction | BIO_FLAGS_SHOULD_RETRY);
      }
    }
    if (result == 0 && direction == BIO_FLAGS_READ) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    return static_cast<int>(result);
  }
};

TlsSession::TlsSession(boost::asio::ip::tcp::socket& socket, SSL* ssl)
    : socket_(socket), ssl_(ssl) {
  BIO* const bio = BIO_new(Socket::Method());
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  // Several records come with one recv.
  SSL_set_read_ahead(ssl, 1);
  SSL_set_app_data(ssl, this);
  SSL_set_info_callback(ssl, &OnInfo);
  SSL_set_msg_callback(ssl, &OnMessage);
  SSL_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

void TlsSession::OnInfo(const SSL* ssl, int where, int value) {
  constexpr int kDescription = 0xff;
  if (where != SSL_CB_WRITE_ALERT || (value & kDescription) != SSL_AD_NO_RENEGOTIATION) return;
  static_cast<TlsSession*>(SSL_get_app_data(ssl))->asked_anew_ = true;
}

void TlsSession::OnMessage(int written, int, int type, const void* bytes, std::size_t size,
                           SSL* ssl, void*) {
  if (written != 0 || type != SSL3_RT_HANDSHAKE || size == 0) return;
  if (*static_cast<const unsigned char*>(bytes) != SSL3_MT_KEY_UPDATE) return;
  auto& session = *static_cast<TlsSession*>(SSL_get_app_data(ssl));
  const BootTime now = BootClock::now();
  if (now - session.key_updates_since_ > kKeyUpdatesTime) {
    session.key_updates_since_ = now;
    session.key_updates_ = 0;
  }
  // OpenSSL does not return before there is something else to read: without end nobody else would
  // be served meanwhile.
  if (++session.key_updates_ > kMostKeyUpdates) session.asked_anew_ = true;
}

TlsSession::Step TlsSession::Handshake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  if (result != 1) return Failed(result);
  // To make them anew for each record would cost a call a few percent.
  SSL_clear_mode(ssl_.get(), SSL_MODE_RELEASE_BUFFERS);
  return {};
}

TlsSession::Step TlsSession::Read(std::span<char> into) {
  if (read_error_) return {.error = read_error_};
  Step step;
  do {
    ERR_clear_error();
    std::size_t size = 0;
    const int result =
        SSL_read_ex(ssl_.get(), into.data() + step.size, into.size() - step.size, &size);
    if (result != 1) {
      const Step failed = Failed(result);
      if (asked_anew_) return {.error = boost::asio::error::connection_aborted};
      if (step.size == 0) return failed;
      read_error_ = failed.error;
      return step;
    }
    step.size += size;
  } while (step.size < into.size() && has_pending());
  return step;
}

TlsSession::Step TlsSession::Write(std::string_view bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    ERR_clear_error();
    std::size_t size = 0;
    const int result =
        SSL_write_ex(ssl_.get(), bytes.data() + written, bytes.size() - written, &size);
    if (result != 1) {
      Step failed = Failed(result);
      failed.size = written;
      return failed;
    }
    written += size;
  }
  return {.size = written};
}

TlsSession::Step TlsSession::Shutdown() {
  ERR_clear_error();
  const int result = SSL_shutdown(ssl_.get());
  return result >= 0 ? Step{} : Failed(result);
}

TlsSession::Step TlsSession::Failed(int result) {
  const int system_error = std::exchange(system_error_, 0);
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {.wait = Wait::kRead};
    case SSL_ERROR_WANT_WRITE:
      return {.wait = Wait::kWrite};
    case SSL_ERROR_ZERO_RETURN:
      return {.error = boost::asio::error::eof};
    case SSL_ERROR_SYSCALL:
      if (system_error != 0) return {.error = {system_error, boost::system::system_category()}};
      return {.error = boost::asio::ssl::error::stream_truncated};
    default:
      break;
  }
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0 || ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    return {.error = boost::asio::ssl::error::stream_truncated};
  }
  return {.error = {static_cast<int>(code), boost::asio::error::get_ssl_category()}};
}

}  // namespace tollbridge::net
