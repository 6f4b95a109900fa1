#ifndef TOLLBRIDGE_BASE_HTTP_SERVER_CONNECTIONS_H_
#define TOLLBRIDGE_BASE_HTTP_SERVER_CONNECTIONS_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/core/signal.h"
#include "base/http/server.h"

namespace tollbridge::http {

class ServerConnection;

/// The open connections of a server. Thread-safe. Holds none of them: each is owned by its
/// coroutine, so that it dies with its own io_context. Internal to base/http.
class ServerConnections : public std::enable_shared_from_this<ServerConnections> {
 public:
  ServerConnections(ServerOptions options, Handler handler);

  /// Serves a connection on its socket's executor.
  void Serve(boost::asio::ip::tcp::socket socket);
  /// Closes some that wait for their peer (ServerLimits::max_connections). Whether there were any.
  bool MakeRoom();
  std::size_t count() const;
  /// See Server::Stop. Runs on `executor`.
  AsyncStatus Drain(boost::asio::any_io_executor executor, BootTime deadline);
  void AbortAll();

  const ServerOptions& options() const { return options_; }
  const Handler& handler() const { return handler_; }

 private:
  struct Registration;

  /// How many connections an address has, by address.
  using Sources = std::unordered_map<std::string, std::size_t>;

  struct Open {
    boost::asio::any_io_executor executor;
    std::weak_ptr<ServerConnection> connection;
    /// Where that is kept, which moves only when there is none any more.
    Sources::value_type* source;
  };
  using Table = std::unordered_map<const ServerConnection*, Open>;

  /// Runs `action` for each of `open`, on its executor.
  static void OnEach(const std::vector<Open>& open,
                     const std::function<void(ServerConnection&)>& action);
  /// Runs `action` for each connection, on the connection's executor.
  void ForEach(const std::function<void(ServerConnection&)>& action);
  void Remove(const ServerConnection* connection);
  bool HasRoom() const;
  bool HasRoom(const std::string& source) const;
  /// Closes some, or one of an address. Whether there were any.
  bool Shed(std::size_t count, const std::string* source);
  // With the mutex.
  /// Takes those out of the list that are to be closed for others.
  std::vector<Open> TakeLongestWaiting(std::size_t count, const std::string* source);
  Open Take(Table::iterator open);

  const ServerOptions options_;
  const Handler handler_;
  mutable std::mutex mutex_;
  Table open_;
  Sources sources_;
  // Who waits in Drain, if anyone does.
  std::shared_ptr<Signal> drained_;
};

}  // namespace tollbridge::http

#endif  // TOLLBRIDGE_BASE_HTTP_SERVER_CONNECTIONS_H_
