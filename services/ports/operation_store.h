#ifndef TOLLBRIDGE_SERVICES_PORTS_OPERATION_STORE_H_
#define TOLLBRIDGE_SERVICES_PORTS_OPERATION_STORE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/base/async.h"
#include "services/base/uuid.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "services/ports/family.h"

namespace tollbridge::operations::v1 {
class Operation;
}

namespace tollbridge::ports {

/// HMAC over what the caller asked for, under one of the live keys (operations.md, Identity).
struct Fingerprint {
  std::string key_id;
  std::string digest;
};

/// States of an operation's record. The names on the wire of operations.v1.OperationState follow
/// these.
enum class OperationState { kRunning, kDone, kUnknown, kNotExecuted, kNeedsReview };

/// What a step leaves as evidence, written with SENT.
struct StepEvidence {
  std::string name;  ///< e.g. "create_order"
  std::string order_id;
  std::string transaction_id;
  std::optional<std::int64_t> amount;  ///< minor units
  std::string currency;
  std::string merchant_order_id;
};

/// What names an operation and never changes in an attempt. A result script that finds no record
/// (memory was lost meanwhile) writes one from this.
struct OperationIdentity {
  Uuid id;
  std::string rpc;      ///< full method name, `tollbridge.payments.v1.Payments/CreateOrder`
  std::string project;  ///< name of the project
  /// Under the current key first, then under each key that is still kept. Never empty.
  std::vector<Fingerprint> fingerprints;
  std::string capture_mode;
  std::string traceparent;
  /// The order whose gate the operation holds; nullopt for one that creates its order.
  std::optional<std::string> gate_order;
};

struct ClaimRequest {
  OperationIdentity identity;
  std::string owner;  ///< process and call: unique per claim
  Millis lease{};
  StepEvidence first_step;
};

enum class ClaimVerdict {
  kClaimed,     ///< RUNNING is ours and the first step is SENT, durably
  kInProgress,  ///< RUNNING under a live lease
  kDone,        ///< `outcome` holds what was stored
  kPending,     ///< UNKNOWN or NEEDS_REVIEW
  kKeyReused,   ///< the same key with another fingerprint
  kOrderBusy,   ///< another operation holds the order's gate
};

struct ClaimResult {
  ClaimVerdict verdict = ClaimVerdict::kPending;
  std::uint32_t attempt = 0;
  /// First eight characters of the store's epoch id; part of the mark.
  std::string epoch;
  /// kDone: the sealed outcome; empty when the result was not kept.
  std::string outcome;
  /// kPending, kInProgress: the state, and since when.
  OperationState state = OperationState::kRunning;
  WallTime since{};
  /// kPending: the order the operation is about, when it is known.
  std::string order_id;
  /// kInProgress: until the lease ends.
  Millis retry_after{};
  /// kOrderBusy: who holds the gate.
  std::string holder;
};

struct FinishRequest {
  OperationIdentity identity;
  std::uint32_t attempt = 0;
  std::string owner;
  StepEvidence step;
  /// kDone, kUnknown, kNotExecuted or kNeedsReview.
  OperationState to = OperationState::kUnknown;
  /// Why: for the transition list. No card data, no credential.
  std::string evidence;
  /// Sealed outcome for kDone; empty keeps none.
  std::string outcome;
  /// The order that the operation made or changed: entered into the due queue, due now, in the same
  /// script.
  std::optional<OrderEntry> order;
  /// Whether a success that comes too late is an orphan (create order) and not a review record.
  bool late_effect_is_orphan = false;
};

/// A longer sealed outcome is not kept: DONE without a result (operations.md, rule 17).
inline constexpr std::size_t kMaxOutcomeBytes = std::size_t{1} << 20;

enum class FinishVerdict {
  kRecorded,       ///< the state is what was asked for
  kAlreadyClosed,  ///< DONE before; the stored outcome stands and nothing changed
  kLateEffect,     ///< a success under NOT_EXECUTED or an older attempt; a review record was opened
                   ///< unless orphan
  kNotOurs,  ///< an indefinite answer for an attempt or owner that has moved on; nothing changed
};

/// An operation whose lease ended without a result, and what it became.
struct ExpiredOperation {
  Uuid id;
  std::string rpc;
  OperationState became = OperationState::kUnknown;
};

/// The durable record of mutations. Every change is one atomic compare-and-set on (state, attempt,
/// owner). All calls answer UNAVAILABLE (reason STORE_UNAVAILABLE) when the store cannot be asked,
/// and UNAVAILABLE (reason STORE_NOT_INITIALIZED) when it has no epoch. Per shard.
class OperationStore {
 public:
  virtual ~OperationStore() = default;

  /// Claims the key and records the first step as SENT, or says what stands there. RUNNING whose
  /// lease has ended becomes UNKNOWN (it had SENT) in the same script and answers kPending.
  virtual Async<ClaimResult> Claim(const ClaimRequest& request, const Context& context) = 0;

  /// Records a further step of a plan as SENT, before its first byte. FAILED_PRECONDITION when the
  /// operation is not RUNNING with this attempt and owner: then nothing may be sent.
  virtual AsyncStatus BeginStep(const OperationIdentity& identity, std::uint32_t attempt,
                                const std::string& owner, const StepEvidence& step,
                                const Context& context) = 0;

  /// Records the result, the outcome and the order's due-queue entry in one script. A definite
  /// answer (kDone) for the current attempt is accepted from anyone.
  virtual Async<FinishVerdict> Finish(const FinishRequest& request, const Context& context) = 0;

  /// Closes up to `limit` operations whose lease has ended: SENT becomes UNKNOWN, without SENT
  /// NOT_EXECUTED.
  virtual Async<std::vector<ExpiredOperation>> ExpireLeases(std::size_t limit,
                                                            const Context& context) = 0;

  /// The record as a message, or NOT_FOUND reason OPERATION_NOT_FOUND.
  virtual Async<operations::v1::Operation> Read(const Uuid& id, const Context& context) = 0;

  /// Writes a new epoch if there is none (`tollbridge init-store`). True when it wrote one.
  virtual Async<bool> InitializeEpoch(const Uuid& epoch, const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_OPERATION_STORE_H_
