#include "services/payouts/methods.h"

#include "services/payouts/create_payout.h"
#include "services/payouts/create_payout_rules.h"
#include "services/payouts/get_payout.h"

namespace tollbridge::payouts {

std::vector<operations::Method> PayoutMethods() {
  return {operations::Mutation(&PlanCreatePayout, CreatePayoutSpec(), &CreatePayoutViolations),
          operations::Read(&GetPayout)};
}

}  // namespace tollbridge::payouts
