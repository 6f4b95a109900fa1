#ifndef TOLLBRIDGE_SERVICES_PORTS_OPERATION_TYPES_H_
#define TOLLBRIDGE_SERVICES_PORTS_OPERATION_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/uuid.h"
#include "services/ports/clock.h"
#include "services/ports/family.h"
#include "tollbridge/operations/v1/operations.pb.h"

/// What the ports of durable operations share (docs/design/operations.md).
namespace tollbridge::ports {

/// HMAC over what the caller asked for, under one of the live keys
/// (docs/design/operations.md#identity).
struct Fingerprint {
  std::string key_id;
  std::string digest;
};

// The contract's own; UNSPECIFIED is the state of no record.
using operations::v1::Knowledge;
using operations::v1::OperationState;
using operations::v1::StepState;

/// Says which step is sent and on what, so that any replica can recognize what it did; it is
/// written with SENT.
struct StepTarget {
  std::string name;  ///< e.g. "create_order"
  std::string order_id;
  std::string transaction_id;
  std::optional<std::int64_t> amount;  ///< minor units
  std::string currency;
  std::string merchant_order_id;
  /// The description that is sent carries the operation's mark.
  bool marked{};

  bool operator==(const StepTarget&) const = default;
};

/// What a step's message says of it.
StepTarget TargetOf(const operations::v1::Step& step);

/// What names an operation and never changes in an attempt. A result script that finds no record
/// (memory was lost meanwhile) writes one from this.
struct OperationIdentity {
  Uuid id;
  std::string rpc;  ///< full method name, `tollbridge.payments.v1.Payments/CreateOrder`
  /// Who asked, as the connection proved it.
  std::string caller;
  std::string project;  ///< name of the project
  /// Under the current key first, then under each key that is still kept. Never empty. In a record
  /// that was read back: the one that is stored.
  std::vector<Fingerprint> fingerprints;
  std::string capture_mode;
  std::string traceparent;
  /// The order whose gate the operation holds; nullopt for one that creates its order.
  std::optional<std::string> gate_order;
};

/// What may move in a day of Redis' clock, in UTC, under one limit. Without both it limits nothing.
struct MoneyLimit {
  /// Names it in the store and to callers; printable ASCII.
  std::string name;
  std::optional<std::int64_t> amount;  ///< minor units, below 2^53
  std::optional<std::int64_t> count;
};

/// What an operation moves, and the limits that it counts for.
struct MoneyClaim {
  std::int64_t amount = 0;
  /// nullopt: they hang on the currency of the order, which has to be read first.
  std::optional<std::vector<MoneyLimit>> limits;
};

/// What is asked of a second person (docs/design/operations.md#rule-19).
struct ApprovalRequest {
  /// Names it: that of nothing else that was ever asked.
  Uuid id;
  /// Who asks, and all names of its certificate. Without names nobody can confirm it.
  std::string who;
  std::vector<std::string> names;
  std::string reason;
  Millis good_for{};
};

/// A second person's answer.
struct Confirmation {
  Uuid approval;
  std::vector<std::string> names;
};

/// A longer sealed outcome is not kept: DONE without a result (docs/design/operations.md#rule-17).
inline constexpr std::size_t kMaxOutcomeBytes = std::size_t{1} << 20;

/// Reasons why a person has to close an operation: OperationRecord.review_reason, and the labels of
/// a metric. A closed set.
namespace review {
inline constexpr const char* kLateEffect = "LATE_EFFECT";
inline constexpr const char* kOrphanPaid = "ORPHAN_PAID";
inline constexpr const char* kAmountDiffers = "AMOUNT_DIFFERS";
inline constexpr const char* kCurrencyDiffers = "CURRENCY_DIFFERS";
/// Absence that does not allow to run again: refunds, partial captures and voids.
inline constexpr const char* kAbsentNotRepeatable = "ABSENT_NOT_REPEATABLE";
/// The evidence fits several operations, or none for sure.
inline constexpr const char* kAmbiguous = "AMBIGUOUS_EVIDENCE";
/// The evidence could not be read for too long after the quarantine.
inline constexpr const char* kUnreadable = "EVIDENCE_UNREADABLE";
}  // namespace review

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_OPERATION_TYPES_H_
