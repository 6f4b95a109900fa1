#include "tests/support/kafka_cluster.h"

#include <fcntl.h>
#include <librdkafka/rdkafka.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "tests/support/process.h"

namespace tollbridge::test {
namespace {

constexpr int kAskLimitMs = 5'000;
/// Enough for the records of a run; its broker's indexes take what they use of it.
constexpr const char* kDiskSize = "size=256m";

/// Whether all replicas of all partitions are in sync; false also when no broker answers.
bool AllInSync(rd_kafka_t* client) {
  const rd_kafka_metadata_t* metadata = nullptr;
  if (rd_kafka_metadata(client, 1, nullptr, &metadata, kAskLimitMs) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return false;
  }
  bool all = metadata->broker_cnt == static_cast<int>(KafkaCluster::kBrokers);
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    const rd_kafka_metadata_topic_t& topic = metadata->topics[i];
    for (int j = 0; j < topic.partition_cnt; ++j) {
      const rd_kafka_metadata_partition_t& partition = topic.partitions[j];
      all = all && partition.leader >= 0 && partition.isr_cnt == partition.replica_cnt;
    }
  }
  rd_kafka_metadata_destroy(metadata);
  return all;
}

}  // namespace

KafkaCluster::KafkaCluster() {
  MountDisk();
  StartAll();
}

KafkaCluster::~KafkaCluster() {
  for (std::unique_ptr<KafkaBroker>& broker : brokers_) broker.reset();
  if (disk_.empty()) return;
  ::umount2(disk_.c_str(), MNT_DETACH);
  std::error_code ignored;
  std::filesystem::remove_all(disk_, ignored);
}

// Mounts of this thread and of the brokers that it starts, which nobody else sees.
void KafkaCluster::MountDisk() {
  if (::unshare(CLONE_NEWNS) != 0) return;
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return;
  std::string pattern =
      (std::filesystem::temp_directory_path() / "tollbridge-disk-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  if (::mount("none", pattern.c_str(), "tmpfs", 0, kDiskSize) == 0) {
    disk_ = pattern;
    return;
  }
  std::error_code ignored;
  std::filesystem::remove_all(pattern, ignored);
}

void KafkaCluster::StartAll() {
  std::array<KafkaMember, kBrokers> members;
  std::string voters;
  for (std::size_t i = 0; i < kBrokers; ++i) {
    KafkaMember& member = members.at(i);
    member.node = static_cast<int>(i) + 1;
    member.members = static_cast<int>(kBrokers);
    voters += (i == 0 ? "" : ",") + std::to_string(member.node) +
              "@127.0.0.1:" + std::to_string(member.controller_port->port());
  }
  if (!disk_.empty()) members.at(small_disk()).data_folder = disk_ + "/data";
  for (std::size_t i = 0; i < kBrokers; ++i) {
    members.at(i).voters = voters;
    brokers_.at(i) = std::make_unique<KafkaBroker>(members.at(i), kSession);
  }
  // None serves before two of them are there.
  for (const std::unique_ptr<KafkaBroker>& broker : brokers_) broker->AwaitServing();
}

KafkaAddress KafkaCluster::address() const {
  KafkaAddress all;
  for (const std::unique_ptr<KafkaBroker>& broker : brokers_) {
    all.brokers += (all.brokers.empty() ? "" : ",") + broker->address().brokers;
  }
  return all;
}

bool KafkaCluster::AwaitInSync(std::chrono::milliseconds limit) const {
  std::array<char, 512> problem{};
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", address().brokers.c_str(), problem.data(),
                    problem.size());
  // A broker that is still away is no news.
  rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
  rd_kafka_t* const client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, problem.data(), problem.size());
  if (client == nullptr) throw std::runtime_error(problem.data());
  const bool all = Eventually([client] { return AllInSync(client); }, limit);
  rd_kafka_destroy(client);
  return all;
}

void KafkaCluster::FillDisk() const {
  const int file = ::open((disk_ + "/ballast").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) throw std::runtime_error("the disk cannot be filled");
  for (const std::size_t piece : {std::size_t{1} << 20, std::size_t{1} << 12, std::size_t{1}}) {
    const std::vector<char> bytes(piece, 'x');
    while (::write(file, bytes.data(), bytes.size()) > 0) {
    }
  }
  ::close(file);
}

void KafkaCluster::FreeDisk() const {
  std::error_code ignored;
  std::filesystem::remove(disk_ + "/ballast", ignored);
}

}  // namespace tollbridge::test
