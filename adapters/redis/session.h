#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SESSION_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SESSION_H_

#include <absl/status/status.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/reply.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "base/core/signal.h"
#include "base/net/stream.h"

namespace tollbridge::redis {

struct SessionLimits {
  /// Commands without a reply, given-up ones included; the next is turned away at once.
  std::size_t max_in_flight = 4096;
  /// How often the server is asked for its health while nothing else is in flight: at multiples of
  /// this since the machine was started, so that the sessions of a shard wake it once.
  std::chrono::milliseconds heartbeat{2000};
  /// With replies outstanding and not a byte for so long, the session is taken for dead.
  std::chrono::milliseconds stall_timeout{5000};
};

/// What is asked of an idle server to see whether it still serves.
struct HealthCheck {
  Command command = {"PING"};
  /// Not OK closes the session; nullptr = any answer will do.
  absl::Status (*judge)(const Reply& reply) = nullptr;
};

struct SessionSettings {
  SessionLimits limits;
  HealthCheck health;
  /// Takes what the server says unasked, on a session that has subscribed: the text of each
  /// message, on the shard.
  std::function<void(std::string_view channel, std::string_view message)> on_message = nullptr;
};

/// One connected stream with commands pipelined over it. Internal to Connection; lives on its
/// shard. Its coroutines keep it alive, so it ends only after Close(). It closes by itself when an
/// answer shows that the server is not the primary (CheckNotDemoted).
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(boost::asio::any_io_executor executor, std::unique_ptr<net::Stream> stream,
          SessionSettings settings);

  /// Starts reading, writing and probing.
  void Start();
  /// Aborts the stream; what is in flight fails with STORE_UNAVAILABLE. Idempotent.
  void Close(const absl::Status& why);
  /// Why it was closed; OK while it is open.
  const absl::Status& why_closed() const { return why_closed_; }
  /// Ends when it was closed, at Nudge, or at the deadline.
  boost::asio::awaitable<void> WaitClosed(BootTime deadline);
  void Nudge() { is_closed_.Fire(); }
  /// Ends when nothing is in flight, when it was closed, or at the deadline.
  boost::asio::awaitable<void> WaitIdle(BootTime deadline);

  struct Result {
    absl::StatusOr<Reply> reply;
    /// The error is that the deadline came first.
    bool timed_out = false;
  };
  /// Sends formatted bytes of one command and waits for its reply. STORE_UNAVAILABLE when closed,
  /// when too many are in flight, or at the deadline: then the result is unknown, the reply is
  /// dropped when it comes, and what is pipelined behind goes on.
  boost::asio::awaitable<Result> Execute(std::string command, BootTime deadline);

  struct Results {
    /// The replies stand in the order of the commands.
    absl::StatusOr<std::vector<Reply>> replies;
    bool timed_out = false;
  };
  /// Does what Execute does with several commands, which go out in one write with nothing between
  /// them.
  boost::asio::awaitable<Results> ExecuteTogether(std::vector<std::string> commands,
                                                  BootTime deadline);

 private:
  struct Pending {
    explicit Pending(const boost::asio::any_io_executor& executor) : done(executor) {}
    Signal done;  ///< the reply is there
    std::optional<absl::StatusOr<Reply>> reply;
    bool health_check = false;
  };

  static boost::asio::awaitable<void> Read(std::shared_ptr<Session> self);
  static boost::asio::awaitable<void> Write(std::shared_ptr<Session> self);
  static boost::asio::awaitable<void> Probe(std::shared_ptr<Session> self);
  /// Why `count` commands cannot be sent now.
  absl::Status CheckRoom(std::size_t count) const;
  std::shared_ptr<Pending> Enqueue(const std::string& command);
  static boost::asio::awaitable<Result> Take(std::shared_ptr<Pending> pending, BootTime deadline);
  absl::Status Deliver();
  /// Hands a message on. False when the reply is none.
  bool TakeMessage(const Reply& reply) const;
  /// Not OK when the session must end because of this reply.
  absl::Status Judge(const Pending& asked, const Reply& reply) const;

  boost::asio::any_io_executor executor_;
  std::unique_ptr<net::Stream> stream_;
  SessionLimits limits_;
  HealthCheck health_;
  std::function<void(std::string_view, std::string_view)> on_message_;
  ReplyReader reader_;
  std::deque<std::shared_ptr<Pending>> pending_;
  std::string unsent_;
  BootTime last_progress_;
  bool closed_ = false;
  absl::Status why_closed_;
  Signal to_write_;
  Signal to_probe_;
  Signal is_closed_;
  Signal is_idle_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SESSION_H_
