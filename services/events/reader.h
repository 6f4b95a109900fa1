#ifndef TOLLBRIDGE_SERVICES_EVENTS_READER_H_
#define TOLLBRIDGE_SERVICES_EVENTS_READER_H_

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/async.h"
#include "base/core/uuid.h"
#include "base/telemetry/metrics.h"
#include "base/telemetry/sampler.h"
#include "base/telemetry/span.h"
#include "services/domain/family_diff.h"
#include "services/domain/project.h"
#include "services/events/family_round.h"
#include "services/events/order_fetcher.h"
#include "services/events/orphans.h"
#include "services/events/read_result.h"
#include "services/events/refused_events.h"
#include "services/events/root_finder.h"
#include "services/events/settings.h"
#include "services/ports/clock.h"
#include "services/ports/event_log.h"
#include "services/ports/family.h"
#include "services/ports/hint_log.h"
#include "services/ports/operation_registry.h"
#include "services/ports/payment_service.h"
#include "services/ports/rng.h"
#include "services/ports/snapshot_store.h"

namespace tollbridge::events {

/// Something is known of the order beside what a webhook says: a snapshot, what the operation that
/// created it left, or that somebody whom we trust has seen it.
bool IsKnown(const ports::FamilyState& state);

/// Why a family is read, and how.
struct ReadRequest {
  /// When a webhook was accepted for it; nullopt when the read has another cause.
  std::optional<WallTime> webhook_accepted;
  /// Who told of it first, one of telemetry::kHintSources; empty: it is not known.
  std::string_view source;
  /// The hint's trace.
  telemetry::TraceContext trace;
  /// As of when the oldest cause counts as noticed; WallTime(): not known.
  WallTime noticed_at;
  /// When the oldest of the hints was noticed: not earlier; WallTime(): not known.
  WallTime hinted_at{};
  /// Members of the family that hints have named.
  std::vector<Uuid> members;
  /// Final members are read too, if others can be made from them: nobody may have told of those.
  bool thorough = false;
  /// While a member cannot be read: rather read again than fix what kind the root is, if that
  /// member may tell it, or publish what other members show, which may have come after it.
  bool wait_for_members = true;
  /// What looks older than what is known has done so for long, and is taken for the truth.
  bool believe_older = false;
  /// What it was made from has not been found for long, and is gone if the order is old.
  bool parent_may_be_gone = false;
  /// The payment service is not asked: what is asked of the project meanwhile is not answered.
  bool put_off = false;
  /// How often it was passed on to another root on the way here.
  std::uint32_t hops = 0;
  /// Somebody whom we trust has seen the order at the payment service: it is not made up.
  bool trusted = false;
};

/// Reads a family, decides what happened, saves that together with the events, and publishes them
/// (docs/design/events.md#reader). A member it passes on to its family's root. The only publisher
/// of domain events. Holds no state of families: a reader that dies anywhere is continued by the
/// next one from the store. One shard.
class Reader {
 public:
  struct Ports {
    ports::PaymentService& payment_service;
    ports::SnapshotStore& snapshots;
    ports::OperationRegistry& registry;
    ports::EventLog& event_log;
    ports::HintLog& hint_log;
    ports::Clock& clock;
    ports::Rng& rng;
    telemetry::Metrics& metrics;
  };

  Reader(const Ports& ports, const Settings& settings);
  /// Its parts point at each other.
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// One read with all its steps, of the family of the root `key`, or of a member's order. Callers
  /// see to it that there is one at a time per family, and one in kReadSpacing.
  boost::asio::awaitable<ReadResult> Read(const domain::Project& project,
                                          const ports::FamilyKey& key, const ReadRequest& request);
  /// The pipe repeats a read that this reader has asked for.
  void NoteRepeat(std::string_view project) { fetcher_.NoteRepeat(project); }
  /// This process has so much of what all readers together may ask: above 0, 1 at most. Whole until
  /// it is said.
  void SetShare(double share) { fetcher_.SetShare(share); }
  /// Says after kOverBudget when the order's turn is, counted from now. Each call gives a later
  /// one.
  ports::Millis RetryDelay(const domain::Project& project, bool unknown);

 private:
  struct Round;
  struct Tried;

  /// Tries until one ends the read, or too many were lost to other readers.
  boost::asio::awaitable<ReadResult> ReadUntilSaved(Round& round);
  /// Step 1 to 3 once. Keeps in `round` when it has asked the payment service.
  boost::asio::awaitable<Tried> TryOnce(Round& round);
  /// Step 2 and 3 of a family whose outbox is empty and that no other is known to own.
  boost::asio::awaitable<Tried> ReadAndSave(Round& round, const ports::FamilyState& state);
  /// Hands what was asked for an order that is a member to its root, and keeps where that is.
  boost::asio::awaitable<ReadResult> Forward(const Round& round, const ports::FamilyState& state,
                                             Uuid root);
  AsyncStatus WriteHint(const Round& round, const ports::FamilyState& state, Uuid root,
                        Uuid member);
  /// Step 3, and step 4 of what it saved. kAgain when another has saved meanwhile, so that the
  /// decision does not stand.
  boost::asio::awaitable<Tried> DecideAndSave(const Round& round, const ports::FamilyState& state,
                                              const FamilyRound& family);
  boost::asio::awaitable<std::optional<ReadResult>> SetOrphanAside(const Round& round,
                                                                   const common::v1::Order& order,
                                                                   bool own_checkout);
  /// Step 4, for an outbox that was saved with `version`. Says how many it published, also when it
  /// could not publish all. kAgain when it was not there to be cleared, as that of this epoch.
  boost::asio::awaitable<Tried> Publish(const Round& round, const storage::v1::Outbox& outbox,
                                        std::uint64_t version, const std::string& epoch);
  /// Where and when the events of a round are told.
  struct Publication {
    const std::string& topic;
    WallTime now;
  };
  storage::v1::Outbox MakeOutbox(const Round& round, const ports::FamilyState& state,
                                 const FamilyRound& family, const domain::FamilyDiff& diff,
                                 const Publication& publication) const;
  /// The topic that the family's stream is on, if that is one of its project's still; else the one
  /// on which a new stream begins, which goes by the root.
  const EventTopic& TopicOf(const Round& round, const ports::FamilyState& state,
                            const FamilyRound& family) const;
  /// Counts what is never published, and says so once in a while.
  void NoteUntold(const Round& round, const std::vector<domain::Untold>& untold);
  /// The try that ends the read with this result.
  static Tried Ended(ReadResult result);
  ports::Context MakeContext(const Round& round, ports::Millis timeout) const;
  void Count(const domain::Project& project, std::string_view result) const;

  Ports ports_;
  Settings settings_;
  OrderFetcher fetcher_;
  OrphanFilter orphans_;
  RootFinder root_finder_;
  telemetry::Sampler untold_{std::chrono::minutes(1)};
  RefusedEvents refused_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_READER_H_
