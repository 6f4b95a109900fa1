#ifndef TOLLBRIDGE_SANDBOX_CORE_TRANSITIONS_H_
#define TOLLBRIDGE_SANDBOX_CORE_TRANSITIONS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sandbox/core/status.h"

/// How statuses change, written down once: docs/interface.md says which statuses there are and what
/// they mean, not how they follow on each other. docs/sandbox-states.md is drawn from here.
namespace tollbridge::sandbox {

/// What makes a status change.
enum class Trigger {
  kStarted,            ///< an attempt at paying was begun
  kChallenged,         ///< the issuer asks for 3-D Secure
  kChallengePassed,    ///< the customer passed it
  kSubmitted,          ///< a refund was handed on, and is not confirmed yet
  kApproved,           ///< the money moved, or is reserved
  kDeclined,           ///< the issuer said no, or the challenge failed
  kIssuerFailed,       ///< the issuer gave no answer that counts
  kCancelled,          ///< the customer gave up
  kExpired,            ///< expiration_period ran out
  kSettled,            ///< own checkout: the order follows its transaction, within 60 min
  kPaidTwice,          ///< a second transaction of the order succeeded
  kLateApproved,       ///< a failed payment succeeded after all
  kAllAttemptsFailed,  ///< payment link: no attempt is open and none succeeded
};

std::string_view Text(Trigger trigger);

template <typename Status>
struct Transition {
  Status from;
  Trigger trigger;
  Status to;
};

/// Every change of status that there is.
std::span<const Transition<OrderStatus>> OrderTransitions();
std::span<const Transition<TransactionStatus>> TransactionTransitions();
std::span<const Transition<LinkStatus>> LinkTransitions();

/// Where the trigger leads; nullopt when the table has no such line.
std::optional<OrderStatus> Next(OrderStatus from, Trigger trigger);
std::optional<TransactionStatus> Next(TransactionStatus from, Trigger trigger);
std::optional<LinkStatus> Next(LinkStatus from, Trigger trigger);

/// The three tables as a Markdown page with Mermaid diagrams: the whole of docs/sandbox-states.md.
std::string DrawTransitions();

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_TRANSITIONS_H_
