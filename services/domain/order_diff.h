#ifndef TOLLBRIDGE_SERVICES_DOMAIN_ORDER_DIFF_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_ORDER_DIFF_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "services/base/uuid.h"
#include "services/domain/timestamps.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::domain {

/// All that a decision depends on.
struct DiffInput {
  /// What was known before; nullptr when there is no snapshot.
  const storage::v1::Snapshot* snapshot = nullptr;
  const common::v1::Order& order;
  /// What operations left with the order.
  bool capture_mode_sent = false;
  bool own_checkout = false;
  /// When the order was read.
  Instant now;
  /// Without a snapshot, what happened longer ago is recorded and not published.
  std::chrono::milliseconds baseline_window;
  /// Becomes the id of the stream when there is no snapshot.
  Uuid new_stream;
};

/// An event that is to be published.
struct DecidedEvent {
  events::v1::EventKind kind;
  events::v1::EventWhat what;
  std::uint32_t occurrence;
  std::uint64_t sequence;
  Instant occurred_at;
  events::v1::DecidedBy decided_by;
  /// The order ended otherwise than was published: what was published, and what it shows now.
  std::optional<events::v1::EventWhat> published_what;
  std::optional<events::v1::EventWhat> observed_what;
};

struct OrderDiff {
  /// What is known from now on. Bounded in size, whatever the order holds.
  storage::v1::Snapshot snapshot;
  /// In the order of publication.
  std::vector<DecidedEvent> events;
};

/// Whether a read looks older than what is known: its `modified` is older than the snapshot's, or,
/// where one of them has none, it goes from final to non-final (events.md, Reader, step 2).
bool IsOlderThan(const common::v1::Order& order, const storage::v1::Snapshot& snapshot);

/// Decides what a read order means (events.md, Which event and Snapshots). Pure: the same input
/// gives the same decision, so that a reader that lost the race or crashed can decide again.
OrderDiff DiffOrder(const DiffInput& input);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_ORDER_DIFF_H_
