#include "tests/support/produce.h"

#include <librdkafka/rdkafka.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace tollbridge::test {
namespace {

constexpr int kFlushLimitMs = 60'000;

rd_kafka_t* NewProducer(const std::string& brokers) {
  std::array<char, 512> problem{};
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  for (const auto& [name, value] :
       {std::pair<const char*, const char*>{"bootstrap.servers", brokers.c_str()},
        // As the gateway's: a key stays in its partition.
        {"partitioner", "murmur2_random"}}) {
    if (rd_kafka_conf_set(conf, name, value, problem.data(), problem.size()) != RD_KAFKA_CONF_OK) {
      throw std::runtime_error(problem.data());
    }
  }
  rd_kafka_t* const handle = rd_kafka_new(RD_KAFKA_PRODUCER, conf, problem.data(), problem.size());
  if (handle == nullptr) throw std::runtime_error(problem.data());
  return handle;
}

rd_kafka_resp_err_t Produce(rd_kafka_t* handle, const std::string& topic,
                            const TopicRecord& record) {
  rd_kafka_headers_t* const headers = rd_kafka_headers_new(record.headers.size());
  for (const auto& [name, value] : record.headers) {
    rd_kafka_header_add(headers, name.c_str(), -1, value.data(),
                        static_cast<ssize_t>(value.size()));
  }
  const rd_kafka_resp_err_t error = rd_kafka_producev(
      handle, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_KEY(record.key.data(), record.key.size()),
      RD_KAFKA_V_VALUE(const_cast<char*>(record.value.data()), record.value.size()),
      RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
  // The record owns them only once it was taken.
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) rd_kafka_headers_destroy(headers);
  return error;
}

}  // namespace

void ProduceAll(const std::string& brokers, const std::string& topic,
                const std::vector<TopicRecord>& records) {
  rd_kafka_t* const handle = NewProducer(brokers);
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
  for (const TopicRecord& record : records) {
    error = Produce(handle, topic, record);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) break;
  }
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) error = rd_kafka_flush(handle, kFlushLimitMs);
  rd_kafka_destroy(handle);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) throw std::runtime_error(rd_kafka_err2str(error));
}

}  // namespace tollbridge::test
