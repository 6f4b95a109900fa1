#ifndef TOLLBRIDGE_SERVICES_VAULT_RULES_H_
#define TOLLBRIDGE_SERVICES_VAULT_RULES_H_

#include "services/domain/project.h"
#include "services/orders/request_rules.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::vault {

// What requests break beyond the rules that their fields declare
// (docs/architecture.md#validation-before-sending). `project` is nullptr when the request names
// none that is configured. That a card has not expired depends on the date: the plan checks it,
// after the replay check (docs/design/operations.md#rule-7).

orders::Violations StoreCardViolations(const v1::StoreCardRequest& request,
                                       const domain::Project* project);
orders::Violations ExchangeWalletBTokenViolations(const v1::ExchangeWalletBTokenRequest& request,
                                                  const domain::Project* project);

}  // namespace tollbridge::vault

#endif  // TOLLBRIDGE_SERVICES_VAULT_RULES_H_
