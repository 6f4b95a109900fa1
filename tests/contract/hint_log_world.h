#ifndef TOLLBRIDGE_TESTS_CONTRACT_HINT_LOG_WORLD_H_
#define TOLLBRIDGE_TESTS_CONTRACT_HINT_LOG_WORLD_H_

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "services/ports/heartbeat_log.h"
#include "services/ports/hint_log.h"

namespace tollbridge::test {

/// A heartbeat as it lies on its topic.
struct WrittenHeartbeat {
  std::int32_t partition = 0;
  bool has_key = false;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string value;
};

/// An empty hints topic of four partitions with its group, and an empty dead letter topic: what the
/// contract suites of ports/hint_log.h run on; and an empty topic of events for those of
/// ports/heartbeat_log.h. One a test.
class HintLogWorld {
 public:
  static constexpr std::int32_t kPartitions = 4;
  static constexpr std::int32_t kEventPartitions = 3;

  virtual ~HintLogWorld() = default;
  /// Where everything runs; the test thread runs it.
  virtual boost::asio::io_context& context() = 0;
  virtual ports::HintLog& log() = 0;
  virtual ports::DeadLetterLog& dead_letters() = 0;
  virtual ports::HeartbeatLog& heartbeats() = 0;
  virtual const std::string& events_topic() const = 0;
  /// The first `count` records of the topic of events; throws when they are not there.
  virtual std::vector<WrittenHeartbeat> ReadHeartbeats(std::size_t count) = 0;
  /// One more member of the group, not started.
  virtual std::unique_ptr<ports::HintFeed> MakeFeed() = 0;
  /// A record such as anybody may write.
  virtual void PutRaw(const std::string& key, const std::string& value) = 0;
  /// The first `count` dead letters, in order; throws when they are not there.
  virtual std::vector<ports::DeadLetter> ReadDeadLetters(std::size_t count) = 0;
  virtual void SetReachable(bool reachable) = 0;
  /// What the group has; nullopt: nothing.
  virtual std::optional<std::int64_t> CommittedOffset(std::int32_t partition) = 0;
  /// Somebody deletes the hints topic and makes it again under its name.
  virtual void MakeTopicAnew() = 0;
  /// Somebody sets the group's offset while nobody reads, as Kafka's own tool does; or as one that
  /// leaves this note.
  virtual void SetOffset(std::int32_t partition, std::int64_t offset, const std::string& note) = 0;
};

std::unique_ptr<HintLogWorld> MakeFakeHintLogWorld();
/// On the real broker of this test program.
std::unique_ptr<HintLogWorld> MakeKafkaHintLogWorld();

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_CONTRACT_HINT_LOG_WORLD_H_
