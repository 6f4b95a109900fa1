#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_CALL_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_CALL_COMMAND_H_

#include "gateway/commands/command.h"

namespace tollbridge::gateway {

/// `tollbridge call`: one RPC over the compiled-in descriptors, so that examples need no other
/// tool; --list and --describe say what they are. Prints the response as JSON on stdout, of a
/// stream each message as one line when it comes; or the error with its details on stderr. Exit
/// codes: 0, kCallFailed, kCallNotMade, and kPending after an answer that says so, which stderr
/// says too.
void AddCall(CLI::App& app, Action* action);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_CALL_COMMAND_H_
