#ifndef TOLLBRIDGE_SERVICES_RECONCILE_EVENTS_AUDIT_H_
#define TOLLBRIDGE_SERVICES_RECONCILE_EVENTS_AUDIT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/domain/told_outcomes.h"
#include "services/ports/clock.h"
#include "services/ports/due_queue.h"
#include "services/ports/event_topic.h"
#include "services/ports/family_walk.h"
#include "services/ports/payment_service.h"
#include "services/ports/snapshot_store.h"
#include "services/reconcile/event_index.h"
#include "services/reconcile/stream_check.h"
#include "services/reconcile/topic_reach.h"

namespace tollbridge::reconcile {

/// What becomes of a fault.
enum class FaultState {
  kOpen,        ///< nothing yet
  kAsked,       ///< the reader is asked to mend it, by this audit or before
  kToldAgain,   ///< the family has gone on in a new stream since, and nothing is missing
  kNoSnapshot,  ///< nobody knows what was told: it cannot be told again
  /// A gap of a family that has gone on; what was lost may be something that happened before the
  /// topic's first record and is not there. It is not told again: it may have been removed.
  kTooOld,
};

/// As reports name it: "open", "asked", "told_again", "no_snapshot", "too_old".
std::string_view NameOf(FaultState state);

struct EventFinding {
  EventFault fault = EventFault::kMissing;
  FaultState state = FaultState::kOpen;
  ports::FamilyKey family;  ///< without a name where the project is not configured
  /// kMissing: the order, and the type of its event.
  std::optional<Uuid> order;
  std::string type;
  /// Of the others but kUnpublished: number in the stream, and where it is seen.
  std::uint32_t sequence = 0;
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
};

struct AuditSummary {
  std::uint64_t events = 0;
  std::uint64_t unreadable = 0;  ///< records of the topic that are no events of ours
  std::uint64_t families = 0;    ///< walked by; one that changed meanwhile may count twice
  std::uint64_t outcomes = 0;    ///< that must be on the topic
  std::uint64_t older = 0;       ///< that its time of keeping does not reach any more
  std::uint64_t undecided = 0;   ///< missing, or older: the payment service could not be asked
  std::uint64_t asked = 0;       ///< families that this audit asked the reader for
  std::map<std::pair<EventFault, FaultState>, std::uint64_t> faults;

  /// Faults that are not mended.
  std::uint64_t open() const;
};

/// Compares the topic of events with the snapshots (docs/adr/0050-told-again-by-the-reader.md).
/// What was told must be on the topic as far back as that goes; numbers of a stream must be there
/// once and in order. Publishes nothing: what it is asked to mend the reader tells again. One
/// shard.
class EventsAudit {
 public:
  struct Ports {
    ports::EventTopic& topic;
    ports::FamilyWalk& families;
    ports::SnapshotStore& snapshots;
    ports::DueQueue& due_queue;
    ports::PaymentService& payment_service;
    ports::Clock& clock;
  };
  struct Settings {
    /// Only what was told in this time; nullopt: as far back as the topic goes, and until now.
    std::optional<WallTime> from;
    std::optional<WallTime> to;
    /// Ask the reader to tell again what is missing.
    bool repair = false;
    /// Leave out events of projects that are none of the audit's.
    bool only_these = false;
    ports::Millis baseline_window{};
    ports::Millis snapshot_retention{};
    /// Where the events of a project go, by its name; on any topic, of one that is not here.
    std::map<std::string, std::vector<MarkedTopic>, std::less<>> topics;
    /// An outbox that is older is told of.
    ports::Millis late_outbox = std::chrono::minutes(1);
    /// So many events are held at a time; beyond, topic and snapshots are gone through again for
    /// each slice of the families.
    std::size_t most_events = 5'000'000;
  };
  using OnFinding = std::function<void(const EventFinding&)>;
  using OnProgress = std::function<void(std::string_view what, std::uint64_t count)>;

  /// All outlive it.
  EventsAudit(const Ports& ports, std::vector<const domain::Project*> projects,
              const Settings& settings, OnFinding on_finding, OnProgress on_progress);

  /// UNAVAILABLE when the store or the topic is not there, or goes away.
  Async<AuditSummary> Run();

 private:
  /// One family of a project in which something is wrong.
  struct Suspect {
    Uuid root;
    ProjectNumber project = kNoProject;
    const IndexedFamily* family = nullptr;
    std::vector<StreamFault> faults;
    /// Outcomes that are not there: those that must be, and those that happened before the time.
    std::vector<std::uint64_t> missing;
    std::vector<std::uint64_t> early;
    bool unpublished = false;
    /// Of a family that was told no outcome: none of its numbers is there.
    bool numbers_missing = false;
    /// Nothing of the family is there that could tell when those of `early` were told.
    bool undated = false;
    Events begin;  ///< its events
    Events end;

    bool IsOne() const {
      return !faults.empty() || !missing.empty() || unpublished || numbers_missing || undated;
    }
    bool HasId(const Uuid& id) const;
  };
  /// How far back a family is looked at.
  struct Scope {
    /// What happened before need not be there, unless `all`.
    WallTime horizon;
    /// All that was told of it in its snapshot's life must be.
    bool all = false;
    /// What the reader is asked to tell again.
    WallTime from;
  };
  struct Missing {
    std::vector<EventFinding> findings;
    /// Something else is not there: Verdict::kJustTooOld.
    bool too_old = false;
  };

  enum class Verdict {
    kMissing,
    kOlder,
    kJustTooOld,  ///< so little that it may have been told later than the time begins
    kLater,
  };

  AsyncStatus RunSlice(std::size_t slice, std::size_t slices);
  AsyncStatus WalkFamilies(std::size_t slice, std::size_t slices);
  void TakeFamily(const ports::FamilyState& family, ProjectNumber project);
  /// False where it was told none. `whole`: TopicReach::HasAllOf.
  bool TakeOutcomes(const ports::FamilyState& family, ProjectNumber project, bool whole);
  /// By --from: what happened may wait for the reader as long as the baseline reaches back.
  bool MayBeToldInTime(WallTime happened) const;
  void TakeEvent(const ports::EventRecord& record, std::size_t slice, std::size_t slices);
  /// Whose event it is; nullopt: of a project that is left out.
  std::optional<ProjectNumber> ProjectOf(const events::v1::PaymentEvent& event);
  AsyncStatus JudgeAll();
  static void TakeInto(Suspect& suspect, const IndexedOutcome& outcome);
  std::vector<StreamFault> FaultsOf(const Suspect& suspect, const IndexedFamily* family) const;
  AsyncStatus Judge(Suspect suspect);
  /// Whether the root's `created` was told and is not there, as whatever kind it was.
  static bool CreatedIsLost(const Suspect& suspect, const Uuid& project,
                            const storage::v1::Snapshot& snapshot);
  Scope ScopeOf(const Suspect& suspect, const ports::FamilyState& state) const;
  EventFinding FindingOf(const StreamFault& fault, const ports::FamilyKey& key) const;
  /// A gap of all numbers of the present stream, seen at the end of the topic.
  EventFinding MissingFromTheFirst(const ports::FamilyState& state) const;
  /// Of what is missing by the walk, what really is; counts the rest.
  Async<Missing> FindMissing(const Suspect& suspect, const domain::Project& project,
                             const ports::FamilyState& state, const Scope& scope,
                             bool gap_left_behind);
  Async<Verdict> JudgeOutcome(const domain::ToldOutcome& told, const domain::Project& project,
                              const ports::FamilyState& state, const Scope& scope,
                              bool gap_left_behind);
  Async<WallTime> AskWhen(const domain::Project& project, const domain::ToldOutcome& outcome);
  Async<bool> Mend(const ports::FamilyKey& key, const ports::FamilyState& state,
                   const std::vector<EventFinding>& open, WallTime from);
  /// Looks at the partitions again: what their time of keeping has removed meanwhile need not be
  /// there.
  absl::Status LookAgain();
  ports::Context Within() const;
  void Report(std::string_view what, std::uint64_t count);

  Ports ports_;
  const std::vector<const domain::Project*> projects_;
  const Settings settings_;
  const OnFinding on_finding_;
  const OnProgress on_progress_;
  std::map<std::string, ProjectNumber, std::less<>> project_numbers_;
  /// Of those that are not audited: theirs follow.
  std::map<std::string, ProjectNumber, std::less<>> other_numbers_;
  std::optional<TopicReach> reach_;
  WallTime begun_;
  EventIndex index_;
  AuditSummary summary_;
};

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_SERVICES_RECONCILE_EVENTS_AUDIT_H_
