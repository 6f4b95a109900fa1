#ifndef TOLLBRIDGE_TESTS_SUPPORT_KAFKA_BROKER_H_
#define TOLLBRIDGE_TESTS_SUPPORT_KAFKA_BROKER_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <thread>

#include "tests/support/test_certificates.h"

namespace tollbridge::test {

/// A real Kafka broker of one node (KRaft) on a free loopback port, from the jars in the folder
/// that the environment's TOLLBRIDGE_KAFKA_LIBS names (./dev test sets it), with a temporary folder
/// for its data. It dies with the thread that started it. Topics are not created by themselves.
/// Throws std::runtime_error when it cannot be started. Takes 3 s, so one a test program: Shared().
class KafkaBroker {
 public:
  /// How its virtual machine runs: so that it is there soon, or as Kafka's own scripts start it,
  /// for measurements.
  enum class Machine { kQuick, kServer };

  /// Returns when it serves.
  explicit KafkaBroker(Machine machine = Machine::kQuick);
  /// Kills it and removes its folder.
  ~KafkaBroker();
  KafkaBroker(const KafkaBroker&) = delete;
  KafkaBroker& operator=(const KafkaBroker&) = delete;

  /// The one of this test program, started when first asked for. Tests that share it use topics and
  /// groups of their own, and leave it running. `machine` is that of who asks first.
  static KafkaBroker& Shared(Machine machine = Machine::kQuick);

  std::uint16_t port() const { return port_; }
  /// "127.0.0.1:<port>"
  std::string bootstrap_servers() const;
  /// The same by TLS, for clients that show a certificate of certificates().
  std::string tls_bootstrap_servers() const;
  const TestCertificates& certificates() const { return certificates_; }
  bool running() const { return pid_ > 0; }
  /// Its process; not positive while it does not run.
  pid_t pid() const { return pid_; }

  /// Kills it (SIGKILL): connections are reset. What it acknowledged is kept. Idempotent.
  void Stop();
  /// Starts it again on the same port with the same data. Returns when it serves.
  void Start();
  /// SIGSTOP: connections stay open and nothing answers any more when it returns.
  void Pause();
  void Resume();

 private:
  void Format();
  /// False when a port was taken.
  bool Launch();
  pid_t Run(const std::string& arguments, int output_fd);

  const Machine machine_;
  const TestCertificates certificates_{"IP:127.0.0.1"};
  std::string libs_;
  std::string folder_;
  std::uint16_t port_ = 0;
  std::uint16_t tls_port_ = 0;
  std::uint16_t controller_port_ = 0;
  pid_t pid_ = -1;
  std::thread log_reader_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_KAFKA_BROKER_H_
