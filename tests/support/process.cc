#include "tests/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tollbridge::test {
namespace {

constexpr int kLookIntervalMs = 10;

/// The environment of the test with `changes` in it.
std::vector<std::string> MergedEnvironment(const Environment& changes) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line(*entry);
    if (!changes.contains(std::string(line.substr(0, line.find('='))))) merged.emplace_back(line);
  }
  for (const auto& [name, value] : changes) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Whether each thread of the process is in the state T (proc_pid_stat(5)).
bool AllThreadsStopped(pid_t pid) {
  std::error_code gone;
  const std::filesystem::path tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, gone)) {
    std::string text;
    std::getline(std::ifstream(task.path() / "stat"), text);
    // The name, in parentheses, may hold anything; the state is the next field.
    const std::size_t name_end = text.rfind(')');
    const bool stopped = name_end == std::string::npos || text.substr(name_end + 2, 1) == "T";
    if (!stopped) return false;
  }
  return !gone;
}

}  // namespace

Process::Process(std::vector<std::string> command, const Environment& environment) {
  std::vector<std::string> variables = MergedEnvironment(environment);
  const std::vector<char*> argv = Pointers(command);
  const std::vector<char*> envp = Pointers(variables);
  std::array<int, 2> output{};
  std::array<int, 2> error{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0 || ::pipe2(error.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe");
  }
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(126);
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    ::dup2(output[1], STDOUT_FILENO);
    ::dup2(error[1], STDERR_FILENO);
    ::execvpe(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  ::close(output[1]);
  ::close(error[1]);
  reader_ = std::thread(
      [this, output_fd = output[0], error_fd = error[0]] { ReadOutput(output_fd, error_fd); });
}

Process::~Process() {
  Kill();
  reader_.join();
}

void Process::ReadOutput(int output_fd, int error_fd) {
  std::array<pollfd, 2> sources{pollfd{.fd = output_fd, .events = POLLIN, .revents = 0},
                                pollfd{.fd = error_fd, .events = POLLIN, .revents = 0}};
  std::array<std::string*, 2> sinks{&output_, &error_};
  std::array<char, 16384> buffer{};
  // A negative descriptor is one that has ended.
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    if (::poll(sources.data(), sources.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].fd < 0 || sources[i].revents == 0) continue;
      const ssize_t got = ::read(sources[i].fd, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      const std::lock_guard lock(mutex_);
      if (got > 0) {
        sinks[i]->append(buffer.data(), static_cast<std::size_t>(got));
      } else {
        ::close(sources[i].fd);
        sources[i].fd = -1;
        output_ended_ = sources[0].fd < 0 && sources[1].fd < 0;
      }
      changed_.notify_all();
    }
  }
}

std::optional<std::string> Process::WaitForLine(std::string_view text,
                                                std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  std::unique_lock lock(mutex_);
  std::size_t begin = 0;
  while (true) {
    for (std::size_t newline = output_.find('\n', begin); newline != std::string::npos;
         newline = output_.find('\n', begin)) {
      const std::string_view line = std::string_view(output_).substr(begin, newline - begin);
      if (line.find(text) != std::string_view::npos) return std::string(line);
      begin = newline + 1;
    }
    if (output_ended_) return std::nullopt;
    if (changed_.wait_until(lock, end) == std::cv_status::timeout) return std::nullopt;
  }
}

bool Process::Reap(bool block) {
  if (exit_) return true;
  int status = 0;
  pid_t got = -1;
  do {
    got = ::waitpid(pid_, &status, block ? 0 : WNOHANG);
  } while (got < 0 && errno == EINTR);
  if (got != pid_) return false;
  exit_ = ExitStatus{};
  if (WIFEXITED(status)) exit_->code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) exit_->signal = WTERMSIG(status);
  return true;
}

std::optional<ExitStatus> Process::WaitForExit(std::chrono::milliseconds limit) {
  Eventually([this] { return Reap(false); }, limit);
  return exit_;
}

void Process::WaitForOutputEnd() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return output_ended_; });
}

void Process::Signal(int number) {
  if (!Reap(false)) ::kill(pid_, number);
}

void Process::Pause() {
  if (!Reap(false)) PauseProcess(pid_);
}

bool Process::End() {
  const bool ended = Eventually([this] {
    Signal(SIGTERM);
    return WaitForExit(std::chrono::milliseconds(50)).has_value();
  });
  if (!ended) Kill();
  return ended;
}

void Process::Kill() {
  Signal(SIGKILL);
  Reap(true);
}

std::string Process::standard_output() const {
  const std::lock_guard lock(mutex_);
  return output_;
}

std::string Process::standard_error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

Finished Run(std::vector<std::string> command, const Environment& environment,
             std::chrono::milliseconds limit) {
  Finished finished;
  Process process(std::move(command), environment);
  const std::optional<ExitStatus> exit = process.WaitForExit(limit);
  if (exit && exit->code) finished.code = *exit->code;
  process.Kill();
  process.WaitForOutputEnd();
  finished.output = process.standard_output();
  finished.error = process.standard_error();
  return finished;
}

void PauseProcess(pid_t pid) {
  ::kill(pid, SIGSTOP);
  if (!Eventually([pid] { return AllThreadsStopped(pid); })) {
    throw std::runtime_error("the process " + std::to_string(pid) + " does not stand still");
  }
}

std::string ProgramBeside(std::string_view name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

bool Eventually(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    ::poll(nullptr, 0, kLookIntervalMs);
  }
  return true;
}

}  // namespace tollbridge::test
