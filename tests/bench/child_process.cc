#include "tests/bench/child_process.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace tollbridge::bench {
namespace {

std::vector<char*> Arguments(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

}  // namespace

std::vector<int> AllowedProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> allowed;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return allowed;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) allowed.push_back(cpu);
  }
  return allowed;
}

void PinTo(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  sched_setaffinity(0, sizeof(set), &set);
}

void PinProcess(pid_t process, int cpu) {
  if (cpu < 0) return;
  if (process == 0) return PinTo(cpu);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    sched_setaffinity(std::stoi(task.path().filename()), sizeof(set), &set);
  }
}

double ProcessorTime(pid_t process) {
  clockid_t clock = 0;
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) {
    throw std::runtime_error("a server under measurement has ended");
  }
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

ChildProcess::ChildProcess(const std::vector<std::string>& command, int cpu) {
  const std::vector<char*> arguments = Arguments(command);
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const auto begin = std::chrono::steady_clock::now();
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("no process");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (cpu >= 0) PinTo(cpu);
    dup2(pipe_ends[1], STDOUT_FILENO);
    execv(arguments.front(), arguments.data());
    _exit(127);
  }
  close(pipe_ends[1]);
  ReadLine(pipe_ends[0]);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  start_ms_ = took.count();
  close(pipe_ends[0]);
  if (line_.empty()) throw std::runtime_error(command.front() + " ended without a word");
}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void ChildProcess::ReadLine(int fd) {
  for (char c = 0; read(fd, &c, 1) == 1 && c != '\n';) line_.push_back(c);
}

std::uint16_t ChildProcess::port() const {
  static constexpr std::string_view kBefore = R"("base_url":"http://127.0.0.1:)";
  const std::size_t at = line_.find(kBefore);
  std::uint16_t port = 0;
  if (at != std::string::npos) {
    const char* begin = line_.data() + at + kBefore.size();
    std::from_chars(begin, line_.data() + line_.size(), port);
  }
  if (port == 0) throw std::runtime_error("no address in: " + line_);
  return port;
}

std::int64_t ChildProcess::ResidentBytes() const {
  std::ifstream in("/proc/" + std::to_string(pid_) + "/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  in >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

double ChildProcess::ProcessorSeconds() const {
  std::ifstream in("/proc/" + std::to_string(pid_) + "/stat");
  std::string text;
  std::getline(in, text);
  // Fields after the name, which may hold anything: state is the first, utime the 12th.
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace tollbridge::bench
