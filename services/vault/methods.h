#ifndef TOLLBRIDGE_SERVICES_VAULT_METHODS_H_
#define TOLLBRIDGE_SERVICES_VAULT_METHODS_H_

#include <vector>

#include "services/operations/method.h"

namespace tollbridge::vault {

/// The service Vault.
std::vector<operations::Method> VaultMethods();

}  // namespace tollbridge::vault

#endif  // TOLLBRIDGE_SERVICES_VAULT_METHODS_H_
