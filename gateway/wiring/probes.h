#ifndef TOLLBRIDGE_GATEWAY_WIRING_PROBES_H_
#define TOLLBRIDGE_GATEWAY_WIRING_PROBES_H_

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/shard.h"
#include "base/http/server.h"

namespace tollbridge::gateway {

/// What an orchestrator asks a process: GET /livez, whether it is to be restarted, and GET /readyz,
/// whether calls and webhooks are to come to it. 200 with "ok", or 503 with a reason a line.
/// Neither asks for Redis: reads and webhooks go on without it, and no restart brings it back.
///
/// Filled while the process starts, then read on the first shard alone.
class Probes {
 public:
  /// Whether a role does its work now. On the first shard.
  using Check = std::function<bool()>;

  /// `shards` outlive the probes. `patience`: for how long a shard may be busy with one thing.
  explicit Probes(ShardPool& shards, std::chrono::milliseconds patience = std::chrono::seconds(5))
      : shards_(shards), patience_(patience) {}

  /// A role of this process, and what is said while it is not ready, e.g. "no broker answers".
  void AddRole(std::string_view role, Check ready, std::string_view otherwise);
  /// All roles have been added and started: until now nothing was ready.
  void Started() { state_.store(State::kStarted, std::memory_order_release); }
  /// The process is about to end: it is not ready from now on, whatever the roles say. Any thread.
  void EnterLameDuck() { state_.store(State::kLameDuck, std::memory_order_release); }

  /// Why the process is not ready; empty: it is. On the first shard.
  std::vector<std::string> NotReady() const;
  /// Which shards have not answered in time. On any of them.
  boost::asio::awaitable<std::vector<std::string>> NotLive();

  /// Answers GET and HEAD of /livez and /readyz, and leaves all else to `other`. For a server on
  /// the first shard; the probes outlive it.
  http::Handler Handler(http::Handler other);

 private:
  enum class State { kStarting, kStarted, kLameDuck };
  struct Role {
    std::string name;
    Check ready;
    std::string otherwise;
  };

  boost::asio::awaitable<http::Response> AnswerReady(const http::Request& request) const;
  boost::asio::awaitable<http::Response> AnswerLive(const http::Request& request);

  ShardPool& shards_;
  std::chrono::milliseconds patience_;
  std::vector<Role> roles_;
  std::atomic<State> state_{State::kStarting};
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_PROBES_H_
