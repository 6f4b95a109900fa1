#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_COMMAND_H_

#include "gateway/commands/command.h"

namespace tollbridge::gateway {

/// `tollbridge events audit` (events_audit_command.h), `events republish`
/// (events_republish_command.h), and `tollbridge events tail`, which prints each domain event as
/// one line: on a terminal for people, else, or with --output json, a JSON object with its headers
/// and its payload in words. Exit codes: 0 the one that was waited for has come, or nothing was
/// waited for and the end or the time is reached; kFailed it has not come by then; kNotTried Kafka
/// cannot be asked, the configuration cannot be read, or there is no such type.
void AddEvents(CLI::App& app, Action* action);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_COMMAND_H_
