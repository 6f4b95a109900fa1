#ifndef TOLLBRIDGE_TESTS_EVENTS_MODEL_HINT_TOPIC_H_
#define TOLLBRIDGE_TESTS_EVENTS_MODEL_HINT_TOPIC_H_

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "services/ports/hint_log.h"
#include "tests/events_model/traits.h"

namespace tollbridge::events_model {

/// What is wrong with Kafka.
struct KafkaState {
  bool reachable = true;
  /// In percent of the records that are written.
  std::int64_t lost_answers = 0;
  std::int64_t lost_requests = 0;
  /// Those whose answer is lost may be written so long after their sender has given up.
  Time latest = 0;
};

/// How one record fares on its way.
struct Sending {
  bool written = true;
  bool answered = true;
  Time written_at = 0;
  Time ends_at = 0;  ///< when its sender knows, or gives up
};
Sending RollSending(World& world, const KafkaState& kafka, Time deadline);

class HintFeedOfGroup;

/// The topic of hints and the group that reads it.
class HintTopic {
 public:
  struct Record {
    ports::HintRecord record;
    Time at = 0;
    /// A webhook of this was answered 200.
    bool promised = false;
  };
  /// Is told what a committed offset passes, one record after the other.
  using OnCommitted = std::function<void(const Record&)>;

  HintTopic(World& world, KafkaState& kafka, OnCommitted on_committed);

  /// Writes a record now. Where it lies: partition and offset.
  Record& Write(const std::string& key, const std::string& value);
  Record& Write(const events::v1::Hint& hint);
  /// The last `count` records of the partition are gone: its offsets go back. All: it is made anew.
  void Truncate(std::size_t partition, std::size_t count);

  struct Partition {
    std::vector<Record> records;
    std::int64_t committed = 0;
    std::string note;
    /// Rises with each loss.
    std::int32_t leader_epoch = 0;
  };
  const std::vector<Partition>& partitions() const { return partitions_; }
  const KafkaState& kafka() const { return kafka_; }
  /// Those who wait for records look again: something is there, or Kafka is.
  void WakeAll();

 private:
  friend class HintFeedOfGroup;
  void Join(HintFeedOfGroup* feed);
  /// It died, or stands still: the group goes on without it after the session's time.
  void Lost(HintFeedOfGroup* feed);
  void Rebalance(Time at);
  void ShareNow();
  struct Stored {
    std::int64_t offset = 0;
    std::string note;
  };
  void Commit(std::size_t partition, const Stored& stored);

  World& world_;
  KafkaState& kafka_;
  OnCommitted on_committed_;
  std::vector<Partition> partitions_;
  std::vector<HintFeedOfGroup*> members_;
  std::uint64_t rebalances_ = 0;
};

/// How long the group waits for one of whom it hears nothing.
inline constexpr Time kSessionTimeout = 10 * kSecond;

/// A process' share of the topic.
class HintFeedOfGroup final : public ports::HintFeed {
 public:
  HintFeedOfGroup(HintTopic& topic, World& world, boost::asio::io_context& context)
      : topic_(topic), world_(world), context_(context), gate_(world) {}
  ~HintFeedOfGroup() override;

  absl::Status Start(ports::HintFeedObserver* observer) override;
  Async<std::vector<ports::HintRecord>> Next() override;
  void StoreOffset(std::int32_t partition, std::int64_t next_offset, std::string note) override;
  bool Owns(std::int32_t partition) const override { return positions_.contains(partition); }
  void Pause(std::int32_t partition) override { paused_.insert(partition); }
  void Resume(std::int32_t partition) override;
  AsyncStatus Stop() override;

  /// The process stands still for so long; it may wake as a zombie, whose share others have.
  void StandsStill(Time length);

 private:
  friend class HintTopic;
  std::vector<ports::HintRecord> Take();
  /// Tells the reader that nothing is its own any more.
  void Revoke(bool commits);
  void Assign(std::int32_t partition, std::int64_t offset);
  /// Tells the reader what is its own now.
  void TellShare();
  void PlanCommit();
  void CommitStored();

  HintTopic& topic_;
  World& world_;
  boost::asio::io_context& context_;
  Gate gate_;
  ports::HintFeedObserver* observer_ = nullptr;
  /// The next offset that is handed out, of each partition of its own.
  std::map<std::int32_t, std::int64_t> positions_;
  std::map<std::int32_t, HintTopic::Stored> stored_;
  std::set<std::int32_t> paused_;
  bool in_group_ = false;
  bool stopped_ = false;
  bool tell_unreachable_ = false;
  bool commit_planned_ = false;
  /// Events of the world ask whether it is still there.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

/// Writes hints for one process.
class HintLogOfProcess final : public ports::HintLog {
 public:
  HintLogOfProcess(HintTopic& topic, World& world) : topic_(topic), world_(world) {}
  AsyncStatus Append(const events::v1::Hint& hint, const ports::Context& context) override;

 private:
  HintTopic& topic_;
  World& world_;
};

/// What nobody could use. Of the run; outlives the processes.
class DeadLetters final : public ports::DeadLetterLog {
 public:
  DeadLetters(World& world, KafkaState& kafka) : world_(world), kafka_(kafka) {}
  AsyncStatus Append(const ports::DeadLetter& letter, const ports::Context& context) override;
  const std::vector<ports::DeadLetter>& letters() const { return letters_; }

 private:
  World& world_;
  KafkaState& kafka_;
  std::vector<ports::DeadLetter> letters_;
};

}  // namespace tollbridge::events_model

#endif  // TOLLBRIDGE_TESTS_EVENTS_MODEL_HINT_TOPIC_H_
