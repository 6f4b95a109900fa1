#ifndef TOLLBRIDGE_SANDBOX_CORE_STATUS_H_
#define TOLLBRIDGE_SANDBOX_CORE_STATUS_H_

#include <optional>
#include <string_view>

namespace tollbridge::sandbox {

/// Section Order statuses.
enum class OrderStatus {
  kNew,
  kProcessing,
  kCompleted,
  kCancelled,
  kExpired,
  kError,
  kSeeTransactions,
};

/// Section Transaction statuses, and those of this family of interfaces that the stand-in reaches.
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

/// Section Payment link statuses.
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
