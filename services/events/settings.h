#ifndef TOLLBRIDGE_SERVICES_EVENTS_SETTINGS_H_
#define TOLLBRIDGE_SERVICES_EVENTS_SETTINGS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "services/ports/clock.h"

namespace tollbridge::config {
class Section;
}  // namespace tollbridge::config

namespace tollbridge::events {

/// Bounds one call of the store.
inline constexpr ports::Millis kStoreTimeout = std::chrono::seconds(5);

/// How often a hint is passed on at most, from root to root: links that change at the service could
/// have hints go in a circle.
inline constexpr std::uint32_t kMaxForwards = 8;

/// How events are written. kConfluent: as protobuf behind the five bytes and the message's indexes
/// that clients of a schema registry expect.
enum class Encoding { kProtobuf, kJson, kConfluent };

/// Whether events carry fields about the paying person and the merchant's own data.
enum class CustomerData { kNone, kFull };

/// A topic of events.
struct EventTopic {
  std::string name;
  /// As storage.v1.Snapshot.topic has it.
  std::string mark;
};

/// The topics that the events of a project go to; the same one twice unless test orders are kept
/// apart.
struct ProjectTopics {
  EventTopic events;
  EventTopic test_orders;
};

struct Settings {
  Encoding encoding = Encoding::kProtobuf;
  /// What the registry calls the schema of events; only with kConfluent, and required then.
  std::int64_t schema_id = 0;
  /// By project; from the settings of topics and projects.
  std::map<std::string, ProjectTopics, std::less<>> topics;
  CustomerData customer_data = CustomerData::kNone;
  /// When an order has no snapshot, what happened longer ago is recorded and not published.
  ports::Millis baseline_window = std::chrono::hours(72);
  /// How long a snapshot is kept after its last change.
  ports::Millis snapshot_retention = std::chrono::hours(24 * 400);
  /// An order that is not final, and that nobody hints at, is read again after half its age, within
  /// these bounds; one whose age is more than four times the longest one, after a quarter of it
  /// (LongestInterval).
  ports::Millis shortest_read_interval = std::chrono::seconds(30);
  ports::Millis longest_read_interval = std::chrono::minutes(15);
  /// Bounds the attempts at reads that the readers of all processes make of one project. Each has
  /// as large a share as it has of the partitions. `events.max_reads_per_second`.
  std::int64_t max_reads_per_second = 1000;
  /// The part for orders of which nothing is known: made at the payment service, or made up by
  /// whoever sends the webhooks. `events.max_unknown_reads_per_second`.
  std::int64_t max_unknown_reads_per_second = 100;
  /// Between two heartbeats of a partition of events; 0: there are none.
  /// `events.heartbeat_interval`.
  ports::Millis heartbeat_interval = std::chrono::seconds(10);
  /// How much earlier than the hints that are known to be finished what is noticed counts as told.
  /// Covers how long a hint may be under way to its topic after it was noticed (10 s, the
  /// producer's delivery_timeout), and how far the clocks of the gateway's hosts differ (5 s).
  /// `events.heartbeat_margin`.
  ports::Millis heartbeat_margin = std::chrono::seconds(15);
  /// Of the topic of hints; from the settings of topics.
  std::size_t hint_partitions{};
  /// Reads under way at a time; of one project half of them at most, where there are several.
  std::size_t max_reads = 64;
  /// Hints of one partition that are not finished, but for those of a project that is in trouble
  /// alone, whose events are not taken, or for which max_unknown_orders leaves no room; beyond it
  /// the partition pauses.
  std::size_t max_unfinished = 4096;
  /// Orders of one project that the payment service does not know, or not yet, and that are asked
  /// for again, or of which nothing is known and that are read later.
  std::size_t max_unknown_orders = 10'000;
};

/// Binds what a configuration may set, with its bounds.
void Describe(config::Section& section, Settings* settings);

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_SETTINGS_H_
