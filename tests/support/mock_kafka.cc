#include "tests/support/mock_kafka.h"

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace tollbridge::test {
namespace {

// The protocol's keys of requests.
constexpr std::int16_t kProduce = 0;
constexpr std::int16_t kHeartbeat = 12;

}  // namespace

MockKafka::MockKafka() {
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  std::array<char, 256> error{};
  rd_kafka_conf_set(conf, "log_level", "3", error.data(), error.size());
  handle_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error.data(), error.size());
  if (handle_ == nullptr) throw std::runtime_error(error.data());
  cluster_ = rd_kafka_mock_cluster_new(handle_, 1);
  if (cluster_ == nullptr) throw std::runtime_error("no mock cluster");
  // Else the first member of a group waits three seconds for others.
  rd_kafka_mock_group_initial_rebalance_delay_ms(cluster_, 0);
}

MockKafka::~MockKafka() {
  rd_kafka_mock_cluster_destroy(cluster_);
  rd_kafka_destroy(handle_);
}

std::string MockKafka::bootstrap_servers() const {
  return rd_kafka_mock_cluster_bootstraps(cluster_);
}

void MockKafka::CreateTopic(const std::string& name, int partitions) {
  if (rd_kafka_mock_topic_create(cluster_, name.c_str(), partitions, 1) !=
      RD_KAFKA_RESP_ERR_NO_ERROR) {
    throw std::runtime_error("the mock topic was not created");
  }
}

void MockKafka::SetUp(bool up) {
  if (up) {
    rd_kafka_mock_broker_set_up(cluster_, 1);
  } else {
    rd_kafka_mock_broker_set_down(cluster_, 1);
  }
}

void MockKafka::ForbidNextProduce() {
  rd_kafka_mock_push_request_errors(cluster_, kProduce, 1,
                                    RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
}

void MockKafka::RefuseNextProduce() {
  rd_kafka_mock_push_request_errors(cluster_, kProduce, 1,
                                    RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION);
}

void MockKafka::DelayNextOffsets(int millis) {
  rd_kafka_mock_broker_push_request_error_rtts(cluster_, 1, kOffsetFetch, 1,
                                               RD_KAFKA_RESP_ERR_NO_ERROR, millis);
  rd_kafka_mock_start_request_tracking(cluster_);
}

std::size_t MockKafka::CountRequests(std::int16_t key) const {
  std::size_t count = 0;
  rd_kafka_mock_request_t** const requests = rd_kafka_mock_get_requests(cluster_, &count);
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (rd_kafka_mock_request_api_key(requests[i]) == key) ++found;
  }
  rd_kafka_mock_request_destroy_array(requests, count);
  return found;
}

void MockKafka::RefuseNextCommit() {
  rd_kafka_mock_push_request_errors(cluster_, kOffsetCommit, 1, RD_KAFKA_RESP_ERR_UNKNOWN);
  rd_kafka_mock_start_request_tracking(cluster_);
}

void MockKafka::ForgetRequests() { rd_kafka_mock_clear_requests(cluster_); }

void MockKafka::FenceNextHeartbeat() {
  rd_kafka_mock_push_request_errors(cluster_, kHeartbeat, 1, RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID);
}

void MockKafka::SetRoundTripMillis(int millis) {
  rd_kafka_mock_broker_set_rtt(cluster_, 1, millis);
}

}  // namespace tollbridge::test
