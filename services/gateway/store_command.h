#ifndef TOLLBRIDGE_SERVICES_GATEWAY_STORE_COMMAND_H_
#define TOLLBRIDGE_SERVICES_GATEWAY_STORE_COMMAND_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "services/gateway/config.h"
#include "services/gateway/secrets.h"

namespace tollbridge::gateway {

/// `tollbridge init-store`: gives a new Redis its epoch, without which no mutation is taken
/// (operations.md, rule 12). Does nothing to one that has it. True when it was new.
absl::StatusOr<bool> InitStore(const Config& config, const Secrets& secrets);

/// Whether Redis can be reached and may be used: warnings, or what forbids it.
absl::StatusOr<std::vector<std::string>> CheckStore(const Config& config, const Secrets& secrets);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_SERVICES_GATEWAY_STORE_COMMAND_H_
