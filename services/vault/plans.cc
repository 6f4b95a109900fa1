#include "services/vault/plans.h"

#include "services/vault/exchange_wallet_b_token.h"
#include "services/vault/store_card.h"

namespace tollbridge::vault {

std::vector<operations::PlanRegistration> VaultPlans(const domain::Projects& projects) {
  return {
      operations::PlanFor<v1::StoreCardRequest, v1::StoreCardResponse>(
          kStoreCardRpc,
          [&projects](const v1::StoreCardRequest& request) {
            return PlanStoreCard(projects, request);
          },
          StoreCardParts()),
      operations::PlanFor<v1::ExchangeWalletBTokenRequest, v1::ExchangeWalletBTokenResponse>(
          kExchangeWalletBTokenRpc,
          [&projects](const v1::ExchangeWalletBTokenRequest& request) {
            return PlanExchangeWalletBToken(projects, request);
          },
          ExchangeWalletBTokenParts()),
  };
}

}  // namespace tollbridge::vault
