#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_STORE_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_STORE_COMMAND_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>

#include "gateway/commands/command.h"
#include "gateway/config/config.h"
#include "gateway/config/secrets.h"

namespace tollbridge::gateway {

/// `tollbridge init-store`: InitStore for who says that this is a first installation. Exit codes: 0
/// the store is ready, kFailed.
void AddInitStore(CLI::App& app, Action* action);

/// Puts the projects that their stores do not have yet on their lists, as ones without a past, and
/// gives a new Redis its epoch (docs/design/operations.md#rule-12); with a `project` only that one.
/// Does nothing where all are on them. Tells it on kafka.operations_topic before it writes
/// (command_trail.h). True when anything was written.
///
/// A Redis that has lost its memory looks like a new one, and a project that was moved by mistake
/// like a new project, and nobody would doubt them: keys would run twice. FAILED_PRECONDITION when
/// kafka.operations_topic tells of operations in one of these projects, or a record of it cannot be
/// read; NOT_FOUND when there is no such topic; UNAVAILABLE when a Redis or Kafka does not answer,
/// or does not take that record; INVALID_ARGUMENT for a project that is not configured.
absl::StatusOr<bool> InitStore(const Config& config, const Secrets& secrets,
                               const std::string& project = {});

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_STORE_COMMAND_H_
