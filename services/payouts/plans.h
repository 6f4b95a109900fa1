#ifndef TOLLBRIDGE_SERVICES_PAYOUTS_PLANS_H_
#define TOLLBRIDGE_SERVICES_PAYOUTS_PLANS_H_

#include <vector>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/orders/find_project.h"
#include "services/payouts/create_payout_rules.h"

namespace tollbridge::payouts {

/// The mutation of the service Payouts. `projects` outlives the registration.
std::vector<operations::PlanRegistration> PayoutPlans(const domain::Projects& projects);

/// Adds the rules of its requests to `rules`, an rpc::RequestRules, which this room does not see.
template <typename RequestRules>
void AddPayoutRules(RequestRules& rules) {
  rules.Add("tollbridge.payouts.v1.Payouts.CreatePayout", &CreatePayoutViolations);
  rules.Add("tollbridge.payouts.v1.Payouts.GetPayout",
            &orders::ProjectViolations<v1::GetPayoutRequest>);
}

}  // namespace tollbridge::payouts

#endif  // TOLLBRIDGE_SERVICES_PAYOUTS_PLANS_H_
