#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_START_CHECK_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_START_CHECK_H_

#include <cstdint>
#include <map>

/// Whether a log still has what a committed offset stands behind. For .cc files of this room.
namespace tollbridge::kafka {

/// Reading begins at the record in front of the offset: its leader's epoch is that which was
/// committed, or the log has lost its end since and others have written there. librdkafka asks the
/// broker only where the leader changes while it reads, not where it begins.
///
/// On one shard.
class StartCheck {
 public:
  enum class Verdict {
    kTake,
    kPass,     ///< the record was finished before
    kRestart,  ///< the log is another: it is to be read from its beginning. Pass the record
  };

  /// Where to begin to read for an offset; the offset itself where nothing can be told.
  std::int64_t Begin(std::int32_t partition, std::int64_t next_offset, std::int32_t leader_epoch);
  /// Of each record that comes.
  Verdict Look(std::int32_t partition, std::int64_t offset, std::int32_t leader_epoch);
  /// Where the log ends, of a partition that is being read: no record comes where it ends in front
  /// of the one that is waited for. kRestart or kTake.
  Verdict LookAtEnd(std::int32_t partition, std::int64_t end);
  /// The partitions are given anew.
  void Forget() { fronts_.clear(); }

 private:
  /// The record in front of the offset.
  struct Front {
    std::int64_t offset = 0;
    std::int32_t leader_epoch = 0;
  };

  std::map<std::int32_t, Front> fronts_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_START_CHECK_H_
