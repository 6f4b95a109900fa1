#include "tests/support/slow_connections.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tollbridge::test {
namespace {

/// Never comes to its end at one byte a second.
constexpr std::string_view kRequest =
    "POST /webhooks/slow-0123456789abcdef0123456789abcdef HTTP/1.1\r\nHost: gateway.example\r\n"
    "Content-Type: application/json\r\nContent-Length: 4000\r\nX-Padding: ";

/// In how many parts the connections take their turn within a pause.
constexpr std::size_t kParts = 20;

}  // namespace

void RaiseOpenFiles(std::size_t count) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) throw std::runtime_error("no limit of open files");
  if (limit.rlim_cur >= count) return;
  limit.rlim_cur = std::max<rlim_t>(count, limit.rlim_cur);
  if (limit.rlim_cur > limit.rlim_max || setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    throw std::runtime_error("not allowed to open " + std::to_string(count) + " files");
  }
}

SlowConnections::SlowConnections(std::uint16_t port, std::size_t count,
                                 std::chrono::milliseconds pause)
    : port_(port), count_(count), pause_(pause), connections_(count) {
  RaiseOpenFiles(count + 1000);
  thread_ = std::thread([this] { Run(); });
}

SlowConnections::~SlowConnections() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  for (const Connection& connection : connections_) {
    if (connection.fd >= 0) close(connection.fd);
  }
}

void SlowConnections::Run() {
  std::unique_lock lock(mutex_);
  auto next_turn = std::chrono::steady_clock::now();
  for (std::size_t turn = 0; !stopping_; ++turn) {
    lock.unlock();
    for (std::size_t i = turn % kParts; i < connections_.size(); i += kParts) {
      SendByte(connections_[i]);
    }
    lock.lock();
    next_turn += pause_ / kParts;
    changed_.wait_until(lock, next_turn, [this] { return stopping_; });
  }
}

void SlowConnections::SendByte(Connection& connection) {
  if (connection.fd < 0) Open(connection);
  const char byte = kRequest[std::min(connection.next, kRequest.size() - 1)];
  if (send(connection.fd, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1) {
    if (connection.next++ == 0) ++sent_;
    // What the server says before it closes is of no interest, and neither may it wait for us.
    char discarded[512];
    if (recv(connection.fd, discarded, sizeof(discarded), MSG_DONTWAIT) != 0) return;
  } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
    return;  // not connected yet
  }
  ++closed_;
  close(connection.fd);
  connection.next = 0;
  Open(connection);
}

void SlowConnections::Open(Connection& connection) const {
  connection.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  setsockopt(connection.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // It need not have succeeded: the next byte tells.
  static_cast<void>(
      connect(connection.fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)));
}

}  // namespace tollbridge::test
