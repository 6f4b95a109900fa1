#include "sandbox/kafka_broker.h"

#include <absl/status/status.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <array>
#include <cstdint>
#include <utility>

namespace tollbridge::sandbox {
namespace {

/// A request of the protocol, by its key, and the last version of it that is served.
struct ServedRequest {
  const char* name;
  std::int16_t key;
  std::int16_t last_version;
};

/// librdkafka's mock cluster offers versions of these whose requests it does not read right: it
/// knows nothing of their compact and tagged fields, nor of the list of members in LeaveGroup v3.
/// Clients take the last version that both sides know, so it is not to know those.
constexpr std::array kCappedRequests{
    ServedRequest{.name = "JoinGroup", .key = 11, .last_version = 5},
    ServedRequest{.name = "Heartbeat", .key = 12, .last_version = 3},
    ServedRequest{.name = "LeaveGroup", .key = 13, .last_version = 2},
    ServedRequest{.name = "SyncGroup", .key = 14, .last_version = 3},
};

}  // namespace

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
  for (const ServedRequest& request : kCappedRequests) {
    const rd_kafka_resp_err_t code =
        rd_kafka_mock_set_apiversion(cluster->mock, request.key, 0, request.last_version);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return absl::InternalError(std::string(request.name) + ": " + rd_kafka_err2str(code));
    }
  }
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
