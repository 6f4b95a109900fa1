#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_HEARTBEAT_LOG_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_HEARTBEAT_LOG_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "services/ports/heartbeat_log.h"
#include "tests/support/fakes/fake_hint_log.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::test {

/// Says how far the group is with a FakeHintTopic, and keeps heartbeats. Used on one thread.
class FakeHeartbeatLog final : public ports::HeartbeatLog {
 public:
  /// `partitions`: of each topic of events that there is.
  FakeHeartbeatLog(FakeHintTopic& hints, std::map<std::string, std::int32_t> partitions)
      : hints_(hints), partitions_(std::move(partitions)) {}

  Async<std::vector<ports::HintsProgress>> Look(const ports::Context&) override {
    if (!hints_.reachable()) co_return absl::UnavailableError("the log is away");
    std::vector<ports::HintsProgress> look;
    for (std::int32_t i = 0; i < hints_.partitions(); ++i) {
      look.push_back({.finished = hints_.stored_offset(i),
                      .end = static_cast<std::int64_t>(hints_.records(i).size())});
    }
    co_return look;
  }
  Async<std::int32_t> CountPartitions(const std::string& topic, const ports::Context&) override {
    const auto found = partitions_.find(topic);
    if (!hints_.reachable() || found == partitions_.end()) {
      co_return absl::UnavailableError("the topic is away: " + topic);
    }
    co_return found->second;
  }
  AsyncStatus Append(const storage::v1::OutboxEntry& heartbeat, std::int32_t partition,
                     const ports::Context&) override {
    if (!hints_.reachable()) co_return absl::UnavailableError("the log is away");
    written_.emplace_back(partition, heartbeat);
    co_return absl::OkStatus();
  }

  /// Partition and record, in order.
  const std::vector<std::pair<std::int32_t, storage::v1::OutboxEntry>>& written() const {
    return written_;
  }

 private:
  FakeHintTopic& hints_;
  std::map<std::string, std::int32_t> partitions_;
  std::vector<std::pair<std::int32_t, storage::v1::OutboxEntry>> written_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_HEARTBEAT_LOG_H_
