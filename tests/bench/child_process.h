#ifndef TOLLBRIDGE_TESTS_BENCH_CHILD_PROCESS_H_
#define TOLLBRIDGE_TESTS_BENCH_CHILD_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tollbridge::bench {

/// A server under measurement. Killed and waited for when destroyed; dies with the benchmark.
class ChildProcess {
 public:
  /// Runs command[0], a path, on the one processor `cpu` (-1: on any), and waits until it has
  /// written a line to its stdout. Throws std::runtime_error when it cannot be started or ends
  /// without a line.
  ChildProcess(const std::vector<std::string>& command, int cpu);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// The line.
  const std::string& line() const { return line_; }
  pid_t pid() const { return pid_; }
  /// The port in the line's base_url.
  std::uint16_t port() const;
  /// Milliseconds from fork to the line.
  double start_ms() const { return start_ms_; }

  /// Resident memory now, in bytes.
  std::int64_t ResidentBytes() const;
  /// Processor time it has used, in seconds (10 ms exact).
  double ProcessorSeconds() const;

 private:
  void ReadLine(int fd);

  pid_t pid_ = -1;
  std::string line_;
  double start_ms_ = 0;
};

/// Processors that this process may run on.
std::vector<int> AllowedProcessors();
/// Keeps this process on one of them.
void PinTo(int cpu);
/// Keeps all threads of a process on one processor (-1: leaves them). `process` 0: the calling
/// thread alone, and what it starts from now on.
void PinProcess(pid_t process, int cpu);
/// Processor time that a process has used, all its threads and those that have ended. Microseconds.
/// Throws std::runtime_error when it has ended.
double ProcessorTime(pid_t process);

}  // namespace tollbridge::bench

#endif  // TOLLBRIDGE_TESTS_BENCH_CHILD_PROCESS_H_
