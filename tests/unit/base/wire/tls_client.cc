#include "tests/unit/base/wire/tls_client.h"

#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <stdexcept>
#include <string>

#include "tests/unit/base/wire/raw_client.h"

namespace tollbridge::wire {
namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Session = std::unique_ptr<SSL, decltype(&SSL_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

/// A length and its text.
constexpr unsigned char kProtocols[] = {2, 'h', '2'};
/// For the server to close a connection.
constexpr timeval kPatience{.tv_sec = 3, .tv_usec = 0};

void Check(bool ok) {
  if (!ok) throw std::runtime_error("OpenSSL: the client cannot be made");
}

Context NewContext() {
  Context context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  Check(context != nullptr &&
        SSL_CTX_set_alpn_protos(context.get(), kProtocols, sizeof(kProtocols)) == 0);
  return context;
}

Bio Memory(const std::string& pem) {
  return {BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free};
}

void Show(SSL_CTX* context, const test::RpcTls& tls) {
  if (tls.certificate_chain.empty()) return;
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      PEM_read_bio_X509(Memory(tls.certificate_chain).get(), nullptr, nullptr, nullptr),
      &X509_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(Memory(tls.private_key).get(), nullptr, nullptr, nullptr),
      &EVP_PKEY_free);
  Check(SSL_CTX_use_certificate(context, certificate.get()) == 1 &&
        SSL_CTX_use_PrivateKey(context, key.get()) == 1);
}

/// A socket that is closed.
class Socket {
 public:
  Socket(std::uint16_t port, const std::string& source)
      : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
    const sockaddr_in from = SocketAddress(source, 0);
    const sockaddr_in to = SocketAddress("127.0.0.1", port);
    connected_ = bind(fd_, reinterpret_cast<const sockaddr*>(&from), sizeof(from)) == 0 &&
                 connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0;
  }
  ~Socket() { close(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int fd() const { return fd_; }
  bool connected() const { return connected_; }
  /// Whether the server ends it soon.
  bool Ends() const {
    char discarded[512];
    ssize_t got = 0;
    do {
      got = recv(fd_, discarded, sizeof(discarded), 0);
    } while (got > 0);
    return got == 0 || errno == ECONNRESET;
  }

 private:
  int fd_;
  bool connected_ = false;
};

}  // namespace

std::string ClientHello() {
  const Context context = NewContext();
  const Session session(SSL_new(context.get()), &SSL_free);
  Check(session != nullptr);
  BIO* const out = BIO_new(BIO_s_mem());
  // Both are the session's.
  SSL_set_bio(session.get(), BIO_new(BIO_s_mem()), out);
  // It wants an answer.
  SSL_connect(session.get());
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out, &bytes);
  Check(size > 0);
  return {bytes, static_cast<std::size_t>(size)};
}

Renegotiation AskToRenegotiate(std::uint16_t port, const test::RpcTls& tls,
                               const std::string& source) {
  const Context context = NewContext();
  Check(SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION) == 1);
  Show(context.get(), tls);
  const Socket socket(port, source);
  const Session session(SSL_new(context.get()), &SSL_free);
  SSL_set_fd(session.get(), socket.fd());
  if (!socket.connected() || SSL_connect(session.get()) != 1) return Renegotiation::kNoConnection;
  const std::string preface = Preface();
  Check(SSL_write(session.get(), preface.data(), static_cast<int>(preface.size())) > 0);
  Check(SSL_renegotiate(session.get()) == 1);
  // It hears of no answer, so that it does not end the connection itself.
  SSL_set0_rbio(session.get(), BIO_new(BIO_s_mem()));
  SSL_do_handshake(session.get());
  return socket.Ends() ? Renegotiation::kEnded : Renegotiation::kLeftOpen;
}

bool ChangesItsKeyInVain(std::uint16_t port, const test::RpcTls& tls, int times,
                         const std::string& source) {
  const Context context = NewContext();
  Show(context.get(), tls);
  const Socket socket(port, source);
  const Session session(SSL_new(context.get()), &SSL_free);
  SSL_set_fd(session.get(), socket.fd());
  Check(socket.connected() && SSL_connect(session.get()) == 1);
  const std::string preface = Preface();
  Check(SSL_write(session.get(), preface.data(), static_cast<int>(preface.size())) > 0);
  for (int i = 0; i < times; ++i) {
    Check(SSL_key_update(session.get(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1);
    if (SSL_do_handshake(session.get()) != 1) return true;
  }
  return socket.Ends();
}

}  // namespace tollbridge::wire
