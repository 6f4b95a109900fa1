#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_HINT_CONSUMER_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_HINT_CONSUMER_H_

#include <absl/status/statusor.h>
#include <librdkafka/rdkafka.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "adapters/kafka/client.h"
#include "adapters/kafka/handles.h"
#include "adapters/kafka/hint_feed.h"
#include "adapters/kafka/offset_commits.h"
#include "adapters/kafka/queue_watcher.h"
#include "adapters/kafka/share_gauges.h"
#include "adapters/kafka/start_check.h"
#include "base/core/signal.h"
#include "services/ports/hint_log.h"

/// For .cc files of this room.
namespace tollbridge::kafka {

/// One client of the group's, which KafkaHintFeed exchanges for another when its settings change or
/// it can no longer be right. Lives on the feed's shard, and is kept alive by the coroutines that
/// run in it. Members as those of KafkaHintFeed, where nothing else is said.
class HintConsumer final : public std::enable_shared_from_this<HintConsumer> {
 public:
  static absl::StatusOr<std::shared_ptr<HintConsumer>> Create(
      const HintFeedSettings& settings, const boost::asio::any_io_executor& executor);
  /// For Create.
  HintConsumer(HintFeedSettings settings, const boost::asio::any_io_executor& executor,
               std::shared_ptr<Client> client);

  /// `topic_gone`: is called once, when the topic is no longer there, or has lost a partition that
  /// we have. The topic may be made anew; the client goes on with what it knows of the old one, and
  /// passes over leaders that are not newer than those (librdkafka 2.8).
  absl::Status Start(ports::HintFeedObserver* observer, std::function<void()> topic_gone);
  Async<std::vector<ports::HintRecord>> Next();
  void StoreOffset(std::int32_t partition, std::int64_t next_offset, std::string note);
  void SetPaused(std::int32_t partition, bool paused);
  AsyncStatus Stop();
  void Abandon();
  void ReportShare();
  bool member() const { return member_; }
  bool Owns(std::int32_t partition) const { return !stopped_ && owned_.contains(partition); }
  /// It can never be a member again, as when a newer one has its name.
  bool fenced() const { return fenced_; }
  const std::shared_ptr<Client>& client() const { return client_; }

 private:
  void ServeGroup();
  void Rebalance(rd_kafka_event_t* event);
  void AskForShare();
  void HandleNotes(rd_kafka_event_t* event);
  void TakeShare(const std::map<std::int32_t, std::string>& notes);
  void RefuseShare();
  void RevokeAll();
  void HandleError(rd_kafka_event_t* event);
  std::vector<ports::HintRecord> Take();
  bool IsWanted(const ports::HintRecord& record);
  void Add(ports::HintRecord record, std::vector<ports::HintRecord>* taken);
  void ReadFromTheBeginning(std::int32_t partition);
  void PollRegularly();
  PartitionsPtr ListOf(std::int32_t partition) const;

  const HintFeedSettings settings_;
  std::function<void()> topic_gone_;
  std::shared_ptr<Client> client_;
  ports::HintFeedObserver* observer_ = nullptr;
  ShareGauges gauges_;
  Signal wake_;  ///< Next() should look again
  boost::asio::steady_timer poll_timer_;
  absl::Status trouble_;  ///< what the next Next() answers, once
  bool stopped_ = false;
  bool member_ = false;
  std::set<std::int32_t> owned_;
  bool fenced_ = false;
  /// What is finished counts for nothing in a topic that may be another.
  bool gone_ = false;
  StartCheck start_check_;
  /// Of logs that have gone back: nobody may take them for those of the log before, so what was
  /// taken of that one is out first.
  std::deque<ports::HintRecord> held_;
  /// By partition, the offset of the last one that was taken.
  std::map<std::int32_t, std::int64_t> last_taken_;
  /// What the group gives us, until its notes are known.
  PartitionsPtr given_;
  std::intptr_t times_given_ = 0;
  int times_asked_ = 0;
  // Last, so that the queues are given back before the handle goes.
  QueueWatcher group_;
  QueueWatcher records_;
  const std::shared_ptr<OffsetCommits> commits_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_HINT_CONSUMER_H_
