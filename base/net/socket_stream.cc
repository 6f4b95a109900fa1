#include "base/net/socket_stream.h"

#include <absl/strings/str_cat.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <optional>
#include <tuple>
#include <utility>

#include "base/core/steady_time.h"
#include "base/net/address.h"
#include "base/net/tls_session.h"

namespace tollbridge::net {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;

namespace {

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kMaxDrained = std::size_t{1} << 20;

std::string Describe(const tcp::socket& socket) {
  error_code ec;
  const tcp::endpoint endpoint = socket.remote_endpoint(ec);
  if (ec) return "unknown";
  return Address{.host = endpoint.address().to_string(), .port = endpoint.port()}.Text();
}

struct FreeNames {
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};

CertificateNames NamesOf(const X509* certificate) {
  CertificateNames out;
  if (certificate == nullptr) return out;
  const std::unique_ptr<GENERAL_NAMES, FreeNames> names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI && name->type != GEN_DNS) continue;
    // Both are texts of the same kind. One with a zero byte in it stays as it is: it fits nobody.
    const ASN1_IA5STRING* const text = name->d.ia5;
    std::string value(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                      static_cast<std::size_t>(ASN1_STRING_length(text)));
    (name->type == GEN_URI ? out.uris : out.dns_names).push_back(std::move(value));
  }
  return out;
}

/// One timer each way: a read and a write may be under way together. It is left running when an
/// operation has ended, since most end long before their deadline: when it fires it looks whether
/// that of the operation under way has come, and waits on if not.
struct Timer {
  explicit Timer(const asio::any_io_executor& executor) : timer(executor) {}
  asio::steady_timer timer;
  /// Of the operation under way; kNoDeadline: none.
  BootTime deadline = kNoDeadline;
  /// When it fires; kNoDeadline: not at all.
  BootTime fires = kNoDeadline;
  bool expired = false;
  /// The operation under way was.
  bool cancelled = false;
};

}  // namespace

struct SocketStream::Core {
  explicit Core(tcp::socket s)
      : socket(std::move(s)), reading(socket.get_executor()), writing(socket.get_executor()) {}

  void Cancel() {
    error_code ignored;
    socket.cancel(ignored);
    reading.cancelled = true;
    writing.cancelled = true;
  }

  absl::Status ToStatus(const error_code& ec, const Timer& timer, const char* what) const {
    if (!ec) return absl::OkStatus();
    if (timer.expired) return absl::DeadlineExceededError(absl::StrCat(what, ": deadline passed"));
    if (ec == asio::error::operation_aborted || aborted) {
      return absl::CancelledError(absl::StrCat(what, ": cancelled"));
    }
    return absl::UnavailableError(absl::StrCat(what, " ", peer, ": ", ec.message()));
  }

  tcp::socket socket;
  std::optional<TlsSession> tls;
  Timer reading;
  Timer writing;
  std::string peer;
  unsigned int user_timeout = 0;  ///< that the socket has, in ms
  bool aborted = false;
};

namespace {

/// Takes a step of TLS until it waits for nothing any more: at once, or when there is what it waits
/// for `first`. Behind a wait it waits for `turn` too, if there is one.
template <typename Take>
asio::awaitable<TlsSession::Step> TakeInWhole(tcp::socket& socket, const Timer& timer, Take take,
                                              TlsSession::Wait first = TlsSession::Wait::kNone,
                                              const SocketStream::Turn* turn = nullptr) {
  TlsSession::Step step{.wait = first};
  if (first == TlsSession::Wait::kNone) step = take();
  while (step.wait != TlsSession::Wait::kNone) {
    const auto ready =
        step.wait == TlsSession::Wait::kRead ? tcp::socket::wait_read : tcp::socket::wait_write;
    std::tie(step.error) = co_await socket.async_wait(ready, kAwait);
    if (!step.error && turn != nullptr && *turn) co_await (*turn)();
    // The peer may have been as quick as the timer each time, or as who cancels.
    if (!step.error && (timer.expired || timer.cancelled)) {
      step.error = asio::error::operation_aborted;
    }
    if (step.error) break;
    step = take();
  }
  co_return step;
}

}  // namespace

/// Cancels what is under way when the deadline comes, until destroyed.
class SocketStream::Deadline {
 public:
  Deadline(const std::shared_ptr<Core>& core, Timer& timer, BootTime deadline) : timer_(timer) {
    timer_.expired = false;
    timer_.cancelled = false;
    timer_.deadline = deadline;
    if (deadline < timer_.fires) Arm(core, timer_);
  }
  ~Deadline() { timer_.deadline = kNoDeadline; }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  static void Arm(std::shared_ptr<Core> core, Timer& timer) {
    timer.fires = timer.deadline;
    timer.timer.expires_at(SteadyTime(timer.deadline));
    timer.timer.async_wait([core = std::move(core), &timer](error_code ec) {
      // Set anew meanwhile, or the stream is gone.
      if (ec) return;
      timer.fires = kNoDeadline;
      if (timer.deadline == kNoDeadline) return;
      if (BootClock::now() < timer.deadline) return Arm(core, timer);
      timer.expired = true;
      core->Cancel();
    });
  }

  Timer& timer_;
};

SocketStream::SocketStream(const asio::any_io_executor& executor)
    : core_(std::make_shared<Core>(tcp::socket(executor))) {}

SocketStream::SocketStream(tcp::socket socket) : core_(std::make_shared<Core>(std::move(socket))) {
  error_code ignored;
  core_->socket.set_option(tcp::no_delay(true), ignored);
  core_->peer = Describe(core_->socket);
}

SocketStream::~SocketStream() {
  error_code ignored;
  core_->socket.close(ignored);
  core_->reading.timer.cancel();
  core_->writing.timer.cancel();
}

AsyncStatus SocketStream::ConnectTo(tcp::endpoint endpoint, BootTime deadline) {
  const std::shared_ptr<Core> core = core_;
  error_code ec;
  core->socket.close(ec);
  core->socket.open(endpoint.protocol(), ec);
  if (ec) co_return absl::UnavailableError(absl::StrCat("socket: ", ec.message()));
  core->socket.set_option(tcp::no_delay(true), ec);
  {
    const Deadline guard(core, core->writing, deadline);
    std::tie(ec) = co_await core->socket.async_connect(endpoint, kAwait);
  }
  core->peer = absl::StrCat(endpoint.address().to_string(), " port ", endpoint.port());
  if (ec) co_return core->ToStatus(ec, core->writing, "connect to");
  core->peer = Describe(core->socket);
  co_return absl::OkStatus();
}

AsyncStatus SocketStream::HandshakeAsClient(std::shared_ptr<const TlsContext> tls, std::string host,
                                            BootTime deadline) {
  const std::shared_ptr<Core> core = core_;
  SSL* ssl = tls->NewSession();
  if (ssl == nullptr) co_return absl::ResourceExhaustedError("TLS: no memory");
  SSL_set_connect_state(ssl);
  core->tls.emplace(core->socket, ssl);
  error_code ec;
  asio::ip::make_address(host, ec);
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const bool name_set =
      ec ? SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1
         : X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  if (!name_set) co_return absl::UnavailableError("TLS: the host name cannot be verified");
  {
    const Deadline guard(core, core->writing, deadline);
    const TlsSession::Step shaken =
        co_await TakeInWhole(core->socket, core->writing, [&] { return core->tls->Handshake(); });
    ec = shaken.error;
  }
  const long verified = SSL_get_verify_result(ssl);
  if (ec && verified != X509_V_OK && !core->writing.expired) {
    co_return absl::UnavailableError(absl::StrCat(
        "TLS handshake with ", host, ": certificate: ", X509_verify_cert_error_string(verified)));
  }
  co_return core->ToStatus(ec, core->writing, "TLS handshake with");
}

AsyncStatus SocketStream::HandshakeAsServer(std::shared_ptr<const TlsContext> tls,
                                            BootTime deadline, Turn turn) {
  const std::shared_ptr<Core> core = core_;
  SSL* ssl = tls->NewSession();
  if (ssl == nullptr) co_return absl::ResourceExhaustedError("TLS: no memory");
  SSL_set_accept_state(ssl);
  core->tls.emplace(core->socket, ssl);
  const Deadline guard(core, core->writing, deadline);
  // The client begins.
  const TlsSession::Step shaken = co_await TakeInWhole(
      core->socket, core->writing, [&] { return core->tls->Handshake(); }, TlsSession::Wait::kRead,
      &turn);
  co_return core->ToStatus(shaken.error, core->writing, "TLS handshake with");
}

Async<std::size_t> SocketStream::ReadSome(std::span<char> into, BootTime deadline) {
  const std::shared_ptr<Core> core = core_;
  // The timer alone would not do: a peer that always has a byte ready would win against it for
  // ever.
  if (BootClock::now() >= deadline) co_return absl::DeadlineExceededError("read: deadline passed");
  error_code ec;
  std::size_t size = 0;
  {
    const Deadline guard(core, core->reading, deadline);
    if (core->tls.has_value()) {
      const TlsSession::Step read =
          co_await TakeInWhole(core->socket, core->reading, [&] { return core->tls->Read(into); });
      ec = read.error;
      size = read.size;
    } else {
      const auto buffer = asio::buffer(into.data(), into.size());
      std::tie(ec, size) = co_await core->socket.async_read_some(buffer, kAwait);
    }
  }
  if (core->tls.has_value() && core->tls->asked_anew()) {
    co_return absl::FailedPreconditionError("read: the peer asks for another TLS handshake");
  }
  if (ec == asio::error::eof) co_return std::size_t{0};
  if (ec) co_return core->ToStatus(ec, core->reading, "read from");
  co_return size;
}

std::string_view SocketStream::alpn() const {
  if (!core_->tls.has_value()) return {};
  const unsigned char* text = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(core_->tls->ssl(), &text, &size);
  return {reinterpret_cast<const char*>(text), size};
}

CertificateNames SocketStream::PeerNames() const {
  if (!core_->tls.has_value()) return {};
  return NamesOf(SSL_get0_peer_certificate(core_->tls->ssl()));
}

bool SocketStream::PeerRevoked(const TlsContext& tls) const {
  return core_->tls.has_value() && tls.Revoked(core_->tls->ssl());
}

std::size_t SocketStream::WriteNow(std::string_view bytes) {
  if (core_->aborted) return 0;
  if (core_->tls.has_value()) return core_->tls->Write(bytes).size;
  const ssize_t size =
      send(core_->socket.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

AsyncStatus SocketStream::WriteAll(std::string_view bytes, BootTime deadline) {
  if (BootClock::now() >= deadline) co_return absl::DeadlineExceededError("write: deadline passed");
  // Most of what is written fits into the socket: then nothing waits, and no timer is looked at.
  bytes.remove_prefix(WriteNow(bytes));
  if (bytes.empty()) co_return absl::OkStatus();
  const std::shared_ptr<Core> core = core_;
  error_code ec;
  {
    const Deadline guard(core, core->writing, deadline);
    if (core->tls.has_value()) {
      const TlsSession::Step written = co_await TakeInWhole(core->socket, core->writing, [&] {
        const TlsSession::Step step = core->tls->Write(bytes);
        bytes.remove_prefix(step.size);
        return step;
      });
      ec = written.error;
    } else {
      const auto buffer = asio::buffer(bytes.data(), bytes.size());
      std::tie(ec, std::ignore) = co_await asio::async_write(core->socket, buffer, kAwait);
    }
  }
  co_return core->ToStatus(ec, core->writing, "write to");
}

asio::awaitable<void> SocketStream::Close(BootTime deadline) {
  const std::shared_ptr<Core> core = core_;
  const Deadline guard(core, core->reading, deadline);
  error_code ec;
  if (core->tls.has_value()) {
    // Its result does not matter: what the peer sends after our close_notify is thrown away below.
    co_await TakeInWhole(core->socket, core->reading, [&] { return core->tls->Shutdown(); });
  }
  core->socket.shutdown(tcp::socket::shutdown_send, ec);
  std::array<char, 4096> discarded;
  std::size_t drained = 0;
  // The peer may have been as quick each time as who cancels.
  while (!ec && !core->reading.cancelled && BootClock::now() < deadline && drained < kMaxDrained) {
    std::size_t size = 0;
    std::tie(ec, size) = co_await core->socket.async_read_some(asio::buffer(discarded), kAwait);
    drained += size;
  }
  core->socket.close(ec);
}

void SocketStream::Cancel() { core_->Cancel(); }

void SocketStream::Abort() {
  if (core_->aborted) return;
  core_->aborted = true;
  core_->reading.cancelled = true;
  core_->writing.cancelled = true;
  error_code ignored;
  core_->socket.set_option(asio::socket_base::linger(true, 0), ignored);
  core_->socket.close(ignored);
}

bool SocketStream::aborted() const { return core_->aborted; }

bool SocketStream::ProbeOpen() {
  if (core_->aborted || !core_->socket.is_open()) return false;
  if (core_->tls.has_value() && core_->tls->has_pending()) return false;
  char byte = 0;
  const ssize_t got = recv(core_->socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

absl::Status SocketStream::SetUserTimeout(std::chrono::milliseconds timeout) {
  const unsigned int value = static_cast<unsigned int>(std::max<std::int64_t>(timeout.count(), 1));
  if (value == core_->user_timeout) return absl::OkStatus();
  if (setsockopt(core_->socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &value,
                 sizeof(value)) != 0) {
    return absl::UnavailableError("TCP_USER_TIMEOUT cannot be set");
  }
  core_->user_timeout = value;
  return absl::OkStatus();
}

const std::string& SocketStream::peer() const { return core_->peer; }

bool SocketStream::is_tls() const { return core_->tls.has_value(); }

}  // namespace tollbridge::net
