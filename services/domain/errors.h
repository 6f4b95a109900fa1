#ifndef TOLLBRIDGE_SERVICES_DOMAIN_ERRORS_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_ERRORS_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>

namespace tollbridge::domain {

/// What a caller may do after an error. It travels in ErrorInfo.metadata["retry"].
enum class Retry {
  kNever,        ///< the same call can only fail again
  kSafeSameKey,  ///< the same call with the same idempotency key is safe: nothing was done
  kAfterChange,  ///< only a changed request, or a changed state of the order, can succeed
};

/// As it stands there: "SAFE_SAME_KEY".
std::string_view RetryText(Retry retry);

/// One rule that a request breaks.
struct FieldViolation {
  std::string field;  ///< path as in google.rpc.BadRequest, e.g. `transactions[0].payment_method`
  std::string rule;   ///< what the field must be; never repeats the value that was sent
};

/// The reasons of ErrorInfo: the whole vocabulary of the product, one line each.
/// tests/data/reasons.golden lists it.
namespace reason {
inline constexpr std::string_view kInvalidRequest = "INVALID_REQUEST";
inline constexpr std::string_view kUnparsableRequest = "UNPARSABLE_REQUEST";
inline constexpr std::string_view kUnknownMethod = "UNKNOWN_METHOD";
inline constexpr std::string_view kOverloaded = "OVERLOADED";
inline constexpr std::string_view kCallerLimit = "CALLER_LIMIT";
inline constexpr std::string_view kShuttingDown = "SHUTTING_DOWN";
inline constexpr std::string_view kIdempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED";
inline constexpr std::string_view kOperationInProgress = "OPERATION_IN_PROGRESS";
inline constexpr std::string_view kOrderBusy = "ORDER_BUSY";
inline constexpr std::string_view kMoneyLimit = "MONEY_LIMIT";
inline constexpr std::string_view kApprovalNeeded = "APPROVAL_NEEDED";
inline constexpr std::string_view kResultNotKept = "RESULT_NOT_KEPT";
inline constexpr std::string_view kSecretKeyUnknown = "SECRET_KEY_UNKNOWN";
inline constexpr std::string_view kStoreUnavailable = "STORE_UNAVAILABLE";
inline constexpr std::string_view kStoreDoubtful = "STORE_DOUBTFUL";
inline constexpr std::string_view kOutboxFull = "OUTBOX_FULL";
inline constexpr std::string_view kMemoryLost = "MEMORY_LOST";
inline constexpr std::string_view kNotSent = "NOT_SENT";
inline constexpr std::string_view kUpstreamRefused = "UPSTREAM_REFUSED";
inline constexpr std::string_view kUpstreamCredentials = "UPSTREAM_CREDENTIALS";
inline constexpr std::string_view kUpstreamRateLimited = "UPSTREAM_RATE_LIMITED";
inline constexpr std::string_view kUpstreamUnavailable = "UPSTREAM_UNAVAILABLE";
inline constexpr std::string_view kUpstreamUnreadable = "UPSTREAM_UNREADABLE";
inline constexpr std::string_view kOrderNotFound = "ORDER_NOT_FOUND";
inline constexpr std::string_view kPaymentLinkNotFound = "PAYMENT_LINK_NOT_FOUND";
inline constexpr std::string_view kPayoutNotFound = "PAYOUT_NOT_FOUND";
inline constexpr std::string_view kSetupTokenSpent = "SETUP_TOKEN_SPENT";
inline constexpr std::string_view kTooManyResults = "TOO_MANY_RESULTS";
inline constexpr std::string_view kReportIncomplete = "REPORT_INCOMPLETE";
inline constexpr std::string_view kOperationNotFound = "OPERATION_NOT_FOUND";
inline constexpr std::string_view kOperationNotInReview = "OPERATION_NOT_IN_REVIEW";
inline constexpr std::string_view kOperationHappened = "OPERATION_HAPPENED";
inline constexpr std::string_view kOperationChanged = "OPERATION_CHANGED";
inline constexpr std::string_view kApprovalOver = "APPROVAL_OVER";
inline constexpr std::string_view kAnotherIdentityNeeded = "ANOTHER_IDENTITY_NEEDED";
inline constexpr std::string_view kExtensionDisabled = "EXTENSION_DISABLED";
inline constexpr std::string_view kCallerUnknown = "CALLER_UNKNOWN";
inline constexpr std::string_view kPermissionDenied = "PERMISSION_DENIED";
inline constexpr std::string_view kInternal = "INTERNAL";
}  // namespace reason

/// What an error says beside its canonical code and message.
struct ErrorDetail {
  std::string_view reason;  ///< one of domain::reason
  Retry retry = Retry::kNever;
  /// provider_type, provider_status, operation_id; never card data or a credential.
  std::vector<std::pair<std::string, std::string>> metadata;
  /// Becomes google.rpc.RetryInfo.
  std::optional<std::chrono::milliseconds> retry_after;
  /// Becomes google.rpc.BadRequest.
  std::vector<FieldViolation> violations;
};

/// An error of the product: a canonical code, a message for people, and the details as payloads of
/// the status (google.rpc.ErrorInfo, RetryInfo, BadRequest), which the inbound pipe puts on the
/// wire as they are.
absl::Status MakeError(absl::StatusCode code, std::string_view message, const ErrorDetail& detail);

/// INVALID_ARGUMENT with all violations at once. `violations` is not empty.
absl::Status InvalidRequest(std::vector<FieldViolation> violations);

/// NOT_FOUND OPERATION_NOT_FOUND. One error for an operation that is unknown and for one that the
/// caller may not see, so that the two cannot be told apart.
absl::Status OperationNotFound();

/// The reason that MakeError put into a status; empty when it has none.
std::string ReasonOf(const absl::Status& status);

/// A text of ErrorInfo.metadata; empty when the status has none of that name.
std::string MetadataOf(const absl::Status& status, std::string_view name);

/// The type URLs of the payloads.
inline constexpr std::string_view kErrorInfoUrl = "type.googleapis.com/google.rpc.ErrorInfo";
inline constexpr std::string_view kRetryInfoUrl = "type.googleapis.com/google.rpc.RetryInfo";
inline constexpr std::string_view kBadRequestUrl = "type.googleapis.com/google.rpc.BadRequest";

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_ERRORS_H_
