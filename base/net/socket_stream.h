#ifndef TOLLBRIDGE_BASE_NET_SOCKET_STREAM_H_
#define TOLLBRIDGE_BASE_NET_SOCKET_STREAM_H_

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/net/stream.h"

namespace tollbridge::net {

/// The Stream over a socket, with the steps that come before it is one. Internal to base/net,
/// base/http and base/wire.
class SocketStream final : public Stream {
 public:
  /// Not connected yet.
  explicit SocketStream(const boost::asio::any_io_executor& executor);
  /// Connected, on the side that accepted.
  explicit SocketStream(boost::asio::ip::tcp::socket socket);
  ~SocketStream() override;

  AsyncStatus ConnectTo(boost::asio::ip::tcp::endpoint endpoint, BootTime deadline);
  /// `host` is what the peer's certificate must be valid for.
  AsyncStatus HandshakeAsClient(std::shared_ptr<const TlsContext> tls, std::string host,
                                BootTime deadline);
  /// What a step that costs much waits for.
  using Turn = std::function<boost::asio::awaitable<void>()>;
  /// Fails, too, where a message of the client is longer than HandshakeSizes::kMost. Each step,
  /// once the client has sent something, waits for `turn`, if there is one.
  AsyncStatus HandshakeAsServer(std::shared_ptr<const TlsContext> tls, BootTime deadline,
                                Turn turn = {});

  /// Writes what the socket takes at once, without suspending: how much. What is left is to be
  /// written next, by WriteAll, which tells of an error too.
  std::size_t WriteNow(std::string_view bytes);

  /// After the handshake: the protocol that was agreed on, as "h2"; empty when none was.
  std::string_view alpn() const;
  /// After the handshake: of the certificate that the peer has shown; none when it has not.
  CertificateNames PeerNames() const;
  /// On the side that accepted: as TlsContext::Revoked, of the context of the handshake.
  bool PeerRevoked(const TlsContext& tls) const;

  /// FAILED_PRECONDITION, on the side that accepted, when the peer asks for another TLS handshake.
  Async<std::size_t> ReadSome(std::span<char> into, BootTime deadline) override;
  AsyncStatus WriteAll(std::string_view bytes, BootTime deadline) override;
  boost::asio::awaitable<void> Close(BootTime deadline) override;
  void Cancel() override;
  void Abort() override;
  bool aborted() const;
  bool ProbeOpen() override;
  absl::Status SetUserTimeout(std::chrono::milliseconds timeout) override;
  const std::string& peer() const override;
  bool is_tls() const override;

 private:
  struct Core;
  class Deadline;
  // Shared with the coroutines and timers under way, which may outlast the stream by a moment.
  std::shared_ptr<Core> core_;
};

}  // namespace tollbridge::net

#endif  // TOLLBRIDGE_BASE_NET_SOCKET_STREAM_H_
