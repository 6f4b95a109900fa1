#ifndef TOLLBRIDGE_BASE_HTTP_SERVER_CONNECTION_H_
#define TOLLBRIDGE_BASE_HTTP_SERVER_CONNECTION_H_

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/http/parsers.h"
#include "base/http/serialize.h"
#include "base/http/server.h"
#include "base/net/socket_stream.h"
#include "base/net/turns.h"

namespace tollbridge::http {

/// One connection of a server, on its socket's executor. Internal to base/http.
class ServerConnection {
 public:
  /// `source` is the address that it has its turns as.
  ServerConnection(const ServerOptions& options, const Handler& handler,
                   boost::asio::ip::tcp::socket socket, const std::string& source);

  /// Serves requests until the connection has to end, and ends it.
  boost::asio::awaitable<void> Run();
  /// No further request: ends the connection at once when idle, else after the answer under way.
  void Stop();
  void Abort();
  /// Others need the room: ends it at once while it waits, else after the answer under way.
  void Shed();

  static constexpr std::int64_t kDoesNotWait = -1;
  /// Since when it waits for the peer: for the handshake, for a request, for the rest of one, to
  /// take what was written; or for its turn, or as its handler says. A number that only compares
  /// with others; kDoesNotWait while an answer is being made. Any thread.
  std::int64_t waits_since() const { return waits_since_.load(std::memory_order_relaxed); }
  /// It has sent a request that was answered with a status below 400. Any thread.
  bool proven() const { return proven_.load(std::memory_order_relaxed); }
  /// It has its last answer. Any thread.
  bool leaves() const { return leaves_.load(std::memory_order_relaxed); }
  /// Its handler says that it waits. Any thread.
  bool handler_waits() const { return handler_waits_.load(std::memory_order_relaxed); }

 private:
  enum class Next {
    /// Another request may follow, or this phase succeeded.
    kGoOn,
    /// End in order: something was said that the peer should get to read.
    kClose,
    /// Nothing was left unsaid: close at once.
    kEnd,
    /// The peer must not take what it got for a whole answer: reset.
    kDrop,
  };

  void BeginWait();
  void HandlerWaits(std::function<void()> give_up);
  boost::asio::awaitable<Next> Handshake();
  boost::asio::awaitable<Next> AwaitRequest();
  boost::asio::awaitable<Next> ReadRequest();
  /// Reads until the parser makes progress that is not kNeedMore.
  boost::asio::awaitable<Next> ReadUntilProgress(BootTime deadline,
                                                 RequestParser::Progress& progress);
  boost::asio::awaitable<Next> Answer();
  boost::asio::awaitable<Next> Refuse(int status, std::string_view reason);
  /// Writes an ordinary response without suspending, and whether that was all of it. What was
  /// written is left out by the WriteResponse that then follows.
  bool WriteResponseNow(const Response& response, ResponseFraming framing);
  boost::asio::awaitable<Next> WriteResponse(Response response, ResponseFraming framing);
  boost::asio::awaitable<Next> WriteProduced(const Response& response, ResponseFraming framing);
  /// Writes, or resets the connection where `reset_after_bytes` says so.
  boost::asio::awaitable<Next> Write(const Response& response, std::string_view bytes);

  const ServerOptions& options_;
  const Handler& handler_;
  net::Turns::Waiter turn_;
  net::SocketStream stream_;
  RequestParser parser_;
  ConnectionInfo info_;
  std::size_t response_bytes_ = 0;
  std::size_t written_before_ = 0;
  bool idle_ = false;
  bool stopping_ = false;
  /// It is to end, whatever it waits for.
  bool shed_ = false;
  bool writes_ = false;
  /// Of a handler that waits.
  std::function<void()> give_up_;
  std::atomic<std::int64_t> waits_since_;
  std::atomic<bool> proven_{false};
  std::atomic<bool> leaves_{false};
  std::atomic<bool> handler_waits_{false};
};

}  // namespace tollbridge::http

#endif  // TOLLBRIDGE_BASE_HTTP_SERVER_CONNECTION_H_
