#ifndef TOLLBRIDGE_BASE_NET_STREAM_H_
#define TOLLBRIDGE_BASE_NET_STREAM_H_

#include <absl/status/status.h>

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "base/net/tls.h"

namespace tollbridge::net {

/// A deadline that never comes.
inline constexpr BootTime kNoDeadline = BootTime::max();

/// A connected byte stream over TCP or TLS. Belongs to the shard it was made on. One read and one
/// write may be under way at a time, from two coroutines. The stream must outlive the coroutines
/// that use it.
///
/// Errors: DEADLINE_EXCEEDED when the deadline passed, CANCELLED after Cancel() or Abort(),
/// UNAVAILABLE for everything that the network or the peer did.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  /// Closes the socket in the ordinary way if it is still open.
  virtual ~Stream() = default;

  /// Waits for bytes and reads at most `into.size()`. 0 = the peer ended the stream in order; under
  /// TLS an end without close_notify is an error. A passed deadline cancels whatever is under way
  /// in both directions; the stream can then still be written to, once, to say why it is closed.
  virtual Async<std::size_t> ReadSome(std::span<char> into, BootTime deadline) = 0;

  /// Writes all of `bytes`, starting with a socket write before this suspends, or nothing when the
  /// deadline has passed already. `bytes` must live until the end. After an error it is unknown how
  /// much the peer has got.
  virtual AsyncStatus WriteAll(std::string_view bytes, BootTime deadline) = 0;

  /// Ends in order: says that no more bytes come (close_notify, FIN), then reads and throws away
  /// what the peer still sends until it ends too, the deadline comes or 1 MiB went by, then closes.
  /// (Closing at once with bytes unread would reset the connection, and the peer might lose our
  /// last answer.)
  virtual boost::asio::awaitable<void> Close(BootTime deadline) = 0;

  /// Ends operations under way with CANCELLED; afterwards as with a passed deadline.
  virtual void Cancel() = 0;

  /// Linger 0 and close: the kernel throws away what it has not sent and sends RST. Operations
  /// under way end with CANCELLED. Idempotent.
  virtual void Abort() = 0;

  /// Whether an idle connection can take a request: open, not ended by the peer, no bytes unread.
  /// One system call, does not wait. False while in doubt.
  virtual bool ProbeOpen() = 0;

  /// TCP_USER_TIMEOUT: the kernel gives up on sent bytes that are not acknowledged for so long.
  virtual absl::Status SetUserTimeout(std::chrono::milliseconds timeout) = 0;

  /// Peer as "address:port", IPv6 in brackets.
  virtual const std::string& peer() const = 0;
  virtual bool is_tls() const = 0;
};

struct ConnectOptions {
  /// Host name or address, IPv6 without brackets.
  std::string host;
  std::uint16_t port = 0;
  /// nullptr = plain TCP. Else the peer's certificate must be valid for `host`, which is also sent
  /// as SNI.
  std::shared_ptr<const TlsContext> tls;
  /// For resolving, connecting to one of the addresses, and the TLS handshake together.
  BootTime deadline = kNoDeadline;
};

/// Connects, with TCP_NODELAY. Addresses of a name are tried one after the other. Name resolution
/// runs beside the shard and does not hold it up. UNAVAILABLE: no such name, refused, unreachable,
/// handshake failed; DEADLINE_EXCEEDED. No byte of the application has left when this fails.
Async<std::unique_ptr<Stream>> Connect(boost::asio::any_io_executor executor,
                                       ConnectOptions options);

}  // namespace tollbridge::net

#endif  // TOLLBRIDGE_BASE_NET_STREAM_H_
