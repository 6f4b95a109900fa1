#ifndef TOLLBRIDGE_TESTS_SUPPORT_SLOW_CONNECTIONS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_SLOW_CONNECTIONS_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace tollbridge::test {

/// Senders without good will: connections to a loopback port that send their request one byte at a
/// time, and come again when they are closed. On a thread of its own, until destroyed.
class SlowConnections {
 public:
  /// Opens `count` connections, each of which sends a byte every `pause`. Raises the process's
  /// limit of open files. Throws std::runtime_error when that does not suffice.
  SlowConnections(std::uint16_t port, std::size_t count,
                  std::chrono::milliseconds pause = std::chrono::seconds(1));
  ~SlowConnections();
  SlowConnections(const SlowConnections&) = delete;
  SlowConnections& operator=(const SlowConnections&) = delete;

  /// Every connection has been opened and has sent its first byte.
  bool all_sent() const { return sent_ >= count_; }
  /// Connections that the server has closed so far. All of them came again.
  std::size_t closed() const { return closed_; }

 private:
  struct Connection {
    int fd = -1;
    std::size_t next = 0;
  };

  void Run();
  void SendByte(Connection& connection);
  void Open(Connection& connection) const;

  const std::uint16_t port_;
  const std::size_t count_;
  const std::chrono::milliseconds pause_;
  std::atomic<std::size_t> sent_{0};
  std::atomic<std::size_t> closed_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::vector<Connection> connections_;
  std::thread thread_;
};

/// Raises the soft limit of open files of this process to at least `count`. Throws
/// std::runtime_error when the hard limit is lower.
void RaiseOpenFiles(std::size_t count);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_SLOW_CONNECTIONS_H_
