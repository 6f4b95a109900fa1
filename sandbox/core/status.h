#ifndef TOLLBRIDGE_SANDBOX_CORE_STATUS_H_
#define TOLLBRIDGE_SANDBOX_CORE_STATUS_H_

#include <optional>
#include <string_view>

namespace tollbridge::sandbox {

/// Statuses of an order (docs/interface.md#order-statuses).
enum class OrderStatus {
  kNew,
  kProcessing,
  kCompleted,
  kCancelled,
  kExpired,
  kError,
  kSeeTransactions,
};

/// Statuses of a transaction (docs/interface.md#transaction-statuses), and those of this family of
/// interfaces that the stand-in reaches.
enum class TransactionStatus {
  kNew,
  kPending,  ///< waits for the customer: a 3-D Secure challenge is open
  kAccepted,
  kCompleted,
  kDeclined,
  kError,
  kCancelled,
  kExpired,
};

/// Statuses of a payment link (docs/interface.md#payment-link-statuses).
enum class LinkStatus { kNew, kProcessing, kAllUnsuccessful, kCompleted, kExpired };

/// As the interface writes it: `see-transactions`.
std::string_view Text(OrderStatus status);
std::string_view Text(TransactionStatus status);
std::string_view Text(LinkStatus status);

/// The status of that text; nullopt when there is none.
std::optional<OrderStatus> ParseOrderStatus(std::string_view text);
std::optional<TransactionStatus> ParseTransactionStatus(std::string_view text);

/// Completed, cancelled, expired or error; see-transactions is not.
bool IsFinal(OrderStatus status);
/// Completed, declined, error, cancelled or expired.
bool IsFinal(TransactionStatus status);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_STATUS_H_
