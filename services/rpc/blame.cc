#include "services/rpc/blame.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "services/domain/errors.h"

namespace tollbridge::rpc {
namespace {

namespace reason = domain::reason;

constexpr std::string_view kCaller = "caller";
/// A caller who gives less than this must expect that it is over before anybody can answer.
constexpr std::chrono::milliseconds kLeastPatience{100};

constexpr std::array<Blame, 39> kBlames = {{
    {reason::kInvalidRequest, "caller"},
    {reason::kUnparsableRequest, "caller"},
    {reason::kUnknownMethod, "caller"},
    {reason::kCallerLimit, "caller"},
    {reason::kIdempotencyKeyReused, "caller"},
    {reason::kOperationInProgress, "caller"},
    {reason::kOrderBusy, "caller"},
    {reason::kMoneyLimit, "caller"},
    {reason::kApprovalNeeded, "caller"},
    {reason::kResultNotKept, "caller"},
    {reason::kUpstreamRefused, "caller"},
    {reason::kOrderNotFound, "caller"},
    {reason::kPaymentLinkNotFound, "caller"},
    {reason::kPayoutNotFound, "caller"},
    {reason::kSetupTokenSpent, "caller"},
    {reason::kTooManyResults, "caller"},
    {reason::kOperationNotFound, "caller"},
    {reason::kOperationNotInReview, "caller"},
    {reason::kOperationHappened, "caller"},
    {reason::kOperationChanged, "caller"},
    {reason::kApprovalOver, "caller"},
    {reason::kAnotherIdentityNeeded, "caller"},
    {reason::kExtensionDisabled, "caller"},
    {reason::kCallerUnknown, "caller"},
    {reason::kPermissionDenied, "caller"},
    {reason::kNotSent, "payment_service"},
    {reason::kUpstreamRateLimited, "payment_service"},
    {reason::kUpstreamUnavailable, "payment_service"},
    {reason::kUpstreamUnreadable, "payment_service"},
    {reason::kReportIncomplete, "payment_service"},
    {reason::kStoreUnavailable, "store"},
    {reason::kStoreDoubtful, "store"},
    {reason::kOutboxFull, "store"},
    {reason::kMemoryLost, "store"},
    {reason::kOverloaded, "us"},
    {reason::kShuttingDown, "us"},
    {reason::kSecretKeyUnknown, "us"},
    {reason::kUpstreamCredentials, "us"},
    {reason::kInternal, "us"},
}};

Blame ByReason(std::string_view found) {
  const auto* const row = std::ranges::find(kBlames, found, &Blame::reason);
  return row == kBlames.end() ? Blame{reason::kInternal, "us"} : *row;
}

}  // namespace

std::span<const Blame> AllBlames() { return kBlames; }

Blame BlameFor(const absl::Status& status, const CallTimes& times) {
  Blame blame = ByReason(domain::ReasonOf(status));
  const bool over_at_once =
      times.ended >= times.deadline && times.deadline - times.begun < kLeastPatience;
  if (times.cancelled || over_at_once || absl::IsCancelled(status)) blame.who = kCaller;
  return blame;
}

}  // namespace tollbridge::rpc
