#ifndef TOLLBRIDGE_TESTS_SUPPORT_SHARED_KAFKA_H_
#define TOLLBRIDGE_TESTS_SUPPORT_SHARED_KAFKA_H_

#include <string>

namespace tollbridge::test {

/// How clients reach a Kafka broker, and what they show it by TLS (paths of PEM files).
struct KafkaAddress {
  std::string brokers;      ///< "127.0.0.1:<port>"
  std::string tls_brokers;  ///< the same by TLS; clients must show a certificate of the CA
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;
};

/// One line of JSON, as test_kafka_broker prints it.
std::string ToJson(const KafkaAddress& address);
/// Reads that line. Throws std::runtime_error when it is something else.
KafkaAddress ParseKafkaAddress(const std::string& json);

/// The broker that all tests of a run share, which nobody stops: they use topics and groups of
/// their own. It is the one whose address stands in the file that the environment's
/// TOLLBRIDGE_TEST_KAFKA names (./dev test starts it). Without the variable it is started here when
/// first asked for, and lives as long as this process. Throws std::runtime_error when there is
/// none. A test that stops or pauses a broker has a KafkaBroker of its own.
const KafkaAddress& SharedKafka();

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_SHARED_KAFKA_H_
