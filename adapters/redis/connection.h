#ifndef TOLLBRIDGE_ADAPTERS_REDIS_CONNECTION_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_CONNECTION_H_

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/command_executor.h"
#include "adapters/redis/reply.h"
#include "adapters/redis/sentinel.h"
#include "adapters/redis/session.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "base/core/live_text.h"
#include "base/net/tls.h"

namespace tollbridge::telemetry {
class Metrics;
}

namespace tollbridge::redis {

/// Makes a connection one that listens and does nothing else: while Redis sends messages over it,
/// it takes no other commands.
struct Subscription {
  /// Empty: an ordinary connection.
  std::vector<std::string> channels;
  /// Each message, on the shard.
  std::function<void(std::string_view channel, std::string_view message)> on_message = nullptr;
  /// Messages come from now on, after a time in which they were lost. On the shard.
  std::function<void()> on_subscribed = nullptr;
};

struct ConnectionOptions {
  /// What the store is called, for metrics.
  std::string store = "redis";
  /// With sentinels, `host` and `port` are not used: they are asked for the primary at each
  /// connect.
  SentinelOptions sentinel;
  std::string host;
  std::uint16_t port{};
  /// nullptr = plain TCP.
  std::shared_ptr<const net::TlsContext> tls;
  /// For AUTH; empty user = the default user, empty password = no AUTH. Asked for at each connect.
  std::string user;
  LiveText password;
  /// For SELECT.
  int database = 0;
  /// The key of the store's epoch (keyspace.h): a store of another layout is not used. Empty: not
  /// asked.
  std::string epoch_key;
  /// For finding the primary, connect, handshake and login together.
  std::chrono::milliseconds connect_timeout{2000};
  /// No command waits longer, whatever its caller's deadline.
  std::chrono::milliseconds command_timeout{};
  /// Wait before the n-th reconnect: backoff_first * 2^n, at most backoff_max, of which a random
  /// half is taken off.
  std::chrono::milliseconds backoff_first{50};
  std::chrono::milliseconds backoff_max{2000};
  SessionLimits limits;
  Subscription subscription;
};

/// A connection to one Redis, which reconnects by itself. One per shard, used from that shard only.
/// While it is not connected commands fail at once: nothing is queued for later, since a mutation
/// must not start after its send window. Only a primary is used: ROLE is checked at login and while
/// idle, and an answer that only a replica gives ends the session, so that the primary is looked
/// for again.
class Connection : public CommandExecutor {
 public:
  /// `metrics` outlives the connection and its io_context's last handler.
  Connection(boost::asio::any_io_executor executor, ConnectionOptions options,
             telemetry::Metrics& metrics);
  /// Stops. Commands under way end with STORE_UNAVAILABLE.
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Starts to connect, and to reconnect from then on.
  void Start();
  /// Has a session with the password and the certificate that are in force now take over from the
  /// one that is open: commands under way end where they are, and then that one is closed. A
  /// connection that cannot be had leaves it as it is, and is tried again; one that connects anew
  /// meanwhile has them anyway.
  void Renew();
  /// Closes for good. Idempotent.
  void Stop();
  /// Ends when connected and logged in; STORE_UNAVAILABLE at the deadline, with the last reason.
  AsyncStatus WaitReady(BootTime deadline);

  /// Sends a command and waits for its reply; commands sent meanwhile are pipelined. A reply may be
  /// an error of Redis: see StatusOf. UNAVAILABLE reason STORE_UNAVAILABLE when not connected, when
  /// too many are in flight, when the connection was lost, or at the deadline; in the last two
  /// cases the result is unknown.
  Async<Reply> Execute(Command command, BootTime deadline) override;
  Async<std::vector<Reply>> ExecuteTogether(std::vector<Command> commands,
                                            BootTime deadline) override;

  void NoteReplicasMissing() override;
  void NoteNewEpoch(std::string_view cause) override;

  bool ready() const override;
  std::uint64_t generation() const override;
  std::uint64_t commands_sent() const override;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_CONNECTION_H_
