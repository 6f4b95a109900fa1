#ifndef TOLLBRIDGE_SERVICES_EVENTS_READ_RESULT_H_
#define TOLLBRIDGE_SERVICES_EVENTS_READ_RESULT_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include "services/ports/clock.h"
#include "services/ports/due_queue.h"

namespace tollbridge::events {

/// How a read of a family ended, as far as it matters for its hint.
enum class ReadOutcome {
  kDone,            ///< decided, saved, published
  kOrphan,          ///< an order that is no operation's outcome, and not paid: nothing was kept
  kNotFound,        ///< the payment service does not know the order
  kProjectRefused,  ///< 401, 403 or 429: about the project, not about the order
  kUnreadable,      ///< an answer that cannot be read
  kOlder,           ///< an answer that is older than what is known: from a replica that lags
  kFailed,          ///< any other error: about this order
  kOverBudget,      ///< the project's reads of this time are spent: not asked
  kPutOff,          ///< not asked, as ReadRequest::put_off wants
  kNoAnswer,        ///< the payment service may have been asked, and nothing came back
  kOutage,          ///< Redis, Kafka or the way to the payment service is down
};

struct ReadResult {
  ReadOutcome outcome = ReadOutcome::kDone;
  /// Not OK unless kDone, kOrphan or kPutOff.
  absl::Status cause;
  /// Says with kDone why a member could not be read, although the rest of the family was; kDone
  /// when all could.
  ReadOutcome member_outcome = ReadOutcome::kDone;
  absl::Status member_cause;
  /// Says with kDone that a later round looks at other members: of those it says nothing.
  bool partial = false;
  /// Counts with kDone the events published now, those of a pending outbox included.
  std::size_t published = 0;
  /// Says with kOrphan when to read it again, since it may be paid yet; nullopt: not any more.
  std::optional<WallTime> look_again;
  /// Says unless kDone when the order was due as the read began: whoever sets another time compares
  /// with it. nullopt: it was not in the due queue.
  std::optional<WallTime> seen_due;
  /// Says unless kDone when an order that was never read was noticed, for who puts it off: nullopt
  /// where that is kept already, or not known.
  std::optional<ports::Noticed> noticed;
  /// Says unless kDone that what was decided is saved, and pending: only its events are not taken.
  bool pending = false;
  /// Says that the payment service was asked for the order itself, and answered.
  bool answered = false;
  /// Says with kFailed that what it was made from is not found.
  bool no_parent = false;
  /// Says that nothing would be due of the family any more, if all of it could be read.
  bool settled = false;
  /// Says with kOverBudget and kPutOff that nothing is known of the order, so that it has no right
  /// to wait.
  bool unknown = false;
};

/// What an error of PaymentService::GetOrder means for the hint. Not called with OK.
ReadOutcome OutcomeOfRead(const absl::Status& error);

/// Whether a read of one order that ended so was answered by the payment service.
bool IsAnswer(ReadOutcome outcome);

/// What an error of the store, the event log or the hint log means: kOutage when asking again can
/// help, kFailed when it is about this order's data.
ReadOutcome OutcomeOfInfrastructure(const absl::Status& error);

/// The result of a round that ends with such an error, although it has published so many events.
ReadResult InfrastructureFailure(const absl::Status& error, std::size_t published = 0);

/// Label of the metric that counts reads; empty for what is counted where it was refused.
std::string_view MetricOf(ReadOutcome outcome);

/// The RetryInfo of an error; nullopt when it has none.
std::optional<std::chrono::milliseconds> RetryAfter(const absl::Status& error);

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_READ_RESULT_H_
