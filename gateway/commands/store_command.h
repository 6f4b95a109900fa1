#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_STORE_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_STORE_COMMAND_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "gateway/commands/command.h"
#include "gateway/config/config.h"
#include "gateway/config/secrets.h"

namespace tollbridge::gateway {

/// `tollbridge init-store`: InitStore for who says that this is a first installation. Exit codes: 0
/// the store is ready, kFailed.
void AddInitStore(CLI::App& app, Action* action);

/// Gives a new Redis its epoch, without which no mutation is taken
/// (docs/design/operations.md#rule-12). Does nothing to one that has it. True when it was new.
///
/// A Redis that has lost its memory looks like a new one, and with an epoch nobody would doubt it:
/// keys would run twice. FAILED_PRECONDITION when kafka.operations_topic tells of operations in one
/// of the projects, or a record of it cannot be read; NOT_FOUND when there is no such topic;
/// UNAVAILABLE when Redis or Kafka does not answer.
absl::StatusOr<bool> InitStore(const Config& config, const Secrets& secrets);

/// Whether Redis can be reached and may be used: warnings, or what forbids it.
absl::StatusOr<std::vector<std::string>> CheckStore(const Config& config, const Secrets& secrets);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_STORE_COMMAND_H_
