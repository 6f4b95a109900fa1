#include "tests/support/shared_kafka.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/support/kafka_broker.h"

namespace tollbridge::test {
namespace {

KafkaAddress FindSharedKafka() {
  const char* const path = std::getenv("TOLLBRIDGE_TEST_KAFKA");
  if (path != nullptr && *path != '\0') {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(std::string("TOLLBRIDGE_TEST_KAFKA: cannot read ") + path);
    return ParseKafkaAddress({std::istreambuf_iterator<char>(file), {}});
  }
  static const KafkaBroker own(KafkaBroker::Machine::kQuick, KafkaBroker::kLongSession);
  return own.address();
}

}  // namespace

std::string ToJson(const KafkaAddress& address) {
  return boost::json::serialize(boost::json::object{{"brokers", address.brokers},
                                                    {"tls_brokers", address.tls_brokers},
                                                    {"ca_file", address.ca_file},
                                                    {"certificate_file", address.certificate_file},
                                                    {"key_file", address.key_file}});
}

KafkaAddress ParseKafkaAddress(const std::string& json) {
  try {
    const boost::json::object object = boost::json::parse(json).as_object();
    const auto text = [&](const char* name) { return std::string(object.at(name).as_string()); };
    return {.brokers = text("brokers"),
            .tls_brokers = text("tls_brokers"),
            .ca_file = text("ca_file"),
            .certificate_file = text("certificate_file"),
            .key_file = text("key_file")};
  } catch (const std::exception& problem) {
    throw std::runtime_error("not the address of a broker: " + json + ": " + problem.what());
  }
}

const KafkaAddress& SharedKafka() {
  static const KafkaAddress address = FindSharedKafka();
  return address;
}

}  // namespace tollbridge::test
