#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_OFFSET_COMMITS_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_OFFSET_COMMITS_H_

#include <librdkafka/rdkafka.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

/// Commits the offsets of a member of a group. For .cc files of this room.
namespace tollbridge::kafka {

/// What is stored is committed within a second, each offset with its note, and again until the
/// group takes it. librdkafka's own committing would leave out a note that is new without its
/// offset, and offsets that lie before the last one, as where the log has gone back.
///
/// Where the group does not take notes so long (offset.metadata.max.bytes of its brokers), offsets
/// are committed without.
///
/// On one shard; made by make_shared. The client and the queue outlive it.
class OffsetCommits final : public std::enable_shared_from_this<OffsetCommits> {
 public:
  /// Answers are events on the queue.
  OffsetCommits(const boost::asio::any_io_executor& executor, rd_kafka_t* client,
                rd_kafka_queue_t* queue, std::string topic);

  /// A record was read: whoever has the partition next is told of its leader with an offset behind
  /// it, and so notices a log that has lost records since.
  void NoteLeader(std::int32_t partition, std::int64_t offset, std::int32_t leader_epoch);
  void Store(std::int32_t partition, std::int64_t next_offset, std::string note);
  /// Sends what is stored and was not sent or taken yet, now.
  void Commit();
  /// Of the event that answers it.
  void HandleAnswer(rd_kafka_event_t* event);
  /// The partitions are others' now.
  void Forget();
  /// Nothing is sent any more, except by Commit.
  void Stop();

 private:
  struct Stored {
    std::int64_t offset = -1;
    /// -1: not known.
    std::int32_t leader_epoch = -1;
    std::string note;
  };

  /// That of the record in front of the offset; -1 where none was read there.
  std::int32_t LeaderBefore(std::int32_t partition, std::int64_t next_offset);
  void CommitSoon();
  void GiveUpNotes();

  rd_kafka_t* const client_;
  rd_kafka_queue_t* const queue_;
  const std::string topic_;
  boost::asio::steady_timer timer_;
  bool is_due_ = false;
  bool stopped_ = false;
  bool without_notes_ = false;
  std::map<std::int32_t, Stored> stored_;
  /// By partition: from which offset on which leader's epoch.
  std::map<std::int32_t, std::map<std::int64_t, std::int32_t>> leaders_;
  /// Those of which what is stored was not sent yet, or not taken.
  std::set<std::int32_t> uncommitted_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_OFFSET_COMMITS_H_
