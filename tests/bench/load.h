#ifndef TOLLBRIDGE_TESTS_BENCH_LOAD_H_
#define TOLLBRIDGE_TESTS_BENCH_LOAD_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tollbridge::bench {

struct Load {
  std::uint16_t port = 0;
  /// Sent in turn. Each must be answered with 200 and a Content-Length.
  std::vector<std::string> requests;
  /// Keep-alive connections, each with one request under way at a time.
  int connections = 16;
  std::chrono::milliseconds duration{2000};
  /// Requests a second over all connections, each request once, however long that takes; 0 = as
  /// fast as the server answers, for the duration.
  double rate = 0;

  /// When a request is due at the rate.
  std::chrono::steady_clock::time_point Due(std::chrono::steady_clock::time_point begin,
                                            std::size_t request) const {
    return begin + std::chrono::nanoseconds(
                       static_cast<std::int64_t>(static_cast<double>(request) * 1e9 / rate));
  }
};

struct LoadResult {
  std::int64_t answers = 0;
  double seconds = 0;
  std::chrono::steady_clock::time_point begin;
  /// Of each answer: from the request, or from when it was due at the rate, to the whole answer. In
  /// milliseconds.
  std::vector<double> waits_ms;
  double rate() const { return static_cast<double>(answers) / seconds; }
};

/// Asks as fast as the server answers, or at the rate, from this one thread. At a rate a request
/// that finds no free connection waits for one, which counts. Throws std::runtime_error for any
/// answer but 200 and for a connection that breaks.
LoadResult Run(const Load& load);

}  // namespace tollbridge::bench

#endif  // TOLLBRIDGE_TESTS_BENCH_LOAD_H_
