#ifndef TOLLBRIDGE_SERVICES_PORTS_HINT_LOG_H_
#define TOLLBRIDGE_SERVICES_PORTS_HINT_LOG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/async.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "tollbridge/events/v1/hint.pb.h"

namespace tollbridge::ports {

/// Writes hints: "look at this order", nothing else (docs/design/events.md#hints). Per shard.
class HintLog {
 public:
  virtual ~HintLog() = default;
  /// Ends when the broker has acknowledged with acks=all; UNAVAILABLE when it has not by the
  /// context's deadline. The context's trace travels in the record's headers.
  virtual AsyncStatus Append(const events::v1::Hint& hint, const Context& context) = 0;
};

/// A hint as it lies in the log, parsed or not.
struct HintRecord {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  /// Of the broker that took it: each that follows as leader of the partition has a higher one. So
  /// where the log has lost records, what stands at their offsets now has a higher one too. -1: not
  /// known.
  std::int32_t leader_epoch = -1;
  std::string key;
  std::string value;  ///< serialized events.v1.Hint, or whatever somebody wrote there
  telemetry::TraceContext trace;
};

/// A partition that the group gives us.
struct HintShare {
  std::int32_t partition = 0;
  /// From where it is read, as was committed last, by whoever had it or set it; nullopt: nothing
  /// was, or it is not known, as where the group does not say in time.
  std::optional<std::int64_t> next_offset;
  /// What was committed with that offset; empty: nothing.
  std::string note;
};

/// Told about what the group does to our share of the log. Called on the feed's shard, between
/// Next() results.
class HintFeedObserver {
 public:
  virtual ~HintFeedObserver() = default;
  /// The partitions are ours now, beside those that were, be it none.
  virtual void OnAssigned(const std::vector<HintShare>& partitions) = 0;
  /// The partitions are no longer ours: drop what is queued of them, store no offset of them any
  /// more.
  virtual void OnRevoked(const std::vector<std::int32_t>& partitions) = 0;
};

/// The hints of the partitions that the group `tollbridge-events` gave us. Per process, on one
/// shard.
class HintFeed {
 public:
  virtual ~HintFeed() = default;
  /// Joins the group.
  virtual absl::Status Start(HintFeedObserver* observer) = 0;
  /// The next records, at least one, in order per partition. CANCELLED after Stop. UNAVAILABLE
  /// while the log cannot be reached (ask again).
  virtual Async<std::vector<HintRecord>> Next() = 0;
  /// Everything of the partition before `next_offset` is finished. `note` is for who has the
  /// partition next, and is kept as long as the offset: 3 KiB at most. A partition that was revoked
  /// meanwhile: no effect.
  virtual void StoreOffset(std::int32_t partition, std::int64_t next_offset, std::string note) = 0;
  /// The group gave us the partition, and has not taken it away as far as we know.
  virtual bool Owns(std::int32_t partition) const = 0;
  /// No more records of the partition until Resume.
  virtual void Pause(std::int32_t partition) = 0;
  virtual void Resume(std::int32_t partition) = 0;
  /// Commits the stored offsets and leaves the group; Next() answers CANCELLED from then on.
  virtual AsyncStatus Stop() = 0;
};

/// What a record was of which only a part could be kept.
struct WholeRecord {
  std::uint64_t value_bytes = 0;
  std::string value_sha256;  ///< lower-case hexadecimal
};

/// Why a hint could not be used.
struct DeadLetter {
  HintRecord record;
  /// One of a closed set: "unparsable", "unreadable_answer", "unknown_project".
  std::string cause;
  std::uint32_t tries = 1;
  WallTime first_failure{};  ///< when the first try failed
  WallTime last_failure{};   ///< when the last one did
  /// Says that the record was cut, and what it was; nullopt: it is whole.
  std::optional<WholeRecord> cut_from;
};

/// Keeps hints that nobody can use, with their cause.
class DeadLetterLog {
 public:
  virtual ~DeadLetterLog() = default;
  /// Ends when the broker has acknowledged; only then may the record's offset be finished.
  /// UNAVAILABLE when it has not by the context's deadline, INVALID_ARGUMENT when it will never
  /// take a letter of this size.
  virtual AsyncStatus Append(const DeadLetter& letter, const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_HINT_LOG_H_
