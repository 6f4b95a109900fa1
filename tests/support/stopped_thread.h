#ifndef TOLLBRIDGE_TESTS_SUPPORT_STOPPED_THREAD_H_
#define TOLLBRIDGE_TESTS_SUPPORT_STOPPED_THREAD_H_

#include <sys/types.h>

#include <string_view>

namespace tollbridge::test {

/// One thread of another process stands still while this lives, and the others go on: as one that
/// does not come back from what it called. By ptrace, which the process has to permit or the test
/// to have CAP_SYS_PTRACE for; begins and ends in one thread.
class StoppedThread {
 public:
  /// The first thread of this name (as in /proc/PID/task/TID/comm). Throws std::runtime_error when
  /// there is none, or when it may not be stopped.
  StoppedThread(pid_t process, std::string_view name);
  /// Lets it go on, if it is there yet.
  ~StoppedThread();
  StoppedThread(const StoppedThread&) = delete;
  StoppedThread& operator=(const StoppedThread&) = delete;

 private:
  pid_t thread_ = 0;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_STOPPED_THREAD_H_
