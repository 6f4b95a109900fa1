#ifndef TOLLBRIDGE_SERVICES_PAYOUTS_PLANS_H_
#define TOLLBRIDGE_SERVICES_PAYOUTS_PLANS_H_

#include <vector>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/payouts/create_payout_rules.h"

namespace tollbridge::payouts {

/// The mutation of the service Payouts. `projects` outlives the registration.
std::vector<operations::PlanRegistration> PayoutPlans(const domain::Projects& projects);

/// Adds the rules of its requests to `rules`, an rpc::RequestRules, which this room does not see.
/// `projects` outlives it.
template <typename RequestRules>
void AddPayoutRules(RequestRules& rules, const domain::Projects& projects) {
  rules.template Add<v1::CreatePayoutRequest>("tollbridge.payouts.v1.Payouts.CreatePayout",
                                              [&projects](const v1::CreatePayoutRequest& request) {
                                                return CreatePayoutViolations(
                                                    request, projects.Find(request.project()));
                                              });
  rules.template Add<v1::GetPayoutRequest>(
      "tollbridge.payouts.v1.Payouts.GetPayout", [&projects](const v1::GetPayoutRequest& request) {
        orders::Violations out;
        orders::CheckProject(request.project(), projects.Find(request.project()), out);
        return out;
      });
}

}  // namespace tollbridge::payouts

#endif  // TOLLBRIDGE_SERVICES_PAYOUTS_PLANS_H_
