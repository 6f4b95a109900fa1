#ifndef TOLLBRIDGE_TESTS_SUPPORT_REDIS_SERVER_H_
#define TOLLBRIDGE_TESTS_SUPPORT_REDIS_SERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/held_port.h"

namespace tollbridge::test {

class TestCertificates;

/// A redis-server process of its own on a free loopback port, with an own folder for its files. It
/// dies with the thread that started it. Throws std::runtime_error when it cannot be started.
class RedisServer {
 public:
  /// `arguments` go on its command line, e.g. {"--appendonly", "yes"}. Without any it keeps nothing
  /// on disk. Returns when it accepts connections.
  explicit RedisServer(std::vector<std::string> arguments = {});
  /// One that speaks TLS only, wants client certificates of the same CA, and speaks TLS to its
  /// primary, or as a Sentinel to Redis.
  static RedisServer WithTls(const TestCertificates& certificates,
                             std::vector<std::string> arguments = {});
  /// A Sentinel of its own configuration file, e.g. {"sentinel monitor shop 127.0.0.1 6379 1"}.
  static RedisServer Sentinel(std::vector<std::string> configuration);
  static RedisServer SentinelWithTls(const TestCertificates& certificates,
                                     std::vector<std::string> configuration);
  /// Kills it and removes its folder.
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  std::uint16_t port() const { return port_.port(); }
  /// "127.0.0.1:<port>"
  std::string address() const;
  bool running() const { return pid_ > 0; }

  /// Kills it (SIGKILL): connections are reset, what is not on disk is lost. Idempotent.
  void Stop();
  /// Starts it again on the same port, with what it kept on disk.
  void Restart();
  /// SIGSTOP: connections stay open and nothing answers any more when it returns.
  void Pause();
  void Resume();

 private:
  struct Setup {
    std::vector<std::string> arguments;
    bool tls = false;
    /// Not empty: it runs as a Sentinel.
    std::vector<std::string> sentinel;
  };
  explicit RedisServer(Setup setup);

  std::vector<std::string> CommandLine() const;

  Setup setup_;
  std::string folder_;
  // Redis cannot say which ports it got. They are held also while it is down.
  const HeldPort port_;
  const HeldPort cluster_port_;
  pid_t pid_ = -1;
};

/// What makes a server a replica of `primary`.
std::vector<std::string> ReplicaOf(const RedisServer& primary);
/// What makes a Sentinel watch `primary` under a name and fail it over fast, on its own word.
std::vector<std::string> Watch(const std::string& name, const RedisServer& primary);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_REDIS_SERVER_H_
