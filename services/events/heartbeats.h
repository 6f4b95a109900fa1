#ifndef TOLLBRIDGE_SERVICES_EVENTS_HEARTBEATS_H_
#define TOLLBRIDGE_SERVICES_EVENTS_HEARTBEATS_H_

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "base/core/side_by_side.h"
#include "base/core/wall_time.h"
#include "base/telemetry/metrics.h"
#include "services/domain/project.h"
#include "services/events/hints_finished.h"
#include "services/events/settings.h"
#include "services/ports/clock.h"
#include "services/ports/heartbeat_log.h"
#include "services/ports/hint_log.h"
#include "services/ports/rng.h"
#include "services/ports/snapshot_store.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::events {

/// Writes a heartbeat to each partition of each topic of events, which says how far it is complete
/// (docs/design/events.md#heartbeats). Of all readers the one that owns the first partition of the
/// hints topic does it; two at a time do no harm, since what each says is true. Beside the reading,
/// which never waits for it. One shard.
class Heartbeats : public std::enable_shared_from_this<Heartbeats> {
 public:
  /// All outlive the heartbeats and what they started: they go after the shard has stopped.
  struct Ports {
    ports::HeartbeatLog& log;
    const ports::HintFeed& feed;
    ports::SnapshotStore& snapshots;
    ports::Clock& clock;
    ports::Rng& rng;
    telemetry::Metrics& metrics;
    const domain::Projects& projects;
  };

  /// `settings.topics` names the topics; `settings.heartbeat_interval` is not 0.
  static std::shared_ptr<Heartbeats> Create(const Ports& ports, const Settings& settings);

  /// Goes on until Stop; ends at most one look later.
  boost::asio::awaitable<void> Run();
  /// No further heartbeat is written.
  void Stop() { stopping_ = true; }
  /// Looks how far all is told, and writes heartbeats when their time has come. Nothing where
  /// another process is to do it.
  boost::asio::awaitable<void> LookOnce();

  /// All events noticed before this time are on their topics; nullopt: not known. Never goes back.
  std::optional<WallTime> published_before() const { return published_before_; }

 private:
  Heartbeats(const Ports& ports, const Settings& settings);

  /// Moves published_before_ on, as far as hints and outboxes allow. An error: what could not be
  /// asked, and nothing was moved.
  AsyncStatus Advance();
  /// Since when something is not known to be published; nullopt: there is nothing. UNAVAILABLE when
  /// a store cannot be asked.
  Async<std::optional<WallTime>> OldestOutbox();
  /// To all topics; the first error, and all the others are tried.
  AsyncStatus Beat();
  AsyncStatus BeatTopic(const std::string& topic);
  Turn BeatPartition(const std::string& topic, std::size_t partition, absl::Status& failure);
  ports::Context MakeContext() const;
  /// Says once what is wrong, until it is well again.
  void Note(const absl::Status& status);

  Ports ports_;
  Settings settings_;
  std::set<std::string> topics_;
  HintsFinished hints_;
  std::optional<WallTime> published_before_;
  std::optional<BootTime> beat_after_;  ///< nullopt: at once
  bool well_ = true;
  bool stopping_ = false;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_HEARTBEATS_H_
