#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_HINT_LOG_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_HINT_LOG_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "services/ports/hint_log.h"

namespace tollbridge::test {

class FakeHintFeed;

/// The hints topic and the group that reads it, in memory. Used on one thread; outlives the logs
/// and feeds on it.
class FakeHintTopic {
 public:
  explicit FakeHintTopic(std::int32_t partitions = 4);

  /// Puts a record there as anybody might, parsable or not; into the partition of its key.
  void Put(const std::string& key, const std::string& value,
           const telemetry::TraceContext& trace = {});
  /// The partition that Kafka's default partitioner (murmur2) chooses.
  std::int32_t PartitionOf(const std::string& key) const;
  /// As if it was deleted and made again: the group's offsets go with it.
  void MakeAnew();
  /// As somebody sets it while nobody reads.
  void SetOffset(std::int32_t partition, std::int64_t offset, const std::string& note);
  /// Away: Append is UNAVAILABLE at once, feeds get nothing and are told once.
  void SetReachable(bool reachable);

  bool reachable() const { return reachable_; }
  std::int32_t partitions() const { return static_cast<std::int32_t>(partitions_.size()); }
  const std::vector<ports::HintRecord>& records(std::int32_t partition) const {
    return partitions_.at(static_cast<std::size_t>(partition)).records;
  }
  /// The offset that the group has stored; 0 when none.
  std::int64_t stored_offset(std::int32_t partition) const {
    return partitions_.at(static_cast<std::size_t>(partition)).stored.value_or(0);
  }

 private:
  friend class FakeHintFeed;
  struct Partition {
    std::vector<ports::HintRecord> records;
    std::optional<std::int64_t> stored;
    std::string note;
  };

  void Join(FakeHintFeed* feed);
  void Leave(FakeHintFeed* feed);
  void Share();

  /// As a broker has it unless it is told otherwise.
  static constexpr std::size_t kMostNote = 4096;

  std::vector<Partition> partitions_;
  std::vector<FakeHintFeed*> group_;
  bool reachable_ = true;
};

class FakeHintLog final : public ports::HintLog {
 public:
  explicit FakeHintLog(FakeHintTopic& topic) : topic_(topic) {}
  AsyncStatus Append(const events::v1::Hint& hint, const ports::Context& context) override;

 private:
  FakeHintTopic& topic_;
};

class FakeHintFeed final : public ports::HintFeed {
 public:
  FakeHintFeed(FakeHintTopic& topic, boost::asio::any_io_executor executor);
  /// Leaves the group like a process that dies.
  ~FakeHintFeed() override;

  absl::Status Start(ports::HintFeedObserver* observer) override;
  Async<std::vector<ports::HintRecord>> Next() override;
  void StoreOffset(std::int32_t partition, std::int64_t next_offset, std::string note) override;
  bool Owns(std::int32_t partition) const override { return positions_.contains(partition); }
  void Pause(std::int32_t partition) override;
  void Resume(std::int32_t partition) override;
  AsyncStatus Stop() override;

  bool paused(std::int32_t partition) const { return paused_.contains(partition); }

 private:
  friend class FakeHintTopic;
  void Revoke();
  void Assign(const std::vector<std::int32_t>& partitions);
  void Wake() { wake_.cancel(); }
  std::vector<ports::HintRecord> Take();

  FakeHintTopic& topic_;
  ports::HintFeedObserver* observer_ = nullptr;
  boost::asio::steady_timer wake_;
  std::map<std::int32_t, std::int64_t> positions_;  ///< of our partitions: the next record to give
  std::set<std::int32_t> paused_;
  bool tell_unreachable_ = false;
  bool stopped_ = false;
  /// Gone when the feed is: a waiting Next() must not touch it then.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

/// Keeps the dead letters.
class FakeDeadLetterLog final : public ports::DeadLetterLog {
 public:
  AsyncStatus Append(const ports::DeadLetter& letter, const ports::Context& context) override;

  /// Away: Append is UNAVAILABLE at once.
  void SetReachable(bool reachable) { reachable_ = reachable; }
  /// Letters whose key and value are larger are never taken.
  void SetMostBytes(std::size_t bytes) { most_bytes_ = bytes; }
  const std::vector<ports::DeadLetter>& letters() const { return letters_; }

 private:
  std::vector<ports::DeadLetter> letters_;
  std::size_t most_bytes_ = 1'000'000;
  bool reachable_ = true;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_HINT_LOG_H_
