#ifndef TOLLBRIDGE_SERVICES_EVENTS_HINT_LOOP_H_
#define TOLLBRIDGE_SERVICES_EVENTS_HINT_LOOP_H_

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/events/finished_ahead.h"
#include "services/events/hint_handler.h"
#include "services/events/settings.h"
#include "services/ports/clock.h"
#include "services/ports/hint_log.h"

namespace tollbridge::events {

/// Takes hints from the log and brings each to an end; stores an offset when everything before it
/// is finished (docs/design/events.md#hints and #reader). Each order has its own lane, so that a
/// slow one does not hold up others; hints of one order that came before its read are finished by
/// it, those that came during it make one more. While Redis, Kafka or the payment service is down
/// the partition pauses, and tries again by itself; while one of them is down for some orders alone
/// only these wait. On the feed's shard.
class HintLoop final : public ports::HintFeedObserver,
                       public std::enable_shared_from_this<HintLoop> {
 public:
  /// All outlive the loop and what it started: they go after the shard has stopped.
  struct Ports {
    ports::HintFeed& feed;
    HintHandler& handler;
    ports::Clock& clock;
    const domain::Projects& projects;
  };

  /// `executor` is the feed's shard.
  static std::shared_ptr<HintLoop> Create(boost::asio::any_io_executor executor, const Ports& ports,
                                          const Settings& settings);

  /// Joins the group.
  absl::Status Start();
  /// Ends when the feed has stopped.
  boost::asio::awaitable<void> Run();
  /// Takes nothing new, lets what is being read come to its end, stores those offsets and leaves
  /// the group. What is still under way at the deadline is left to the next reader.
  AsyncStatus Stop(BootTime deadline);

  /// Says when the cause of the oldest hint that is not finished was noticed; nullopt when there is
  /// none. For the metric kOldestHint; any thread.
  std::optional<WallTime> OldestHint() const;

  void OnAssigned(const std::vector<ports::HintShare>& partitions) override;
  void OnRevoked(const std::vector<std::int32_t>& partitions) override;

 private:
  struct Lane;
  struct Partition;
  using Signal = boost::asio::experimental::channel<void(boost::system::error_code)>;

  HintLoop(boost::asio::any_io_executor executor, const Ports& ports, const Settings& settings);

  void Accept(ports::HintRecord record);
  /// The partition to which a record of this offset belongs: a new one where the log has gone back.
  std::shared_ptr<Partition> PartitionOf(std::int32_t id, std::int64_t offset);
  boost::asio::awaitable<void> RunLane(std::shared_ptr<HintLoop> self,
                                       std::shared_ptr<Partition> partition,
                                       std::shared_ptr<Lane> lane);
  boost::asio::awaitable<void> HandleBatch(Partition& partition, Lane& lane);
  /// A record that no lane has to handle.
  void FinishAtOnce(Partition& partition, std::int64_t offset);
  void Finish(Partition& partition, const std::vector<ReceivedHint>& hints);
  /// Stores how far the partition is finished, with a note of what is finished ahead of that.
  void Store(Partition& partition, std::optional<std::int64_t> next);
  /// Of the lane's project; nullptr where it has none: what cannot be parsed is not read.
  Signal* SlotsOf(const Lane& lane);
  /// The reader has as much of the reads as this process has of the partitions.
  void ShareReads();
  /// Something is down for every project, as far as is known.
  bool AllInTrouble(const Partition& partition) const;
  /// Much waits behind a hint that does not come to an end, and need not.
  bool IsPressed(const Partition& partition) const;
  /// As much waits as may.
  bool IsFull(Partition& partition) const;
  /// Pauses or resumes the partition as its state wants it.
  void UpdatePause(Partition& partition);
  void NoteOldest();
  bool Stopped(const Partition& partition) const;

  boost::asio::any_io_executor executor_;
  Ports ports_;
  Settings settings_;
  std::map<std::int32_t, std::shared_ptr<Partition>> partitions_;
  /// As the group gave them to us.
  std::set<std::int32_t> assigned_;
  /// The offset that is read first, and what those who had it before us have finished ahead.
  struct HandedOver {
    std::int64_t next_offset = 0;
    FinishedAhead ahead;
  };
  /// By partition, until the first of its records comes.
  std::map<std::int32_t, HandedOver> handed_over_;
  Signal read_slots_;
  /// By project, by name: with several of them one that is slow takes half of all slots at most.
  std::map<std::string, Signal> project_slots_;
  Signal idle_;
  std::size_t in_work_ = 0;
  bool stopping_ = false;
  /// Milliseconds since 1970; kNoHint when all are finished.
  static constexpr std::int64_t kNoHint = -1;
  std::atomic<std::int64_t> oldest_hint_{kNoHint};
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_HINT_LOOP_H_
