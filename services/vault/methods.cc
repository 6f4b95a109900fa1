#include "services/vault/methods.h"

#include "services/vault/exchange_wallet_b_token.h"
#include "services/vault/store_card.h"

namespace tollbridge::vault {

std::vector<operations::Method> VaultMethods() {
  return {operations::Mutation(&PlanStoreCard, StoreCardSpec()),
          operations::Mutation(&PlanExchangeWalletBToken, ExchangeWalletBTokenSpec())};
}

}  // namespace tollbridge::vault
