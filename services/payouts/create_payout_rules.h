#ifndef TOLLBRIDGE_SERVICES_PAYOUTS_CREATE_PAYOUT_RULES_H_
#define TOLLBRIDGE_SERVICES_PAYOUTS_CREATE_PAYOUT_RULES_H_

#include "services/domain/project.h"
#include "services/orders/request_rules.h"
#include "tollbridge/payouts/v1/payouts.pb.h"

namespace tollbridge::payouts {

/// What is wrong with the request, beyond the rules that its fields declare: project, destination,
/// the recipient's state, and what only the gateway may set. `project` may be nullptr: there is
/// none of that name. The card's expiry depends on the date and is checked later.
orders::Violations CreatePayoutViolations(const v1::CreatePayoutRequest& request,
                                          const domain::Project* project);

}  // namespace tollbridge::payouts

#endif  // TOLLBRIDGE_SERVICES_PAYOUTS_CREATE_PAYOUT_RULES_H_
