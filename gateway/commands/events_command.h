#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_COMMAND_H_

#include "gateway/commands/command.h"

namespace tollbridge::gateway {

/// `tollbridge events audit` (events_audit_command.h), `events republish`
/// (events_republish_command.h), and `tollbridge events tail`, which prints
/// each domain event as one JSON object a line, with its headers and its payload in words. Exit
/// codes: 0 the one that was waited for has come, 1 it has not in time, 2 Kafka cannot be asked,
/// kFailed when the configuration cannot be read.
void AddEvents(CLI::App& app, Action* action);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_COMMAND_H_
