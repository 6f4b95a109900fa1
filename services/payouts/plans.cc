#include "services/payouts/plans.h"

#include "services/payouts/create_payout.h"

namespace tollbridge::payouts {

std::vector<operations::PlanRegistration> PayoutPlans(const domain::Projects& projects) {
  return {operations::PlanFor<v1::CreatePayoutRequest, v1::CreatePayoutResponse>(
      kCreatePayoutRpc,
      [&projects](const v1::CreatePayoutRequest& request) {
        return PlanCreatePayout(projects, request);
      },
      CreatePayoutParts())};
}

}  // namespace tollbridge::payouts
