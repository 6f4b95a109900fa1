#ifndef TOLLBRIDGE_SERVICES_PORTS_SNAPSHOT_STORE_H_
#define TOLLBRIDGE_SERVICES_PORTS_SNAPSHOT_STORE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/core/async.h"
#include "services/domain/told_outcomes.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "services/ports/due_queue.h"
#include "services/ports/family.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::ports {

using domain::TellAgain;

/// All that is kept of one family.
struct FamilyState {
  /// 0 when there is no snapshot yet. Rises by one with each save.
  std::uint64_t version = 0;
  storage::v1::Snapshot snapshot;
  /// Events decided and not yet published; nullopt when there are none.
  std::optional<storage::v1::Outbox> outbox;
  /// The version that the outbox was saved with: of one whose family is gone it is not `version`.
  std::uint64_t outbox_version = 0;
  /// Set when the order asked for is a member of another order's family: that family's root. Such
  /// an order has no snapshot of its own.
  std::optional<Uuid> root;
  /// What operations left with the order; its key is the family's.
  OrderEntry entry;
  /// When an operation made the root; nullopt where none did, or that is no longer known.
  std::optional<WallTime> made;
  /// As DueQueue::Note left it; nullopt where it did not, or the order was read since.
  std::optional<Noticed> noticed;
  /// When the family is due to be read again, as the due queue has it.
  std::optional<WallTime> due;
  /// The epoch that the project is in now, four bytes. A snapshot of another one may be older
  /// than what was published.
  std::string epoch;
  /// From when on the store may have forgotten what it had when this epoch began; nullopt where it
  /// began with the store.
  std::optional<WallTime> doubted_from;
  /// What somebody has asked for and no reader has done yet.
  std::optional<TellAgain> tell_again;
};

struct SaveRequest {
  FamilyKey key;
  /// The version that Load gave.
  std::uint64_t expected_version = 0;
  /// What Load gave of what operations have said of the order, which decides its kind and whether
  /// it has ended: where they have said another thing since, nothing is saved.
  std::string seen_capture_mode;
  bool seen_own_checkout = false;
  /// With the epoch that Load gave: in another one nothing is saved.
  storage::v1::Snapshot snapshot;
  /// It is empty when nothing is to be published.
  storage::v1::Outbox outbox;
  /// When what the outbox holds was noticed, as its events say it.
  WallTime noticed_at{};
  /// When to read again; nullopt takes the family out of the due queue.
  std::optional<WallTime> next_due;
  /// What Load gave as due: next_due is set only if it still is, since an operation may have set it
  /// to now.
  std::optional<WallTime> seen_due;
  /// What Load gave, and what is left of it after this: it is changed only if it still is what was
  /// seen, and a family that has another one stays due.
  std::optional<TellAgain> seen_tell_again;
  std::optional<TellAgain> tell_again;
  /// How long the snapshot is kept after this change.
  Millis retention{};
};

/// Notes that an order is a member of another's family.
struct MemberNote {
  FamilyKey member;
  /// The family's root, of the same project.
  Uuid root;
  /// What Load of the member gave as due: it is taken out of the due queue only if it still is,
  /// since an operation may have set it to now.
  std::optional<WallTime> seen_due;
  /// How long the note is kept.
  Millis retention{};
};

/// A request that what was told is told again.
struct TellAgainRequest {
  FamilyKey key;
  TellAgain what;
  /// When the family is to be read for it.
  WallTime due;
  /// How long the request is kept where nobody reads.
  Millis retention{};
};

enum class TellAgainVerdict {
  kAsked,
  kAskedBefore,  ///< the same or more is asked for already
  kUnknown,      ///< there is no snapshot: nobody knows what was told
};

/// What of a project was saved and is not known to be published.
struct PendingOutboxes {
  std::size_t count = 0;
  /// When what the oldest one holds was noticed; nullopt where there is none.
  std::optional<WallTime> oldest;
};

enum class SaveVerdict {
  kSaved,
  kVersionLost,    ///< somebody else saved, an operation has said more, or the epoch changed; read
                   ///< again, publish nothing
  kOutboxPending,  ///< an outbox is unpublished; finish it first
};

/// Snapshots of families with their outbox, in one compare-and-set each
/// (docs/design/events.md#reader). Per shard. UNAVAILABLE (reason STORE_UNAVAILABLE) when the store
/// cannot be asked.
class SnapshotStore {
 public:
  virtual ~SnapshotStore() = default;
  /// What is kept of the family; version 0 and an empty snapshot when nothing is.
  virtual Async<FamilyState> Load(const FamilyKey& key, const Context& context) = 0;
  /// New snapshot, outbox and due time together, or nothing. Notes of members that the family had
  /// not had before where their root is, unless they have a snapshot of their own.
  virtual Async<SaveVerdict> Save(const SaveRequest& request, const Context& context) = 0;
  /// Drops the outbox that was saved with `version`, and that was loaded or saved in `epoch`: a
  /// store that went back has the version again. False when it is gone or another's.
  virtual Async<bool> ClearOutbox(const FamilyKey& key, std::uint64_t version,
                                  const std::string& epoch, const Context& context) = 0;
  /// The outboxes of the project that are saved and not cleared.
  virtual Async<PendingOutboxes> Pending(const std::string& project, const Context& context) = 0;
  /// Keeps where the root of the member is, and takes the member out of the due queue. An order
  /// with a snapshot of its own is left as it is: it stays a root.
  virtual AsyncStatus NoteMember(const MemberNote& note, const Context& context) = 0;
  /// Leaves with the family that what was told is to be told again, and makes it due: the next read
  /// does it. Publishes nothing itself. An earlier request is not lost: one is left that goes as
  /// far as both.
  virtual Async<TellAgainVerdict> AskToTellAgain(const TellAgainRequest& request,
                                                 const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_SNAPSHOT_STORE_H_
