#ifndef TOLLBRIDGE_SERVICES_EVENTS_READER_H_
#define TOLLBRIDGE_SERVICES_EVENTS_READER_H_

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "services/base/async.h"
#include "services/domain/family_diff.h"
#include "services/domain/project.h"
#include "services/events/read_result.h"
#include "services/events/settings.h"
#include "services/ports/clock.h"
#include "services/ports/event_log.h"
#include "services/ports/family.h"
#include "services/ports/operation_registry.h"
#include "services/ports/payment_service.h"
#include "services/ports/rng.h"
#include "services/ports/snapshot_store.h"
#include "services/telemetry/metrics.h"
#include "services/telemetry/span.h"

namespace tollbridge::events {

/// At most one read per family in this time (events.md, Reader); also what a reader waits before it
/// repeats a read.
inline constexpr ports::Millis kReadSpacing = std::chrono::seconds(1);
/// So often a read that looks older than what is known is repeated; then it is believed.
inline constexpr int kMaxStaleReads = 5;

/// Why a family is read.
struct Notice {
  /// When a webhook was accepted for it; nullopt when the read has another cause.
  std::optional<ports::WallTime> webhook_accepted;
  /// The hint's trace.
  telemetry::TraceContext trace;
};

/// Reads a family, decides what happened, saves that together with the events, and publishes them
/// (events.md, Reader: decide, then publish). The only publisher of domain events. Holds no state
/// of families: a reader that dies anywhere is continued by the next one from the store. One shard.
class Reader {
 public:
  /// All outlive the reader.
  struct Ports {
    ports::PaymentService& payment_service;
    ports::SnapshotStore& snapshots;
    ports::OperationRegistry& registry;
    ports::EventLog& event_log;
    ports::Clock& clock;
    ports::Rng& rng;
    telemetry::Metrics& metrics;
  };

  Reader(const Ports& ports, const Settings& settings) : ports_(ports), settings_(settings) {}

  /// One read with all its steps. Callers see to it that there is one at a time per family, and
  /// one in kReadSpacing. `project` and `key` outlive the call.
  boost::asio::awaitable<ReadResult> Read(const domain::Project& project,
                                          const ports::FamilyKey& key, const Notice& notice);

 private:
  struct Round;

  boost::asio::awaitable<ReadResult> ReadUntilSaved(Round& round);
  /// Step 1 to 3 once. kDone in `result` and `*saved` false: read again.
  boost::asio::awaitable<ReadResult> TryOnce(Round& round, bool* saved);
  /// Step 3: `*saved` tells whether the decision stands.
  boost::asio::awaitable<ReadResult> DecideAndSave(Round& round, const ports::FamilyState& state,
                                                   const common::v1::Order& order, bool* saved);
  /// Before step 3, of an order without a snapshot that carries a mark: whether it is the outcome
  /// of its operation (operations.md, Evidence). nullopt: go on, as also with an orphan that is
  /// paid.
  boost::asio::awaitable<std::optional<ReadResult>> SetOrphanAside(Round& round,
                                                                   const ports::FamilyState& state,
                                                                   const common::v1::Order& order);
  /// Step 4, for an outbox that was saved with `version`.
  boost::asio::awaitable<ReadResult> Publish(Round& round, const storage::v1::Outbox& outbox,
                                             std::uint64_t version);
  storage::v1::Outbox MakeOutbox(const Round& round, const ports::FamilyState& state,
                                 const common::v1::Order& order, const domain::FamilyDiff& diff,
                                 ports::WallTime now) const;
  ports::Context MakeContext(const Round& round, ports::Millis timeout) const;
  void Count(std::string_view result) const;

  Ports ports_;
  Settings settings_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_READER_H_
