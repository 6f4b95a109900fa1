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

void CreateTopicOf(const std::string& brokers, const std::string& topic,
                   const std::map<std::string, std::string>& settings) {
  std::array<char, 512> problem{};
  rd_kafka_NewTopic_t* made =
      rd_kafka_NewTopic_new(topic.c_str(), 1, 1, problem.data(), problem.size());
  if (made == nullptr) throw std::runtime_error(problem.data());
  for (const auto& [name, value] : settings) {
    rd_kafka_NewTopic_set_config(made, name.c_str(), value.c_str());
  }
  rd_kafka_t* const handle = NewProducer(brokers);
  rd_kafka_queue_t* const queue = rd_kafka_queue_new(handle);
  rd_kafka_AdminOptions_t* const options =
      rd_kafka_AdminOptions_new(handle, RD_KAFKA_ADMIN_OP_CREATETOPICS);
  // The brokers answer when all of them know it.
  rd_kafka_AdminOptions_set_operation_timeout(options, kFlushLimitMs, problem.data(),
                                              problem.size());
  rd_kafka_CreateTopics(handle, &made, 1, options, queue);
  rd_kafka_event_t* const event = rd_kafka_queue_poll(queue, kFlushLimitMs);
  std::string failure = event == nullptr ? "no answer" : "";
  if (event != nullptr) {
    if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) {
      failure = rd_kafka_event_error_string(event);
    } else {
      std::size_t count = 0;
      const rd_kafka_topic_result_t** const results =
          rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count);
      for (std::size_t i = 0; i < count; ++i) {
        if (rd_kafka_topic_result_error(results[i]) == RD_KAFKA_RESP_ERR_NO_ERROR) continue;
        failure = rd_kafka_topic_result_error_string(results[i]);
      }
    }
    rd_kafka_event_destroy(event);
  }
  rd_kafka_AdminOptions_destroy(options);
  rd_kafka_queue_destroy(queue);
  rd_kafka_NewTopic_destroy(made);
  rd_kafka_destroy(handle);
  if (!failure.empty()) throw std::runtime_error(topic + ": " + failure);
}

}  // namespace tollbridge::test
