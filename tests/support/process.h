#ifndef TOLLBRIDGE_TESTS_SUPPORT_PROCESS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tollbridge::test {

/// How long a test waits for what must come, where it says no more: long enough for a machine that
/// does much else. What does not come fails all the same.
inline constexpr std::chrono::seconds kPatientLimit{90};

/// How a process ended: one of the two.
struct ExitStatus {
  std::optional<int> code;
  std::optional<int> signal;
};

using Environment = std::map<std::string, std::string>;

/// A child process whose output is kept. It dies with the thread that started it, and with this
/// object. Members are for one thread.
class Process {
 public:
  /// Runs command[0], looked up in PATH when it has no slash, with `environment` beside the test's
  /// own. stdin is empty. Throws std::runtime_error when it cannot be started.
  explicit Process(std::vector<std::string> command, const Environment& environment = {});
  /// Kills it (SIGKILL) if it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// The first line on stdout, also of those that came before, that contains `text`. nullopt when
  /// there is none by the limit, or when the output ended without it.
  std::optional<std::string> WaitForLine(std::string_view text,
                                         std::chrono::milliseconds limit = kPatientLimit);

  /// How it ended; nullopt when it still runs at the limit.
  std::optional<ExitStatus> WaitForExit(std::chrono::milliseconds limit = kPatientLimit);

  /// Waits until it has closed its output, which comes with its end or a moment after it.
  void WaitForOutputEnd();

  /// Its number, for /proc. Of nobody when it has ended.
  pid_t pid() const { return pid_; }

  /// Sends a signal. Nothing when it has ended.
  void Signal(int number);
  /// SIGSTOP: nothing of it runs any more when it returns. Nothing when it has ended.
  void Pause();
  /// SIGTERM until it has ended, since the second cuts short what the first lets end. False, and
  /// SIGKILL, when it does not.
  bool End();
  /// SIGKILL, and waits for the end.
  void Kill();

  /// What it has written so far.
  std::string standard_output() const;
  std::string standard_error() const;

 private:
  void ReadOutput(int output_fd, int error_fd);
  /// Whether it has ended by now.
  bool Reap(bool block);

  pid_t pid_ = -1;
  std::optional<ExitStatus> exit_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string output_;
  std::string error_;
  bool output_ended_ = false;
  std::thread reader_;
};

/// A command that has run to its end.
struct Finished {
  /// -1 when it was killed by a signal or did not end in time.
  int code = -1;
  std::string output;
  std::string error;
};

/// Runs a command to its end; kills it at the limit.
Finished Run(std::vector<std::string> command, const Environment& environment = {},
             std::chrono::milliseconds limit = kPatientLimit);

/// SIGSTOP to a process, and waits until each of its threads stands still: before, it may still
/// answer. Throws std::runtime_error when they do not.
void PauseProcess(pid_t pid);

/// The path of a program of this build: it lies beside the test.
std::string ProgramBeside(std::string_view name);

/// Whether `condition` holds within the limit. Looked at again every few milliseconds: for state
/// that lies in another process and cannot be waited for.
bool Eventually(const std::function<bool()>& condition,
                std::chrono::milliseconds limit = kPatientLimit);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_PROCESS_H_
