#include "services/sandbox/kafka_broker.h"

#include <absl/status/status.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <array>
#include <utility>

namespace tollbridge::sandbox {

struct KafkaBroker::Cluster {
  ~Cluster() {
    if (mock != nullptr) rd_kafka_mock_cluster_destroy(mock);
    if (handle != nullptr) rd_kafka_destroy(handle);
  }
  rd_kafka_t* handle = nullptr;
  rd_kafka_mock_cluster_t* mock = nullptr;
};

absl::StatusOr<std::unique_ptr<KafkaBroker>> KafkaBroker::Start(const std::vector<Topic>& topics) {
  auto cluster = std::make_unique<Cluster>();
  std::array<char, 512> error{};
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  // The handle only carries the mock cluster: its warnings about itself would mislead.
  rd_kafka_conf_set_log_cb(conf, nullptr);
  cluster->handle = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error.data(), error.size());
  if (cluster->handle == nullptr) return absl::InternalError(error.data());
  cluster->mock = rd_kafka_mock_cluster_new(cluster->handle, 1);
  if (cluster->mock == nullptr) return absl::InternalError("the mock cluster does not start");
  // Without this the first member of a group waits three seconds for others.
  rd_kafka_mock_group_initial_rebalance_delay_ms(cluster->mock, 0);
  for (const Topic& topic : topics) {
    const rd_kafka_resp_err_t code =
        rd_kafka_mock_topic_create(cluster->mock, topic.name.c_str(), topic.partitions, 1);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return absl::InternalError("topic " + topic.name + ": " + rd_kafka_err2str(code));
    }
  }
  std::string brokers = rd_kafka_mock_cluster_bootstraps(cluster->mock);
  return std::unique_ptr<KafkaBroker>(new KafkaBroker(std::move(cluster), std::move(brokers)));
}

KafkaBroker::KafkaBroker(std::unique_ptr<Cluster> cluster, std::string brokers)
    : cluster_(std::move(cluster)), brokers_(std::move(brokers)) {}

KafkaBroker::~KafkaBroker() = default;

}  // namespace tollbridge::sandbox
