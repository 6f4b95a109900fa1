#ifndef TOLLBRIDGE_SERVICES_DOMAIN_FAMILY_DIFF_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_FAMILY_DIFF_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/core/uuid.h"
#include "services/domain/timestamps.h"
#include "services/domain/told_outcomes.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::domain {

/// An order of a family in one round of reading, with what operations left with it.
struct OrderRead {
  Uuid id;
  /// nullptr when it is known to belong to the family and could not be read.
  const common::v1::Order* order = nullptr;
  bool capture_mode_sent = false;
  bool own_checkout = false;
  /// A hint has named this member.
  bool named = false;
};

/// All that a decision depends on.
struct FamilyRead {
  /// What was known before; nullptr when there is no snapshot.
  const storage::v1::Snapshot* snapshot = nullptr;
  Uuid root;
  /// Each order once, in any order: the same decision comes of it. Mostly the root is among them;
  /// members that are missing stay as they were.
  std::span<const OrderRead> orders;
  /// When they were read.
  WallTime now;
  /// When the family was noticed, or made by us: hints wait for a reader that is away. Not later
  /// than `now` counts.
  WallTime noticed = WallTime::max();
  /// When an order is first seen, what happened longer than this before the snapshot's life began
  /// is recorded and not published.
  std::chrono::milliseconds baseline_window;
  /// Becomes the id of the stream when there is no snapshot, or one of another epoch or topic, or
  /// when what was told is to be told again.
  Uuid new_stream;
  /// Of the store, as ports::FamilyState has it. What a store of another one had published may be
  /// gone, with the numbers that it had.
  std::string epoch;
  /// Outcomes that the snapshot has, of this time or later, are told again in a stream that begins
  /// with another epoch; nullopt: none.
  std::optional<WallTime> doubted_from;
  /// nullopt: nothing is asked for.
  std::optional<TellAgain> tell_again;
  /// Of the topic that events go to now, as storage::v1::Snapshot::topic has it: a stream that
  /// began on another one does not go on.
  std::string topic;
  /// What members show waits for the next read: one that could not be read may have come before it.
  /// New ones are noted all the same, and the root is not held back.
  bool hold_members = false;
};

/// What happened before the baseline to an order that is first seen.
struct Untold {
  Uuid order;
  events::v1::EventKind kind;
  events::v1::EventWhat what;
  WallTime occurred_at;
};

/// An event that is to be published.
struct DecidedEvent {
  Uuid order;
  events::v1::EventKind kind;
  events::v1::EventWhat what;
  std::uint32_t occurrence;
  std::uint64_t sequence;
  WallTime occurred_at;
  events::v1::DecidedBy decided_by;
  /// The order ended otherwise than was published: what was published, and what it shows now.
  std::optional<events::v1::EventWhat> published_what;
  std::optional<events::v1::EventWhat> observed_what;
};

struct FamilyDiff {
  /// What is known from now on. Bounded in size for each order, whatever it holds.
  storage::v1::Snapshot snapshot;
  /// The events stand in the order of publication: the root's `created`, then by occurred_at; those
  /// of one order as they were decided.
  std::vector<DecidedEvent> events;
  /// What was recorded and is never published.
  std::vector<Untold> untold;
};

/// What is known of an order of the family; nullptr when nothing is. Points into `snapshot`.
const storage::v1::OrderState* FindState(const storage::v1::Snapshot& snapshot, const Uuid& root,
                                         const Uuid& order);

/// Whether the order was ever read.
bool WasRead(const storage::v1::OrderState& state);

/// Whether the order had come to its end at the last read: as Decision::final. Not so while it is
/// to be looked at again, since a hint has named it.
bool IsFinal(const storage::v1::OrderState& state);

/// Whether a read looks older than what is known: its `modified` is older than the state's, or,
/// where they are equal or one of them has none, it goes from final to non-final
/// (docs/design/events.md#step-2). Nothing is older than an order that was never read.
bool IsOlderThan(const common::v1::Order& order, const storage::v1::OrderState& state);

/// Whether a decision now could fix a wrong kind of the root for ever: it has come to an outcome,
/// would be a payment or account funding, and an order that may be its capture or void could not be
/// read.
bool KindIsUncertain(const FamilyRead& read);

/// A request that it be told again has come to its end: the next one tells all of it anew.
void ForgetToldAgain(storage::v1::Snapshot* snapshot);

/// Decides what read orders mean (docs/design/events.md#which-event and #snapshots). Pure: the same
/// input gives the same decision, so that a reader that lost the race or crashed can decide again.
FamilyDiff DiffFamily(const FamilyRead& read);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_FAMILY_DIFF_H_
