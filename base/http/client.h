#ifndef TOLLBRIDGE_BASE_HTTP_CLIENT_H_
#define TOLLBRIDGE_BASE_HTTP_CLIENT_H_

#include <absl/status/status.h>

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "base/core/wall_time.h"
#include "base/http/message.h"
#include "base/http/url.h"
#include "base/net/tls.h"

namespace tollbridge::http {

struct ClientOptions {
  /// Origin, and a path that is put before every target. See ParseUrl.
  Url base_url;
  /// Required when base_url.tls, else unused.
  std::shared_ptr<const net::TlsContext> tls;
  /// Connections open at a time, in use and idle. Answers that go to a sink (SendOptions::on_body)
  /// have half of them at most, or the only one: whoever takes them may be slow.
  std::size_t max_connections = 64;
  /// How long a call waits for a connection when all are in use, at most; the call's deadline also
  /// counts.
  std::chrono::milliseconds max_pool_wait{1000};
  /// Requests that may wait for a connection; the next is turned away at once.
  std::size_t max_waiting = 1024;
  /// For resolve, connect and handshake; the call's deadline also counts.
  std::chrono::milliseconds connect_timeout{5000};
  /// A connection idle for longer is closed.
  std::chrono::milliseconds idle_timeout{50000};
  std::string user_agent = "tollbridge";
  /// Source of the boot-time clock, for tests.
  std::function<BootTime()> now = &BootClock::now;
  /// Source of civil time, for tests.
  std::function<WallTime()> civil_now = [] {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  };
};

/// Takes the next bytes of a body; returns when it can take more. An error ends the exchange.
using BodySink = std::function<AsyncStatus(std::string_view bytes)>;

struct SendOptions {
  /// Of the whole attempt: pool wait, connect, write, read.
  BootTime deadline;
  /// End of the send window (docs/design/operations.md#rule-2): read against the clock as the last
  /// act before the one socket write. Past it nothing is written, and the fate is kNotSent.
  std::optional<BootTime> write_before;
  /// The same by civil time: past either nothing is written. The boot-time clock stands still while
  /// a machine is paused by its host.
  std::optional<WallTime> write_before_civil;
  /// A longer body is an answer that cannot be read: kUnknown, RESOURCE_EXHAUSTED.
  std::size_t max_response_bytes = std::size_t{10} << 20;
  /// Takes the body of a 2xx answer piece by piece: the next is read from the socket only when the
  /// one before was taken, none is kept, and their sum has no limit. Other answers are read whole.
  BodySink on_body;
};

/// What is known about a request after an attempt.
enum class Fate {
  /// Proven: no byte of it left this process.
  kNotSent,
  /// A whole, well-formed response came.
  kAnswered,
  /// It may or may not have reached the peer and had its effect.
  kUnknown,
};

struct SendTimings {
  /// Waiting for a free connection.
  std::chrono::nanoseconds pool_wait{0};
  /// Resolve, connect and handshake; 0 on a reused connection.
  std::chrono::nanoseconds connect{0};
  /// First byte written to last byte of the answer.
  std::chrono::nanoseconds exchange{0};
};

struct SendResult {
  Fate fate = Fate::kNotSent;
  /// OK exactly when `fate` is kAnswered. INVALID_ARGUMENT for a request that cannot be written
  /// (control characters in a header), DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED (pool), UNAVAILABLE
  /// (network), FAILED_PRECONDITION (send window over), DATA_LOSS (malformed or truncated answer).
  absl::Status error;
  /// Valid when kAnswered. Any status; redirects are answers like others and are not followed.
  Response response;
  /// A part of the body was given to `on_body`; the body in `response` is empty then.
  bool body_given = false;
  /// `error` is that of `on_body`.
  bool body_refused = false;
  bool reused_connection = false;
  SendTimings timings;
};

/// Connections of one pool. Readable from any thread.
struct PoolStatistics {
  std::atomic<std::int64_t> idle{0};
  std::atomic<std::int64_t> in_use{0};
  std::atomic<std::int64_t> waiting{0};
  std::atomic<std::uint64_t> opened_total{0};
};

/// Pooled keep-alive HTTP/1.1 client for one origin. One per shard, used from that shard only. It
/// treats every request as one that must not be sent twice (docs/design/operations.md#rule-2): a
/// pooled connection is probed before use, TCP_USER_TIMEOUT is what is left of the attempt, and
/// there is no second try in here. Calls under way keep what they need alive, so the client may be
/// destroyed before they end; those that still wait for a connection then end with kNotSent,
/// CANCELLED.
class Client {
 public:
  Client(boost::asio::any_io_executor executor, ClientOptions options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// One attempt at one exchange. Header of the answer at most 16 KiB; interim (1xx) answers are
  /// skipped. When it does not end in order the connection is aborted (linger 0), so that the
  /// kernel does not go on sending. A HEAD answer has no body.
  boost::asio::awaitable<SendResult> Send(Request request, SendOptions options);

  /// Lives as long as the returned pointer, also after the client.
  std::shared_ptr<const PoolStatistics> statistics() const;
  const Url& base_url() const;
  /// Looks at the files of its TLS, as a new connection does: where none is made for long, the log
  /// tells what is in force all the same.
  void LookAtFiles() const;

 private:
  class Pool;
  std::shared_ptr<Pool> pool_;
};

}  // namespace tollbridge::http

#endif  // TOLLBRIDGE_BASE_HTTP_CLIENT_H_
