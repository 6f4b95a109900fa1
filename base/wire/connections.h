#ifndef TOLLBRIDGE_BASE_WIRE_CONNECTIONS_H_
#define TOLLBRIDGE_BASE_WIRE_CONNECTIONS_H_

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/core/async.h"
#include "base/core/signal.h"
#include "base/net/tls.h"
#include "base/wire/server_call.h"

namespace tollbridge::wire {

class Connection;

/// The open connections of a server. Thread-safe. Holds none of them: each is owned by its
/// coroutine, so that it dies with its own io_context. Internal to base/wire.
class Connections : public std::enable_shared_from_this<Connections> {
 public:
  Connections(std::shared_ptr<Service> service, std::shared_ptr<const net::TlsContext> tls);

  /// Serves a connection on its socket's executor, or closes it when a bound says so.
  void Serve(boost::asio::ip::tcp::socket socket, std::size_t shard);
  /// Closes some that wait for their peer. Whether there were any.
  bool MakeRoom(Refusal refusal);
  /// Has each give up the answers that wait for too long, now that too many wait. Any thread; asked
  /// again soon it does nothing.
  void Hurry();
  std::size_t count() const;
  /// So many of those that made room have not gone yet that there is none for further ones: each
  /// still has its descriptor. Ends those among them that have had their time to go.
  bool ManyLeave();
  /// As Server::LookAtCertificates.
  void LookAtCertificates();
  void NotifyAll();
  void LeaveAll();
  void AbortAll();
  /// Waits until there is none, on `executor`. Whether that was in time.
  boost::asio::awaitable<bool> WaitUntilNone(boost::asio::any_io_executor executor,
                                             BootTime deadline);

 private:
  struct Open {
    boost::asio::any_io_executor executor;
    std::weak_ptr<Connection> connection;
    std::string source;
    /// It was told to make room, and counts no more.
    bool leaves = false;
    BootTime left_at{};
    bool ended = false;
  };
  struct Registration;

  /// Runs `action` for each of `open`, on its executor.
  static void OnEach(const std::vector<Open>& open, const std::function<void(Connection&)>& action);
  void ForEach(const std::function<void(Connection&)>& action);
  /// Whether it may be served; it is listed then.
  bool Admit(const std::shared_ptr<Connection>& connection, Open open);
  bool HasItsShare(const std::string& source) const;
  void Remove(const Connection* connection);
  /// It does not make room: it has got a call meanwhile.
  void Stays(const Connection* connection);
  // With the mutex.
  void CountIn(Open& open);
  void CountOut(Open& open);
  std::vector<Open> TakeSlowLeavers();
  std::vector<Open> TakeLongestWaiting();

  const std::shared_ptr<Service> service_;
  const std::shared_ptr<const net::TlsContext> tls_;
  mutable std::mutex mutex_;
  std::unordered_map<const Connection*, Open> open_;
  /// Of those, the ones that count.
  std::size_t count_ = 0;
  std::map<std::string, std::size_t> sources_;
  std::uint64_t number_ = 0;
  /// Which files of TLS the open connections were looked at with.
  std::atomic<std::uint64_t> seen_tls_{0};
  /// When it was hurried last.
  std::atomic<BootClock::rep> hurried_{0};
  /// Who waits for the last one to go, if anyone does.
  std::shared_ptr<Signal> none_left_;
};

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_BASE_WIRE_CONNECTIONS_H_
