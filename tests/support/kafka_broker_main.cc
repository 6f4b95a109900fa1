// test_kafka_broker: a real Kafka broker for all programs of a test run. It prints its address as a
// line of JSON (shared_kafka.h), lives until its standard input ends, its parent dies or it is told
// to end, and leaves nothing behind.

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>

#include "tests/support/kafka_broker.h"
#include "tests/support/shared_kafka.h"

namespace {

using tollbridge::test::KafkaBroker;

/// A descriptor that is readable when this process is told to end.
int SignalsToEnd() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  // Before there is another thread, so that no other one is hit.
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  return ::signalfd(-1, &signals, SFD_CLOEXEC);
}

void WaitForTheEnd(int signal_fd) {
  std::array<pollfd, 2> sources{pollfd{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                pollfd{.fd = signal_fd, .events = POLLIN, .revents = 0}};
  std::array<char, 256> ignored{};
  while (true) {
    if (::poll(sources.data(), sources.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (sources[1].revents != 0) return;
    if (sources[0].revents == 0) continue;
    const ssize_t got = ::read(STDIN_FILENO, ignored.data(), ignored.size());
    if (got == 0 || (got < 0 && errno != EINTR)) return;
  }
}

}  // namespace

int main() {
  const pid_t parent = ::getppid();
  const int signal_fd = SignalsToEnd();
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (signal_fd < 0 || ::getppid() != parent) return 1;
  try {
    const KafkaBroker broker(KafkaBroker::Machine::kQuick, KafkaBroker::kLongSession);
    std::cout << tollbridge::test::ToJson(broker.address()) << std::endl;
    WaitForTheEnd(signal_fd);
  } catch (const std::exception& problem) {
    std::cerr << "test_kafka_broker: " << problem.what() << "\n";
    return 1;
  }
  return 0;
}
