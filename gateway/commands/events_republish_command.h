#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_REPUBLISH_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_REPUBLISH_COMMAND_H_

#include "gateway/commands/command.h"

namespace tollbridge::gateway {

/// `tollbridge events republish`: asks the reader to tell outcomes again, in a new stream and with
/// the ids that they had: all of an order's family, or those of a project and time. It is told on
/// the topic of operations first, with who and why. Exit codes: 0; 1 when no snapshot shows the
/// order; 2 when it could not be asked.
void AddEventsRepublish(CLI::App* events, Action* action);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_EVENTS_REPUBLISH_COMMAND_H_
