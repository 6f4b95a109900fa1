#include "services/domain/refusal.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "base/core/card_numbers.h"
#include "services/domain/errors.h"

namespace tollbridge::domain {
namespace {

/// One row: what a refusal means for the operation, and what the caller is told. Both stand side
/// by side, so that no row can call an answer definite and tell the caller otherwise.
struct Row {
  RefusalMeaning meaning;
  absl::StatusCode code;
  std::string_view reason;
  Retry retry;
  std::string_view message;
};

constexpr Row kCredentials = {RefusalMeaning::kNotExecuted, absl::StatusCode::kInternal,
                              reason::kUpstreamCredentials, Retry::kSafeSameKey,
                              "the payment service does not accept the gateway's credentials"};
constexpr Row kRateLimited = {RefusalMeaning::kNotExecuted, absl::StatusCode::kResourceExhausted,
                              reason::kUpstreamRateLimited, Retry::kSafeSameKey,
                              "the payment service limits the rate of requests"};
constexpr Row kNotFound = {RefusalMeaning::kRefused, absl::StatusCode::kNotFound,
                           reason::kOrderNotFound, Retry::kAfterChange,
                           "the payment service does not know the order or transaction"};
constexpr Row kInvalid = {RefusalMeaning::kRefused, absl::StatusCode::kInvalidArgument,
                          reason::kUpstreamRefused, Retry::kAfterChange,
                          "the payment service refused the request as invalid"};
constexpr Row kState = {RefusalMeaning::kRefused, absl::StatusCode::kFailedPrecondition,
                        reason::kUpstreamRefused, Retry::kAfterChange,
                        "the payment service refused the request in the present state"};
constexpr Row kStarted = {
    RefusalMeaning::kRefused, absl::StatusCode::kFailedPrecondition, reason::kUpstreamRefused,
    Retry::kNever,
    "the transaction was started already, if not by this very request; read the order"};
constexpr Row kUnavailable = {RefusalMeaning::kUnknown, absl::StatusCode::kUnavailable,
                              reason::kUpstreamUnavailable, Retry::kSafeSameKey,
                              "the payment service could not answer"};
constexpr Row kUnreadable = {RefusalMeaning::kUnknown, absl::StatusCode::kUnavailable,
                             reason::kUpstreamUnreadable, Retry::kSafeSameKey,
                             "the payment service gave an answer that cannot be read"};

/// In the metadata of an error: the type in the error object, where there was one.
constexpr std::string_view kProviderType = "provider_type";
/// That of an error object without a type.
constexpr std::string_view kNoType = "none";

constexpr Row kUndocumented = {
    RefusalMeaning::kUnknown, absl::StatusCode::kUnavailable, reason::kUpstreamUnavailable,
    Retry::kSafeSameKey, "the payment service gave an answer that its interface does not show"};

struct TypeRow {
  std::string_view type;
  const Row& row;
};

/// In the order of NoAnswer. Nothing was changed by a request that reads, so the same one is always
/// safe.
struct NoAnswerRow {
  NoAnswer why;
  absl::StatusCode code;
  std::string_view reason;
  std::string_view message;
};

constexpr NoAnswerRow kNoAnswers[] = {
    {NoAnswer::kLate, absl::StatusCode::kDeadlineExceeded, reason::kUpstreamUnavailable,
     "the payment service did not answer in time"},
    {NoAnswer::kUnreached, absl::StatusCode::kUnavailable, reason::kUpstreamUnavailable,
     "the payment service cannot be reached"},
    {NoAnswer::kUnreadable, absl::StatusCode::kInternal, reason::kUpstreamUnreadable,
     "the payment service gave an answer that cannot be read"},
    {NoAnswer::kRateLimit, absl::StatusCode::kResourceExhausted, reason::kUpstreamRateLimited,
     "the payment service limits the rate of requests"},
    {NoAnswer::kInFlight, absl::StatusCode::kResourceExhausted, reason::kOverloaded,
     "too many calls to the payment service are under way"},
    {NoAnswer::kBreaker, absl::StatusCode::kUnavailable, reason::kUpstreamUnavailable,
     "the payment service is failing and is not asked"},
};

/// Error types of the interface (docs/interface.md#errors).
constexpr TypeRow kByType[] = {
    {"ValidationError", kInvalid},
    {"MissingInformationToCreateTransaction", kInvalid},
    {"TransactionAlreadyStarted", kStarted},
    {"CanNotCancelTransaction", kState},
    {"RefundError", kState},
    {"FailedToFetchTransactionInformation", kUnavailable},
    {"ServerError", kUnavailable},
};

const Row& ByStatus(int status) {
  switch (status) {
    case 400:
    case 422:
      return kInvalid;
    case 404:
      return kNotFound;
    case 409:
      return kState;
    default:
      return status >= 500 ? kUnavailable : kUnreadable;
  }
}

/// The client errors that the interface has for a request that was looked at. Others (408, 425,
/// 499) do not say that nothing happened, whatever stands beside them.
bool IsDocumented(int status) {
  return status == 400 || status == 404 || status == 409 || status == 422;
}

/// 401, 403 and 429 come first: they are given before the request is looked at, so that a type
/// beside them says nothing about it. Then the statuses that the interface does not have, then the
/// type, then the status.
const Row& RowOf(const Refusal& refusal) {
  if (refusal.http_status == 401 || refusal.http_status == 403) return kCredentials;
  if (refusal.http_status == 429) return kRateLimited;
  const bool client_error = refusal.http_status >= 400 && refusal.http_status < 500;
  if (client_error && !IsDocumented(refusal.http_status)) return kUndocumented;
  const TypeRow* found = std::find_if(std::begin(kByType), std::end(kByType),
                                      [&](const TypeRow& row) { return row.type == refusal.type; });
  return found != std::end(kByType) ? found->row : ByStatus(refusal.http_status);
}

}  // namespace

RefusalMeaning MeaningOf(const Refusal& refusal, bool fresh_order) {
  const bool client_error = refusal.http_status >= 400 && refusal.http_status < 500;
  if (!client_error) return RefusalMeaning::kUnknown;
  const RefusalMeaning meaning = RowOf(refusal).meaning;
  if (meaning == RefusalMeaning::kNotExecuted) return meaning;
  if (!refusal.has_error_object()) return RefusalMeaning::kUnknown;
  if (meaning == RefusalMeaning::kRefused && refusal.http_status == 404 && fresh_order) {
    return RefusalMeaning::kNotExecuted;
  }
  return meaning;
}

bool NamesState(const Refusal& refusal) {
  return MeaningOf(refusal, false) == RefusalMeaning::kRefused &&
         RowOf(refusal).code == absl::StatusCode::kFailedPrecondition;
}

absl::Status ToError(const Refusal& refusal) {
  const Row& row = RowOf(refusal);
  ErrorDetail detail;
  detail.reason = row.reason;
  detail.retry = row.retry;
  if (refusal.has_error_object()) {
    detail.metadata.emplace_back(
        kProviderType, refusal.type.empty() ? std::string(kNoType) : MaskCardNumbers(refusal.type));
  }
  detail.metadata.emplace_back("provider_status", std::to_string(refusal.http_status));
  detail.retry_after = refusal.retry_after;
  std::string message(row.message);
  if (!refusal.value.empty()) message.append(": ").append(refusal.value);
  return MakeError(row.code, message, detail);
}

bool SaysOrderNotFound(const absl::Status& error) {
  return ReasonOf(error) == reason::kOrderNotFound && !MetadataOf(error, kProviderType).empty();
}

absl::Status ToError(NoAnswer why, std::optional<std::chrono::milliseconds> retry_after) {
  const NoAnswerRow& row = kNoAnswers[static_cast<std::size_t>(why)];
  return MakeError(
      row.code, row.message,
      {.reason = row.reason, .retry = Retry::kSafeSameKey, .retry_after = retry_after});
}

std::vector<Refusal> KnownRefusals() {
  constexpr int kStatuses[] = {400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503, 504};
  std::vector<Refusal> refusals;
  for (const int status : kStatuses) {
    for (const TypeRow& row : kByType) {
      refusals.push_back({.http_status = status, .type = std::string(row.type)});
    }
    refusals.push_back({.http_status = status, .type = "SomethingNew"});
    refusals.push_back({.http_status = status});
  }
  return refusals;
}

}  // namespace tollbridge::domain
