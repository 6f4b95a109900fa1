#ifndef TOLLBRIDGE_SERVICES_PAYOUTS_PLANS_H_
#define TOLLBRIDGE_SERVICES_PAYOUTS_PLANS_H_

#include <vector>

#include "services/domain/project.h"
#include "services/domain/project_rule.h"
#include "services/operations/plan.h"
#include "services/orders/find_project.h"
#include "services/payouts/create_payout_rules.h"

namespace tollbridge::payouts {

/// The mutation of the service Payouts. `projects` outlives the registration.
std::vector<operations::PlanRegistration> PayoutPlans(const domain::Projects& projects);

/// Adds the rules of its requests to `rules`, an rpc::RequestRules, which this room does not see.
/// `projects` outlives it.
template <typename RequestRules>
void AddPayoutRules(RequestRules& rules, const domain::Projects& projects) {
  domain::AddProjectRule(rules, projects, "tollbridge.payouts.v1.Payouts.CreatePayout",
                         &CreatePayoutViolations);
  domain::AddProjectRule(rules, projects, "tollbridge.payouts.v1.Payouts.GetPayout",
                         &orders::ProjectViolations<v1::GetPayoutRequest>);
}

}  // namespace tollbridge::payouts

#endif  // TOLLBRIDGE_SERVICES_PAYOUTS_PLANS_H_
