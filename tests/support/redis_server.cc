#include "tests/support/redis_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "tests/support/held_port.h"
#include "tests/support/process.h"
#include "tests/support/test_certificates.h"

namespace tollbridge::test {
namespace {

constexpr std::chrono::seconds kStartLimit{90};

/// What the log says when the server listens; a Sentinel says no more than its id.
constexpr std::string_view kListens = "Ready to accept connections";
constexpr std::string_view kSentinelListens = "Sentinel ID is";

std::vector<std::string> TlsArguments(const TestCertificates& certificates) {
  return {"--tls-cert-file",    certificates.certificate_file(),
          "--tls-key-file",     certificates.key_file(),
          "--tls-ca-cert-file", certificates.ca_file(),
          "--tls-auth-clients", "yes",
          "--tls-replication",  "yes"};
}

/// Reads the server's log until it says `listens`.
void WaitUntilReady(int log_fd, std::string_view listens) {
  const auto end = std::chrono::steady_clock::now() + kStartLimit;
  std::string log;
  std::array<char, 4096> buffer{};
  while (log.find(listens) == std::string::npos) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd waiting{.fd = log_fd, .events = POLLIN, .revents = 0};
    const int ready = left.count() > 0 ? ::poll(&waiting, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) throw std::runtime_error("redis-server did not get ready: " + log);
    const ssize_t got = ::read(log_fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw std::runtime_error("redis-server ended: " + log);
    log.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

RedisServer::RedisServer(std::vector<std::string> arguments)
    : RedisServer(Setup{.arguments = std::move(arguments)}) {}

RedisServer RedisServer::WithTls(const TestCertificates& certificates,
                                 std::vector<std::string> arguments) {
  Setup setup{.arguments = TlsArguments(certificates), .tls = true};
  setup.arguments.insert(setup.arguments.end(), arguments.begin(), arguments.end());
  return RedisServer(std::move(setup));
}

RedisServer RedisServer::Sentinel(std::vector<std::string> configuration) {
  return RedisServer(Setup{.sentinel = std::move(configuration)});
}

RedisServer RedisServer::SentinelWithTls(const TestCertificates& certificates,
                                         std::vector<std::string> configuration) {
  return RedisServer(Setup{
      .arguments = TlsArguments(certificates), .tls = true, .sentinel = std::move(configuration)});
}

RedisServer::RedisServer(Setup setup) : setup_(std::move(setup)) {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "tollbridge-redis-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  Restart();
}

RedisServer::~RedisServer() {
  Stop();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string RedisServer::address() const { return "127.0.0.1:" + std::to_string(port()); }

std::vector<std::string> RedisServer::CommandLine() const {
  std::vector<std::string> command = {"redis-server"};
  if (!setup_.sentinel.empty()) {
    // It keeps in this file what it learns, so that it is written at the first start only.
    const std::string file = folder_ + "/sentinel.conf";
    if (!std::filesystem::exists(file)) {
      std::ofstream out(file);
      for (const std::string& line : setup_.sentinel) out << line << "\n";
    }
    command.insert(command.end(), {file, "--sentinel"});
  } else {
    // A replica is fed at once, not when others may have come too.
    command.insert(command.end(), {"--save", "", "--repl-diskless-sync-delay", "0",
                                   "--cluster-port", std::to_string(cluster_port_.port())});
  }
  const std::string port = std::to_string(this->port());
  command.insert(command.end(), {"--port", setup_.tls ? "0" : port});
  if (setup_.tls) command.insert(command.end(), {"--tls-port", port});
  command.insert(command.end(), {"--bind", "127.0.0.1", "--dir", folder_, "--daemonize", "no"});
  command.insert(command.end(), setup_.arguments.begin(), setup_.arguments.end());
  return command;
}

void RedisServer::Restart() {
  Stop();
  std::vector<std::string> command = CommandLine();
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (std::string& part : command) argv.push_back(part.data());
  argv.push_back(nullptr);

  std::array<int, 2> log{};
  if (::pipe2(log.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no fork");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::dup2(log[1], STDOUT_FILENO);
    ::dup2(log[1], STDERR_FILENO);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  pid_ = child;
  ::close(log[1]);
  try {
    WaitUntilReady(log[0], setup_.sentinel.empty() ? kListens : kSentinelListens);
  } catch (...) {
    ::close(log[0]);
    Stop();
    throw;
  }
  // What it logs from here on goes nowhere: it ignores SIGPIPE.
  ::close(log[0]);
}

void RedisServer::Stop() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

void RedisServer::Pause() {
  if (pid_ > 0) PauseProcess(pid_);
}

void RedisServer::Resume() {
  if (pid_ > 0) ::kill(pid_, SIGCONT);
}

std::vector<std::string> ReplicaOf(const RedisServer& primary) {
  return {"--replicaof", "127.0.0.1", std::to_string(primary.port())};
}

std::vector<std::string> Watch(const std::string& name, const RedisServer& primary) {
  return {"sentinel monitor " + name + " 127.0.0.1 " + std::to_string(primary.port()) + " 1",
          "sentinel down-after-milliseconds " + name + " 300",
          "sentinel failover-timeout " + name + " 2000"};
}

}  // namespace tollbridge::test
