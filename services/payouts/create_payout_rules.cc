#include "services/payouts/create_payout_rules.h"

#include "services/domain/states.h"

namespace tollbridge::payouts {
namespace {

/// docs/interface.md#customer and #card-payout. The Australian values are not shown.
void CheckRecipient(const common::v1::Customer& customer, orders::Violations& out) {
  const bool needs_state =
      domain::HasListedStates(customer.country()) || customer.country() == "AU";
  if (needs_state && customer.state().empty()) {
    out.push_back({"customer.state", "is required when the country is US, CA or AU"});
  }
  orders::CheckState(customer, out);
}

}  // namespace

orders::Violations CreatePayoutViolations(const v1::CreatePayoutRequest& request,
                                          const domain::Project* /*project*/) {
  orders::Violations out;
  orders::CheckDescription(request.description(), out);
  orders::CheckExtra(request.extra(), out);
  const bool has_token = request.has_vault_token() && !request.vault_token().empty();
  if (!request.has_card() && !has_token) {
    out.push_back({"destination", "exactly one of card and vault_token must be given"});
  }
  CheckRecipient(request.customer(), out);
  return out;
}

}  // namespace tollbridge::payouts
