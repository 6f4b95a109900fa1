#ifndef TOLLBRIDGE_TESTS_INTEGRATION_RPC_ECHO_SERVER_H_
#define TOLLBRIDGE_TESTS_INTEGRATION_RPC_ECHO_SERVER_H_

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/core/shard.h"
#include "base/telemetry/metrics.h"
#include "services/domain/project.h"
#include "services/rpc/access.h"
#include "services/rpc/dispatcher.h"
#include "services/rpc/drain.h"
#include "services/rpc/server.h"
#include "services/rpc/validate.h"
#include "tests/support/grpc_client.h"

namespace tollbridge::rpc {

/// Holds coroutines of any shard until the test opens it. Any thread.
class Gate {
 public:
  /// Suspends the coroutine until Open. It goes on where it was.
  boost::asio::awaitable<void> Pass();
  void Open();
  /// Whether that many have come to the gate, within a generous time.
  bool WaitForArrivals(int count);

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  int arrivals_ = 0;
  bool open_ = false;
  std::vector<std::function<void()>> waiting_;
};

/// The test service on a real gRPC server: two shards, the whole pipe but Durable, which
/// `FakeDurable` stands for.
///  - Say answers what it got, the caller's identity in `caller`; text "wait" waits at `gate`
///  first, "throw" throws, "raw" fails with an internal error.
///  - Change answers its text, after `gate` when the text is "wait", and counts in `changed`.
///  - Count streams; `written` is how many messages the flow control has taken.
class EchoServer {
 public:
  /// Without `access` callers over plaintext may do everything. The projects are shop and travel.
  explicit EchoServer(ServerSettings settings = {}, std::int64_t max_in_flight = 1000,
                      AccessSettings access = {.without_certificate = {"*"}});
  ~EchoServer();

  Server& server() { return *server_; }
  std::string address() const;
  Drain& drain() { return drain_; }
  telemetry::Metrics& metrics() { return metrics_; }
  double Counter(const telemetry::CounterDef& def, const std::vector<std::string>& labels);

  Gate gate;
  std::atomic<int> changed{0};
  std::atomic<int> written{0};
  std::atomic<bool> stream_ended{false};

 private:
  void Register(Dispatcher& dispatcher);

  std::unique_ptr<ports::Clock> clock_;
  MethodTable methods_;
  telemetry::Metrics metrics_;
  RequestRules rules_;
  AccessRules access_;
  domain::Projects projects_;
  Drain drain_;
  std::vector<std::unique_ptr<Dispatcher>> dispatchers_;
  ShardPool shards_{2};
  std::unique_ptr<Server> server_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_TESTS_INTEGRATION_RPC_ECHO_SERVER_H_
