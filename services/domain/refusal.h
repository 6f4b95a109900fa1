#ifndef TOLLBRIDGE_SERVICES_DOMAIN_REFUSAL_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_REFUSAL_H_

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>

namespace tollbridge::domain {

/// A non-2xx answer of the payment service (docs/interface.md#errors).
struct Refusal {
  int http_status = 0;
  /// The body carried an error object, maybe one without a type.
  bool error_object = false;
  /// `error.type`; empty when the body had no error object, or it had no type.
  std::string type;
  /// `error.value`, with card numbers masked.
  std::string value;
  /// Retry-After, when it was sent.
  std::optional<std::chrono::milliseconds> retry_after;

  /// Whether the body carried the error object of docs/interface.md#errors.
  bool has_error_object() const { return error_object || !type.empty(); }
};

/// What an answer to a mutation says about its effect (docs/design/operations.md#rule-3).
enum class RefusalMeaning {
  kRefused,      ///< definite: the service looked at the request and did nothing
  kNotExecuted,  ///< the service did not get as far as the request; the key may run at once
  kUnknown,      ///< there may be an effect
};

/// Decides by the error object first, by the HTTP status second; by the status alone for 401, 403
/// and 429, which whatever stands before the service gives too (docs/adr/0048-what-is-not-read.md).
/// `fresh_order`: we created the
/// order less than 60 s ago, so that a 404 may only be a lagging replica.
RefusalMeaning MeaningOf(const Refusal& refusal, bool fresh_order);

/// Whether a refusal goes by the state of the thing, which an earlier copy of the very request may
/// have left it in: something in between may have sent ours twice
/// (docs/design/operations.md#rule-3).
bool NamesState(const Refusal& refusal);

/// The caller's error for a refusal: one table from (error type, HTTP status) to (gRPC code,
/// reason, retry). The service's 401 and 403 are our misconfiguration: INTERNAL, never the caller's
/// UNAUTHENTICATED.
absl::Status ToError(const Refusal& refusal);

/// Whether `error` is ToError of a 404 with the error object: the payment service has looked, and
/// the project has no such order. A 404 without it may come from something in between.
bool SaysOrderNotFound(const absl::Status& error);

/// What became of a request that only reads, where there is no answer to go by
/// (docs/design/operations.md#rule-3, for requests that change something: there it is an outcome,
/// not an error).
enum class NoAnswer {
  kLate,        ///< none came before the deadline
  kUnreached,   ///< no connection, or it broke
  kUnreadable,  ///< one came that is not what was asked for
  kRateLimit,   ///< not sent: the service has asked to wait
  kInFlight,    ///< not sent: too many requests to the service are under way
  kBreaker,     ///< not sent: the service was failing, and it is too early to try again
};

/// The caller's error for it, from the same file's table of transport outcomes. `retry_after`: when
/// a time to wait is known.
absl::Status ToError(NoAnswer why, std::optional<std::chrono::milliseconds> retry_after = {});

/// One refusal for each row of the table of refusals, under each status of
/// docs/interface.md#errors and one that it does not have: for tests that must see them all.
std::vector<Refusal> KnownRefusals();

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_REFUSAL_H_
