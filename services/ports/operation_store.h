#ifndef TOLLBRIDGE_SERVICES_PORTS_OPERATION_STORE_H_
#define TOLLBRIDGE_SERVICES_PORTS_OPERATION_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/async.h"
#include "base/core/uuid.h"
#include "services/ports/context.h"
#include "services/ports/operation_types.h"

namespace tollbridge::ports {

struct ClaimRequest {
  OperationIdentity identity;
  std::string owner;  ///< process and call: unique per claim
  Millis lease{};
  /// How long the claim is waited for: a store that stood still does not record it any later.
  Millis good_for{};
  StepTarget first_step;
  /// What evidence would show of an earlier run that the store may have forgotten; nullopt where
  /// nothing would.
  std::optional<StepTarget> looked_for;
  /// nullopt where no limit of money concerns it.
  std::optional<MoneyClaim> money;
  /// Set: it is claimed only when another identity has confirmed it, and this is asked until then.
  std::optional<ApprovalRequest> approval;
};

enum class ClaimVerdict {
  kClaimed,        ///< RUNNING is ours and the first step is SENT, durably
  kLookFirst,      ///< RUNNING is ours and nothing is SENT: the store may have forgotten an earlier
                   ///< run, because it is doubtful, or was when a look at this key did not end.
                   ///< Evidence must be read, and then BeginStep(first step) or Finish
  kInProgress,     ///< RUNNING under a live lease
  kDone,           ///< `outcome` holds what was stored
  kNotKept,        ///< it was closed so long ago that only the state and the order are left
  kPending,        ///< UNKNOWN or NEEDS_REVIEW
  kKeyReused,      ///< the same key with another fingerprint
  kKeyUnknown,     ///< the record's fingerprint is under a key id that the request does not have
  kOrderBusy,      ///< another operation holds the order's gate
  kOutboxFull,     ///< too many transitions of the project wait for the operations topic
  kWhoseCurrency,  ///< it would be claimed, but MoneyClaim::limits is nullopt
  kMoneyLimit,     ///< a limit of money would be passed
  kApprovalNeeded,  ///< AWAITS_APPROVAL: nothing is ours before another identity confirms it
};

struct ClaimResult {
  ClaimVerdict verdict = ClaimVerdict::kPending;
  std::uint32_t attempt = 0;
  /// First eight characters of the store's epoch id; part of the mark and of the attempt's name.
  std::string epoch;
  /// The store lost its memory or failed over and may have forgotten operations
  /// (docs/design/operations.md#rule-12).
  bool doubtful = false;
  /// How long ago the doubt began, for the first quarantine. kLookFirst: also when it is over.
  Millis doubtful_for{};
  /// For how long it is doubtful yet.
  Millis doubtful_left{};
  /// We created the gate's order less than 60 s ago: a 404 may be a lagging replica.
  bool fresh_order = false;
  /// An earlier attempt of the key may have had its effect: it ended by absence, by a person, or
  /// for want of evidence, or the store may have forgotten it. False: each ended by a proof that it
  /// had none.
  bool earlier_unproven = false;
  /// kDone: the sealed outcome; empty when the result was not kept.
  std::string outcome;
  /// As many replicas are there as claims wait for.
  bool replicated = true;
  /// kPending, kInProgress, kNotKept: the state, and since when (not kNotKept).
  OperationState state = operations::v1::OPERATION_STATE_RUNNING;
  WallTime since{};
  /// kPending, kNotKept: the order the operation is about, when it is known.
  std::string order_id;
  /// kInProgress: until the lease ends. kMoneyLimit: until the day ends. kApprovalNeeded: until it
  /// is over.
  Millis retry_after{};
  /// kMoneyLimit: the name of the limit, and behind a space `amount` or `count`.
  std::string limit;
  /// kOrderBusy: who holds the gate.
  std::string holder;
  /// kApprovalNeeded: what was asked, and whether by this call.
  Uuid approval;
  bool asked = false;
};

struct FinishRequest {
  OperationIdentity identity;
  std::uint32_t attempt = 0;
  std::string epoch;  ///< of the claim, or of the due record
  std::string owner;  ///< the claim's owner, or the resolver's token from TakeDue
  /// The conclusion is a resolver's: `owner` is compared with who took the operation from the due
  /// queue, not with who claimed it.
  bool by_resolver = false;
  /// Of the due record. A resolver that concludes anything but an effect after another order has
  /// been seen gets kNotOurs: it must look again.
  std::vector<std::string> seen_orders = {};
  StepTarget step;
  /// Which step of the plan it is, from 1; 0: the record's last. A record that does not have it yet
  /// (a failover lost it) gets it.
  std::uint32_t step_number = 0;
  /// How long ago the step's send window was opened: for a record that has to be written anew.
  Millis sent_ago{};
  /// kDone, kUnknown, kNotExecuted or kNeedsReview.
  OperationState to = operations::v1::OPERATION_STATE_UNKNOWN;
  /// kNotExecuted: concluded from absence, so that it is looked at again later.
  bool by_absence = false;
  /// kNotExecuted: without a proof that nothing was done: by absence, or for want of evidence.
  bool unproven = false;
  /// kUnknown or kNotExecuted: nothing was sent, the store was doubtful, and that an earlier run
  /// had no effect is not established: the next claim must look first as well. kUnknown where
  /// evidence will show it: `step` is then what is looked for, by the resolver too.
  bool keep_look_first = false;
  /// kNeedsReview: one of ports::review.
  std::string review_reason;
  /// Why: for the transition list, which callers see. No address, card data or credential.
  std::string reason;
  /// The same for the log alone: no store keeps it.
  std::string heard = {};
  /// kDone: the service refused it for good. Nothing happened, so it is never a late effect: under
  /// NOT_EXECUTED or an older attempt it is kNotOurs.
  bool refused = false;
  /// kDone: how it is known.
  Knowledge knowledge = operations::v1::KNOWLEDGE_UNSPECIFIED;
  /// Sealed outcome for kDone; empty keeps none. kNeedsReview keeps it too, and so does a late
  /// effect: a person may close them as DONE.
  std::string outcome;
  /// The order that the operation made or changed: entered into the due queue, due now, in the same
  /// script.
  std::optional<OrderEntry> order;
  /// The operation made this order just now: fresh for 60 s. Implies order.
  bool created_order = false;
  /// Whether a success that comes too late is an orphan (create order) and not a review record.
  bool late_effect_is_orphan = false;
  /// Nothing but the record will show this result: the replicas that claims wait for must have it
  /// too, else the call fails.
  bool replicated = false;
  /// kUnknown: first look of the resolver after this. kNotExecuted by absence: next look.
  Millis next_look{};
};

enum class FinishVerdict {
  kRecorded,       ///< the state is what was asked for
  kAlreadyClosed,  ///< DONE before; the stored outcome stands and nothing changed
  kLateEffect,  ///< a success under NOT_EXECUTED or an older attempt; it is in review, or noted as
                ///< an orphan
  kNotOurs,     ///< an indefinite answer for an attempt or owner that has moved on; nothing changed
};

/// The durable record of mutations, as the engine writes it. Every change is one atomic
/// compare-and-set on (state, epoch and attempt, owner). All calls answer UNAVAILABLE (reason
/// STORE_UNAVAILABLE) when the store cannot be asked; then the result of the call is not known. Per
/// shard.
class OperationStore {
 public:
  virtual ~OperationStore() = default;

  /// Claims the key and records the first step as SENT, or says what stands there. RUNNING whose
  /// lease has ended becomes UNKNOWN (it had SENT) in the same script and answers kPending. A store
  /// without an epoch has lost its memory: it gets a new one, and is doubtful from then on. What it
  /// takes of the limits of money it holds until DONE, which keeps it, or NOT_EXECUTED, which gives
  /// it back, in whatever call that becomes so: once a day at most, however often the key comes.
  virtual Async<ClaimResult> Claim(const ClaimRequest& request, const Context& context) = 0;

  /// Undoes the claim of this owner, if it was recorded at all: proven that nothing was sent, so it
  /// becomes NOT_EXECUTED. For claims whose own result is not known. Any number of times.
  virtual AsyncStatus Release(const OperationIdentity& identity, const std::string& owner,
                              const Context& context) = 0;

  /// Records a step of a plan as SENT, before its first byte, and renews the lease: every step but
  /// the one that Claim recorded. Takes the gate of `identity` if the operation does not hold it
  /// yet: that of an order which an earlier step made. FAILED_PRECONDITION when the operation is
  /// not RUNNING with this epoch, attempt and owner under a live lease, or another operation holds
  /// the gate: then nothing may be sent.
  virtual AsyncStatus BeginStep(const OperationIdentity& identity, const ClaimResult& claim,
                                const std::string& owner, const StepTarget& step, Millis lease,
                                const Context& context) = 0;

  /// Records the result, the outcome and the order's due-queue entry in one script. DONE for the
  /// current attempt is accepted from anyone; NOT_EXECUTED from the claim's owner in any open
  /// state; the rest from the owner of RUNNING or UNKNOWN only. A record that is not there (memory
  /// was lost meanwhile) is written. The same request again changes nothing.
  virtual Async<FinishVerdict> Finish(const FinishRequest& request, const Context& context) = 0;

  /// Writes a new epoch that nobody doubts, if there is none (`tollbridge init-store`). True when
  /// it wrote one.
  virtual Async<bool> InitializeEpoch(const Uuid& epoch, const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_OPERATION_STORE_H_
