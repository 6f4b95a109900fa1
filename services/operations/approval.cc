#include "services/operations/approval.h"

#include <algorithm>
#include <string>
#include <vector>

#include <absl/strings/str_cat.h>

#include "services/domain/errors.h"
#include "services/domain/timestamps.h"

namespace tollbridge::operations {
namespace {

constexpr std::string_view kOtherCurrencies = "*";

/// The limit of the currency's own; else that of all others.
const domain::ApprovalLimit* LimitOf(const std::vector<domain::ApprovalLimit>& limits,
                                     std::string_view currency) {
  for (const std::string_view named : {currency, kOtherCurrencies}) {
    const auto found = std::ranges::find(limits, named, &domain::ApprovalLimit::currency);
    if (found != limits.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

Uuid ApprovalId(const Uuid& operation, std::string_view unique) {
  return Uuid::V5(operation, absl::StrCat("approval.", std::string(unique)));
}

std::optional<ports::ApprovalRequest> ApprovalOf(const Plan& plan, const Uuid& operation,
                                                 std::string_view owner, const Settings& settings) {
  if (!plan.money.has_value() || plan.money->kind != MoneyKind::kPayouts) return std::nullopt;
  const domain::ApprovalLimit* limit =
      LimitOf(plan.project->payout_approvals, plan.money->currency);
  if (limit == nullptr || plan.money->amount <= limit->above) return std::nullopt;
  return ports::ApprovalRequest{
      .id = ApprovalId(operation, owner),
      .who = plan.caller,
      .names = plan.caller_names,
      .reason = absl::StrCat("a payout of ", plan.money->amount, " ", plan.money->currency,
                             ", above ", limit->above, " in the smallest unit"),
      .good_for = settings.approval_lifetime};
}

absl::Status ApprovalNeeded(const Uuid& operation, const Uuid& approval, WallTime until) {
  return domain::MakeError(absl::StatusCode::kFailedPrecondition,
                           "another identity has to confirm this in time, with ConfirmOperation; "
                           "until then nothing is done",
                           {.reason = domain::reason::kApprovalNeeded,
                            .retry = domain::Retry::kAfterChange,
                            .metadata = {{"operation_id", operation.ToString()},
                                         {"approval_id", approval.ToString()},
                                         {"until", domain::ToRfc3339(until)}}});
}

}  // namespace tollbridge::operations
