#include "tests/support/stopped_thread.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "tests/support/read_file.h"

namespace tollbridge::test {
namespace {

pid_t ThreadOf(pid_t process, std::string_view name) {
  const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    if (ReadFile(task.path() / "comm") == std::string(name) + "\n") {
      return std::stoi(task.path().filename());
    }
  }
  throw std::runtime_error("no thread has the name " + std::string(name));
}

}  // namespace

StoppedThread::StoppedThread(pid_t process, std::string_view name)
    : thread_(ThreadOf(process, name)) {
  const auto must = [](bool done, const char* what) {
    if (!done) throw std::system_error(errno, std::generic_category(), what);
  };
  must(::ptrace(PTRACE_SEIZE, thread_, nullptr, nullptr) == 0, "to trace a thread");
  must(::ptrace(PTRACE_INTERRUPT, thread_, nullptr, nullptr) == 0, "to stop a thread");
  must(::waitpid(thread_, nullptr, __WALL) == thread_, "to wait for a thread");
}

StoppedThread::~StoppedThread() { ::ptrace(PTRACE_DETACH, thread_, nullptr, nullptr); }

}  // namespace tollbridge::test
