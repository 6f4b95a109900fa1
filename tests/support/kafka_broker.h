#ifndef TOLLBRIDGE_TESTS_SUPPORT_KAFKA_BROKER_H_
#define TOLLBRIDGE_TESTS_SUPPORT_KAFKA_BROKER_H_

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/held_port.h"
#include "tests/support/shared_kafka.h"
#include "tests/support/test_certificates.h"

namespace tollbridge::test {

/// What a broker is of a cluster of several (KafkaCluster).
struct KafkaMember {
  int node = 1;
  int members = 1;
  /// "1@127.0.0.1:<port>,..." of all controllers.
  std::string voters;
  /// Its own among them.
  std::shared_ptr<const HeldPort> controller_port = std::make_shared<HeldPort>();
  /// Where its data lies; empty: in a temporary folder.
  std::string data_folder;
};

/// A real Kafka broker of one node (KRaft) on a free loopback port, from the jars in the folder
/// that the environment's TOLLBRIDGE_KAFKA_LIBS names (./dev test sets it), with a temporary folder
/// for its data. It dies with the thread that started it. Topics are not created by themselves.
/// Throws std::runtime_error when it cannot be started. Takes 3 s, so it is for tests that stop it;
/// all others use SharedKafka().
class KafkaBroker {
 public:
  /// How its virtual machine runs: so that it is there soon, or as Kafka's own scripts start it,
  /// for measurements.
  enum class Machine { kQuick, kServer };

  /// Of one that is stopped and started: it may come back when its last session has ended.
  static constexpr std::chrono::milliseconds kShortSession{3'000};
  /// Of one that is not: however busy the machine is, it is not taken for dead.
  static constexpr std::chrono::milliseconds kLongSession{60'000};

  /// Returns when it serves. `session`: how long its controller waits for a sign of life.
  explicit KafkaBroker(Machine machine = Machine::kQuick,
                       std::chrono::milliseconds session = kShortSession);
  /// Of a cluster: returns at once, since one alone never serves. Then AwaitServing.
  KafkaBroker(const KafkaMember& member, std::chrono::milliseconds session);
  /// Kills it and removes its folder.
  ~KafkaBroker();
  KafkaBroker(const KafkaBroker&) = delete;
  KafkaBroker& operator=(const KafkaBroker&) = delete;

  /// It stays the same when the broker is started again.
  KafkaAddress address() const;
  /// The same by SASL without TLS (SCRAM-SHA-256): for users that SetUser has made.
  std::string sasl_brokers() const { return "127.0.0.1:" + std::to_string(sasl_port_.port()); }
  /// Gives a user this password; without one there is no such user any more. It may do everything.
  /// Returns when the broker has it. Throws std::runtime_error when that fails.
  void SetUser(const std::string& user, const std::optional<std::string>& password) const;
  bool running() const { return pid_ > 0; }
  /// Its process; not positive while it does not run.
  pid_t pid() const { return pid_; }

  /// From its next start on clients by TLS must show a certificate of one of these authorities,
  /// files of PEM. Before that: of the one in address().
  void Trust(const std::vector<std::string>& ca_files) const;

  /// Of one that was begun as a member: returns when it serves. Throws std::runtime_error when it
  /// does not.
  void AwaitServing();

  /// From now on its log goes into this file, that of processes to come too.
  void KeepLog(const std::string& file);

  /// SIGTERM, and waits until it has handed its partitions over and ended.
  void ShutDown();
  /// Kills it (SIGKILL): connections are reset. What it acknowledged is kept. Idempotent.
  void Stop();
  /// Starts it again on the same port with the same data. Returns when it serves.
  void Start();
  /// SIGSTOP: connections stay open and nothing answers any more when it returns.
  void Pause();
  void Resume();

 private:
  class KeptLog;

  void MakeFolder();
  void Format();
  void Begin();
  pid_t Run(const std::string& arguments, int output_fd);

  std::string DataFolder() const;

  const Machine machine_;
  const std::chrono::milliseconds session_;
  KafkaMember member_;
  const TestCertificates certificates_{"IP:127.0.0.1"};
  std::string libs_;
  std::string folder_;
  // Kafka must be told which ports to advertise. They are held also while it is down.
  const HeldPort port_;
  const HeldPort tls_port_;
  const HeldPort sasl_port_;
  pid_t pid_ = -1;
  /// Where it writes its log, until somebody reads that all the time.
  int log_ = -1;
  std::thread log_reader_;
  const std::shared_ptr<KeptLog> kept_log_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_KAFKA_BROKER_H_
