#include "services/vault/rules.h"

namespace tollbridge::vault {

orders::Violations StoreCardViolations(const v1::StoreCardRequest& request,
                                       const domain::Project* project) {
  orders::Violations out;
  orders::CheckProject(request.project(), project, out);
  return out;
}

orders::Violations ExchangeWalletBTokenViolations(const v1::ExchangeWalletBTokenRequest& request,
                                                  const domain::Project* project) {
  orders::Violations out;
  orders::CheckProject(request.project(), project, out);
  return out;
}

}  // namespace tollbridge::vault
