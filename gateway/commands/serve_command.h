#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_SERVE_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_SERVE_COMMAND_H_

#include "gateway/commands/command.h"

namespace tollbridge::gateway {

/// `tollbridge serve`: runs the configured roles until SIGTERM or SIGINT, then stops in order. The
/// log line `serving` tells the addresses. Exit codes: 0 it stopped in order, 1 it
/// could not start, 3 something did not end within the grace period.
void AddServe(CLI::App& app, Action* action);

/// Waits for what still closes in the background, and writes out the log. The last call of main.
void EndProcess();

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_SERVE_COMMAND_H_
