#ifndef TOLLBRIDGE_TESTS_BENCH_LOAD_H_
#define TOLLBRIDGE_TESTS_BENCH_LOAD_H_

#include <chrono>
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
};

struct LoadResult {
  std::int64_t answers = 0;
  double seconds = 0;
  double rate() const { return static_cast<double>(answers) / seconds; }
};

/// Asks as fast as the server answers, from this one thread. Throws std::runtime_error for any
/// answer but 200 and for a connection that breaks.
LoadResult Run(const Load& load);

}  // namespace tollbridge::bench

#endif  // TOLLBRIDGE_TESTS_BENCH_LOAD_H_
