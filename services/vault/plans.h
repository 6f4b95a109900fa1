#ifndef TOLLBRIDGE_SERVICES_VAULT_PLANS_H_
#define TOLLBRIDGE_SERVICES_VAULT_PLANS_H_

#include <string_view>
#include <vector>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/vault/rules.h"

namespace tollbridge::vault {

/// The mutations of the service Vault. `projects` outlives the registrations.
std::vector<operations::PlanRegistration> VaultPlans(const domain::Projects& projects);

/// Adds the rules of their requests to `rules`, an rpc::RequestRules, which this room does not see.
template <typename RequestRules>
void AddVaultRules(RequestRules& rules) {
  rules.Add("tollbridge.vault.v1.Vault.StoreCard", &StoreCardViolations);
  rules.Add("tollbridge.vault.v1.Vault.ExchangeWalletBToken", &ExchangeWalletBTokenViolations);
}

}  // namespace tollbridge::vault

#endif  // TOLLBRIDGE_SERVICES_VAULT_PLANS_H_
