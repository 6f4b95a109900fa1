#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_CHECK_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_CHECK_COMMAND_H_

#include "gateway/commands/command.h"

namespace tollbridge::gateway {

/// `tollbridge check-config`: the settings, the files they name and, online, what they reach. One
/// finding a line. Exit codes: 0 nothing is wrong, 1 something is.
void AddCheckConfig(CLI::App& app, Action* action);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_CHECK_COMMAND_H_
