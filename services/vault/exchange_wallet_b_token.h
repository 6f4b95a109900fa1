#ifndef TOLLBRIDGE_SERVICES_VAULT_EXCHANGE_WALLET_B_TOKEN_H_
#define TOLLBRIDGE_SERVICES_VAULT_EXCHANGE_WALLET_B_TOKEN_H_

#include <string_view>

#include <absl/status/statusor.h>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::vault {

/// The step `exchange_wallet_b_token`; its result is a vault.v1.WalletBToken. Cannot be read back.
const operations::StepKind& ExchangeWalletBTokenStep();

/// Vault.ExchangeWalletBToken as a plan of one step, POST {wallet_token_url}/tokens/.
operations::Plan PlanExchangeWalletBToken(const domain::Project& project,
                                          const v1::ExchangeWalletBTokenRequest& request);

/// Its step, and how its result is read: DATA_LOSS without a vault_token. An absent cryptogram is
/// as good as an empty one: PAN_ONLY.
operations::MutationSpec ExchangeWalletBTokenSpec();

}  // namespace tollbridge::vault

#endif  // TOLLBRIDGE_SERVICES_VAULT_EXCHANGE_WALLET_B_TOKEN_H_
