#ifndef TOLLBRIDGE_TESTS_E2E_SUPPORT_STEADY_LOAD_H_
#define TOLLBRIDGE_TESTS_E2E_SUPPORT_STEADY_LOAD_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/grpc_client.h"

namespace tollbridge::test {

/// gRPC's configuration of a client that repeats what is answered UNAVAILABLE, any method: five
/// times at most, and soon.
inline constexpr std::string_view kRepeatUnavailable = R"({"methodConfig": [{"name": [{}],
  "retryPolicy": {"maxAttempts": 5, "initialBackoff": "0.05s", "maxBackoff": "1s",
                  "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]})";

/// A call of a load.
struct SteadyCall {
  std::string_view method;
  std::string request;
};

struct SteadyLoadOptions {
  /// Begun, whether the earlier ones have been answered or not.
  int per_second = 200;
  /// They take turns.
  int connections = 4;
  std::optional<RpcTls> tls;
  /// gRPC repeats what is answered UNAVAILABLE, as a service configuration has it do that.
  bool repeats = false;
  /// The call of this number, from 0. One thread at a time.
  std::function<SteadyCall(std::size_t)> call;
};

/// How the calls of a load have ended.
struct SteadyCalls {
  int calls = 0;
  /// From when a call was due to its answer.
  double p50_ms = 0;
  double p99_ms = 0;
  double longest_ms = 0;
  /// Of those that were not answered OK: the code, the reason or "bare", and the message.
  std::vector<std::string> failures;
};

/// Calls at a steady pace, on connections that are there before, on a thread of its own and from
/// 127.0.0.1.
class SteadyLoad {
 public:
  /// Returns when each connection has had its first answer.
  SteadyLoad(const std::string& address, SteadyLoadOptions options);
  ~SteadyLoad();
  SteadyLoad(const SteadyLoad&) = delete;
  SteadyLoad& operator=(const SteadyLoad&) = delete;

  /// Begins no more calls, and waits for those under way.
  SteadyCalls Stop();

 private:
  using Time = std::chrono::steady_clock::time_point;

  void Run();
  void Begin(std::size_t number, Time due);
  void Ended(const RpcReply& reply, Time due);
  void WaitForAll();

  const SteadyLoadOptions options_;
  std::deque<GrpcClient> clients_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  int under_way_ = 0;
  std::vector<double> waits_ms_;
  std::vector<std::string> failures_;
  std::thread thread_;
};

/// Reads one order again and again.
std::function<SteadyCall(std::size_t)> ReadsOf(const std::string& order);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_SUPPORT_STEADY_LOAD_H_
