#ifndef TOLLBRIDGE_SERVICES_PAYOUTS_CREATE_PAYOUT_H_
#define TOLLBRIDGE_SERVICES_PAYOUTS_CREATE_PAYOUT_H_

#include <string_view>

#include <absl/status/statusor.h>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "tollbridge/payouts/v1/payouts.pb.h"

namespace tollbridge::payouts {

/// Payouts.CreatePayout as a plan of two or three steps (docs/interface.md#card-payout): create the
/// order, store the card when one is given, authenticate. The order is created without the
/// vault_token, also when the caller brings one: with it the payout would run in the one request
/// that creates the order, and nothing could tell beforehand that it was about to (docs/adr/0014).
/// INVALID_ARGUMENT for a card that has expired, after the replay check. Card number and security
/// code are wiped once they were sent, or with the plan.
operations::Plan PlanCreatePayout(const domain::Project& project,
                                  const v1::CreatePayoutRequest& request);

/// Its steps, and how its result is read. A decline is a result: the order is in `error`.
operations::MutationSpec CreatePayoutSpec();

}  // namespace tollbridge::payouts

#endif  // TOLLBRIDGE_SERVICES_PAYOUTS_CREATE_PAYOUT_H_
