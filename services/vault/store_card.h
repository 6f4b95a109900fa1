#ifndef TOLLBRIDGE_SERVICES_VAULT_STORE_CARD_H_
#define TOLLBRIDGE_SERVICES_VAULT_STORE_CARD_H_

#include <string_view>

#include <absl/status/statusor.h>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::vault {

/// The step `store_card`; its result is a vault.v1.StoredCard. Cannot be read back.
const operations::StepKind& StoreCardStep();

/// Vault.StoreCard as a plan of one step, POST {vault_url}/v1/cards/. A card that has expired is
/// refused when the key is to run, after the replay check.
operations::Plan PlanStoreCard(const domain::Project& project, const v1::StoreCardRequest& request);

/// Its step, and how its result is read: DATA_LOSS without a vault_token.
operations::MutationSpec StoreCardSpec();

}  // namespace tollbridge::vault

#endif  // TOLLBRIDGE_SERVICES_VAULT_STORE_CARD_H_
