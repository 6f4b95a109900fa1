#ifndef TOLLBRIDGE_TESTS_UNIT_BASE_WIRE_WIRE_SERVER_H_
#define TOLLBRIDGE_TESTS_UNIT_BASE_WIRE_WIRE_SERVER_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <semaphore>
#include <set>
#include <string>
#include <thread>

#include "base/core/shard.h"
#include "base/wire/server.h"

namespace tollbridge::wire {

/// A server on two shards.
///  - /t.T/Echo answers its message;
///  - /t.T/Large answers as many bytes as its message is a number;
///  - /t.T/Stay never ends, whether its caller is there or not;
///  - /t.T/Wait answers when its caller has gone, and counts in `gone`;
///  - /t.T/Count streams a thousand messages of as many bytes as its message is a number;
///  - /t.T/Chat answers each message with itself;
///  - /t.T/Fail ends with an error whose details are as many bytes as its message is a number;
///  - /t.T/Block holds its shard until `unblock` was called for it.
class WireServer {
 public:
  explicit WireServer(Limits limits = {}, std::shared_ptr<const net::TlsContext> tls = nullptr);
  ~WireServer();

  std::uint16_t port() const { return server_->port(); }
  std::string address() const { return "127.0.0.1:" + std::to_string(port()); }
  Server& server() { return *server_; }
  std::uint64_t refused(Refusal refusal) const { return server_->counts()->of(refusal); }
  std::int64_t held() const { return server_->counts()->held(); }
  std::int64_t unsent() const { return server_->counts()->unsent(); }
  std::int64_t open() const { return server_->counts()->open(); }
  /// As Server::Stop. Blocks.
  bool Stop(std::chrono::milliseconds within);

  /// How many connections calls of Echo have come on.
  std::size_t peers() const {
    const std::lock_guard lock(mutex_);
    return peers_.size();
  }
  void Remember(const std::string& peer) {
    const std::lock_guard lock(mutex_);
    peers_.insert(peer);
  }

  std::atomic<int> started{0};
  std::atomic<int> gone{0};
  std::atomic<int> written{0};
  std::atomic<int> blocking{0};
  std::counting_semaphore<> unblock{0};

 private:
  Methods MakeMethods();

  mutable std::mutex mutex_;
  std::set<std::string> peers_;
  ShardPool shards_{2};
  std::unique_ptr<Server> server_;
  bool stopped_ = false;
};

/// Waits until it holds, for a generous time.
template <typename Condition>
bool Eventually(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_TESTS_UNIT_BASE_WIRE_WIRE_SERVER_H_
