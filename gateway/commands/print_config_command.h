#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_PRINT_CONFIG_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_PRINT_CONFIG_COMMAND_H_

#include "gateway/commands/command.h"

namespace tollbridge::gateway {

/// `tollbridge print-config`: the configuration in force, or what can be said of every one: the
/// example, the JSON Schema, what each role needs.
void AddPrintConfig(CLI::App& app, Action* action);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_PRINT_CONFIG_COMMAND_H_
