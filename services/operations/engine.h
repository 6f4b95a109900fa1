#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_ENGINE_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_ENGINE_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/core/boot_clock.h"
#include "base/core/uuid.h"
#include "base/telemetry/metrics.h"
#include "base/telemetry/sampler.h"
#include "services/operations/conclusion.h"
#include "services/operations/operation_metrics.h"
#include "services/operations/plan.h"
#include "services/operations/settings.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "services/ports/operation_registry.h"
#include "services/ports/operation_store.h"
#include "services/ports/payment_service.h"
#include "services/ports/rng.h"

namespace tollbridge::operations {

struct Ended;

/// What a mutation answers its caller.
struct Reply {
  /// Not OK: the error with its details, and there is no response.
  absl::Status status;
  /// The serialized response, as it is stored and as it goes on the wire.
  std::string response;
  /// The response says that there is no outcome yet.
  bool pending = false;
  /// The outcome was stored by an earlier call.
  bool replay = false;
  /// Set unless the request was refused before there was an operation.
  std::optional<Uuid> operation_id;
  /// The order that it is about, where known; for logs.
  std::string order_id;
};

/// Runs plans: the only sender of mutations (docs/design/operations.md). One for each shard, used
/// on it only.
///
/// A single-step plan costs two calls of the store: claim with SENT; result, outcome and the
/// order's due-queue entry. What the caller is told is decided by the answer, and only then
/// recorded: if the store does not take the result, the caller is told all the same and the engine
/// goes on trying until it is recorded or the process ends.
///
/// Keys may rotate at any time: the fingerprints of a call are of one answer of the key source, and
/// its outcome is sealed and opened under what is in force then.
class Engine {
 public:
  struct Ports {
    ports::PaymentService& service;
    ports::OperationStore& store;
    ports::Clock& clock;
    ports::Rng& rng;
    telemetry::Metrics& metrics;
    ports::OperationRegistry& registry;
  };

  /// `executor` is the shard's.
  Engine(boost::asio::any_io_executor executor, Ports ports, Settings settings,
         const PlanTable& plans, KeySource keys);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Runs the plan, or answers what stands under its key. `plan.request` must live until the first
  /// suspension only. Neither the caller's cancellation nor its deadline stops an operation that
  /// has SENT: it runs in a coroutine of its own, and its outcome waits under the key
  /// (docs/design/operations.md#rule-14).
  boost::asio::awaitable<Reply> Run(Plan plan, ports::Context context);

  /// Operations at work, and results that are still to be recorded.
  std::size_t Pending() const { return *pending_; }

  /// Waits until nothing is pending, or until `deadline`. For graceful stop, after the last call
  /// was taken in. True when nothing is left.
  boost::asio::awaitable<bool> Drain(BootTime deadline);

 private:
  struct Work;
  struct Conclusion;
  /// Results that the store has not taken.
  struct Unrecorded {
    std::size_t results = 0;
    std::size_t bytes = 0;
  };

  /// When the send window was opened, by both clocks, and in what the claim has to be made.
  struct SendWindow {
    BootTime start;
    WallTime start_civil;
    ports::Context claim;
  };

  boost::asio::awaitable<Reply> Execute(Work work);
  /// Says in the claim, too, how long it is waited for.
  SendWindow OpenWindow(const Work& work, ports::ClaimRequest& claim) const;
  /// Another replica may have the key, or this one after its next start.
  absl::Status SecretUnknown(const Work& work) const;
  Reply AnswerFromRecord(const Work& work, const ports::ClaimRequest& claim,
                         const ports::ClaimResult& claimed);
  Reply Replay(const Work& work, const std::string& sealed);
  /// What the caller is told of a claim that needs a second person. Tells of it when it is new.
  absl::Status AskForApproval(const Work& work, const ports::ClaimResult& claimed) const;
  Reply PendingReply(const Work& work, ports::OperationState state, std::string_view order_id,
                     WallTime since) const;

  /// What is recorded of an end, but for the outcome and the order, which its result shows.
  ports::FinishRequest FinishOf(const Work& work, const ports::ClaimResult& claim,
                                const Ended& ended) const;
  /// Reads the result into outcome, order and response: it may lack what they need, or differ from
  /// what was asked for, which makes another end of it.
  Conclusion Conclude(const Work& work, const ports::ClaimResult& claim, const Ended& ended) const;
  /// Records it, and leaves that to be tried again when the store does not take it. What the caller
  /// is told then.
  boost::asio::awaitable<Reply> Record(const Work& work, Conclusion conclusion,
                                       BootTime window_start);

  /// `keys`: under which it was made.
  boost::asio::awaitable<void> KeepRecording(ports::FinishRequest finish,
                                             std::shared_ptr<const OperationKeys> keys,
                                             BootTime sent_at, telemetry::TraceContext trace,
                                             std::shared_ptr<void> counted);
  boost::asio::awaitable<void> KeepReleasing(ports::OperationIdentity identity, std::string owner,
                                             telemetry::TraceContext trace,
                                             std::shared_ptr<void> counted);
  void Recorded(const ports::FinishRequest& finish, ports::FinishVerdict verdict,
                const telemetry::TraceContext& trace);
  /// Whether the answer shows the description without the mark that was sent in it. Tells of it.
  bool LostMark(const Work& work, const Ended& ended);
  /// Tells of a result that the store refused although it serves.
  void NoteRefused(const absl::Status& status, const ports::FinishRequest& finish,
                   const telemetry::TraceContext& trace);
  /// So many results wait for the store that nothing more may be sent.
  bool TooManyUnrecorded() const;
  /// Counts as pending while it lives.
  std::shared_ptr<void> Count();
  /// Counts as pending, and as a result of that size that is not recorded, while it lives.
  std::shared_ptr<void> CountUnrecorded(std::size_t bytes);
  ports::Millis Since(BootTime time) const;
  ports::Context StoreContext(const telemetry::TraceContext& trace) const;

  boost::asio::any_io_executor executor_;
  Ports ports_;
  Settings settings_;
  const PlanTable& plans_;
  KeySource keys_;
  Conclusions conclusions_;
  SettledTimes settled_;
  /// Outlives the engine in coroutines that end after it.
  std::shared_ptr<std::size_t> pending_;
  std::shared_ptr<Unrecorded> unrecorded_;
  /// Before then the same is not logged again.
  telemetry::Sampler lost_marks_{std::chrono::minutes(1)};
  telemetry::Sampler refused_{std::chrono::minutes(1)};
};

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_ENGINE_H_
