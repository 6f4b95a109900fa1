#ifndef TOLLBRIDGE_TESTS_E2E_ATTACKS_HONEST_LOAD_H_
#define TOLLBRIDGE_TESTS_E2E_ATTACKS_HONEST_LOAD_H_

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/grpc_client.h"

namespace tollbridge::test {

/// How the calls of an honest load have ended.
struct HonestCalls {
  int calls = 0;
  /// From when a call was due to its answer.
  double p99_ms = 0;
  double longest_ms = 0;
  /// Of those that were not answered OK: what was answered.
  std::vector<std::string> failures;
};

/// 200 calls of GetOrder a second, on connections that are there before, whether the earlier ones
/// have been answered or not. On a thread of its own, from 127.0.0.1.
class HonestLoad {
 public:
  static constexpr int kPerSecond = 200;

  /// Returns when each connection has had its first answer. `order` is there.
  HonestLoad(const std::string& address, const std::optional<RpcTls>& tls,
             const std::string& order);
  ~HonestLoad();
  HonestLoad(const HonestLoad&) = delete;
  HonestLoad& operator=(const HonestLoad&) = delete;

  /// Begins no more calls, and waits for those under way.
  HonestCalls Stop();

 private:
  using Time = std::chrono::steady_clock::time_point;

  void Run();
  void Begin(GrpcClient& client, Time due);
  void Ended(const RpcReply& reply, Time due);
  void WaitForAll();

  const std::string request_;
  std::deque<GrpcClient> clients_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  int under_way_ = 0;
  std::vector<double> waits_ms_;
  std::vector<std::string> failures_;
  std::thread thread_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_ATTACKS_HONEST_LOAD_H_
