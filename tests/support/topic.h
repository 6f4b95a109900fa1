#ifndef TOLLBRIDGE_TESTS_SUPPORT_TOPIC_H_
#define TOLLBRIDGE_TESTS_SUPPORT_TOPIC_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/process.h"

namespace tollbridge::test {

/// A record of a topic as any consumer gets it.
struct TopicRecord {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  /// Its own time, in milliseconds since 1970: by default when its producer made it.
  std::int64_t time = 0;
  std::string key;
  std::string value;
  std::vector<std::pair<std::string, std::string>> headers;

  /// The first header of the name; empty when there is none.
  std::string header(std::string_view name) const;
};

/// Reads all partitions of a topic from the beginning, without a group, with nothing but
/// librdkafka. One thread. Throws std::runtime_error when the broker does not say which partitions
/// there are.
class Topic {
 public:
  Topic(const std::string& brokers, std::string name);
  ~Topic();
  Topic(const Topic&) = delete;
  Topic& operator=(const Topic&) = delete;

  /// Reads on until `enough` is true of the records; false at the limit.
  bool ReadUntil(const std::function<bool(const std::vector<TopicRecord>&)>& enough,
                 std::chrono::milliseconds limit = kPatientLimit);
  /// Reads all that the topic holds now; the records that are no heartbeats.
  const std::vector<TopicRecord>& ReadAll();
  /// What was read so far, in order within a partition. Heartbeats, which come at any time, are
  /// apart.
  const std::vector<TopicRecord>& records() const { return records_; }
  const std::vector<TopicRecord>& heartbeats() const { return heartbeats_; }

 private:
  class Consumer;
  std::string brokers_;
  std::string name_;
  std::map<std::int32_t, std::int64_t> next_;  ///< by partition, behind what was read
  std::unique_ptr<Consumer> consumer_;
  void ReadOne();

  std::vector<TopicRecord> records_;
  std::vector<TopicRecord> heartbeats_;
};

/// How far a consumer group is behind the end of a topic. One thread. Throws as Topic does.
class GroupLag {
 public:
  GroupLag(const std::string& brokers, std::string topic, const std::string& group);
  ~GroupLag();
  GroupLag(const GroupLag&) = delete;
  GroupLag& operator=(const GroupLag&) = delete;

  /// Records that the group has not committed yet, by partition; nullopt: the brokers do not say
  /// within the limit.
  std::optional<std::vector<std::int64_t>> Now(
      std::chrono::milliseconds limit = std::chrono::seconds(1));

 private:
  class Asker;
  std::unique_ptr<Asker> asker_;
};

/// Writes a record and waits until the broker has it. Throws when it does not take it.
void ProduceTo(const std::string& brokers, const std::string& topic, const std::string& key,
               const std::string& value);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_TOPIC_H_
