#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_RECONCILE_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_RECONCILE_COMMAND_H_

#include "gateway/commands/command.h"

namespace tollbridge::gateway {

/// `tollbridge reconcile report`: compares the payment service's CSV report with the snapshots
/// (docs/design/events.md#reconciliation), and prints the differences, one a line, and a summary of
/// each project. Exit codes: 0 there are none, 1 there are some, 2 it could not be compared.
void AddReconcile(CLI::App& app, Action* action);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_RECONCILE_COMMAND_H_
