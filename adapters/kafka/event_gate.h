#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_GATE_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_GATE_H_

#include <absl/status/status.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace tollbridge::kafka {

/// Keeps a partition that takes nothing, since it has no leader or too few replicas, from holding
/// up the others: each record for it would be waited for until its deadline, by a reader that could
/// read other orders meanwhile. Once one has been in vain, two at a time may try, and the others
/// are told so at once, until one is taken. Pure; one shard.
class EventGate {
 public:
  /// `partitions`: of each topic. Where a topic has another number, what it keeps back is that of
  /// other keys.
  explicit EventGate(int partitions) : partitions_(partitions) {}

  /// Begins to write a record of this key. False: not now; nothing has begun.
  bool Enter(const std::string& topic, std::string_view key);
  /// What was begun has ended so.
  void Leave(const std::string& topic, std::string_view key, const absl::Status& status);

 private:
  struct Partition {
    bool in_vain = false;
    std::size_t under_way = 0;
  };
  Partition& Of(const std::string& topic, std::string_view key);

  int partitions_;
  std::map<std::pair<std::string, int>, Partition> places_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_EVENT_GATE_H_
