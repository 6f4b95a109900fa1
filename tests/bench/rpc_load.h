#ifndef TOLLBRIDGE_TESTS_BENCH_RPC_LOAD_H_
#define TOLLBRIDGE_TESTS_BENCH_RPC_LOAD_H_

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tollbridge::bench {

/// A method of a server, and what it is called with.
struct RpcTarget {
  /// As /package.Service/Method.
  std::string path;
  /// Whether the server streams.
  bool streams = false;
  /// The bytes of the next request.
  std::function<std::string()> next_request;
  /// Fewer bytes than these are no whole answer.
  std::size_t least_answer_bytes = 1;
};

/// Where a server is, and how it is called.
struct RpcAddress {
  std::string host_and_port;
  /// Whom to trust; empty: plaintext.
  std::string ca_file = {};
  /// Calls begin on them in turn.
  int connections = 1;
};

struct RpcLoad {
  const RpcTarget* target = nullptr;
  /// Calls under way at any time.
  int in_flight = 1;
  /// Of calls that are not counted, before those that are.
  std::chrono::milliseconds warm_up{100};
  /// How long calls are begun; all that were are waited for and counted, so that the processor time
  /// is that of these calls, whole.
  std::chrono::milliseconds duration{600};
  /// Processes whose processor time is taken.
  std::vector<pid_t> processes;
};

struct RpcLoadResult {
  std::int64_t calls = 0;
  double seconds = 0;
  /// Of each call, from its start to its status, sorted. Microseconds.
  std::vector<double> latencies;
  /// Of each process, while the calls were counted. Microseconds.
  std::vector<double> processor_time;

  /// `share` of the latencies are at most this; 0.5 is the median.
  double Percentile(double share) const;
};

/// Connections to a server, and the calls on them: with gRPC's completion queue, from the thread
/// that runs. A call that fails, or whose answer is too short, throws std::runtime_error.
class RpcClient {
 public:
  explicit RpcClient(const RpcAddress& address);
  ~RpcClient();
  RpcClient(const RpcClient&) = delete;
  RpcClient& operator=(const RpcClient&) = delete;

  /// The messages that one call is answered with.
  std::vector<std::string> CallOnce(const RpcTarget& target);
  RpcLoadResult Run(const RpcLoad& load);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tollbridge::bench

#endif  // TOLLBRIDGE_TESTS_BENCH_RPC_LOAD_H_
