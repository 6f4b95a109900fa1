#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_AUDIT_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_AUDIT_COMMAND_H_

#include "gateway/commands/command.h"

namespace tollbridge::gateway {

/// `tollbridge events audit`: compares the topic of events with the snapshots, a line a fault, then
/// a summary; `--repair` asks the reader to tell again what is missing, after it was told on the
/// topic of operations. Exit codes: 0 nothing is wrong that is not mended; 1 something is, or could
/// not be decided; 2 it could not be audited.
void AddEventsAudit(CLI::App* events, Action* action);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_AUDIT_COMMAND_H_
