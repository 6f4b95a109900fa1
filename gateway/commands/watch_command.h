#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_WATCH_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_WATCH_COMMAND_H_

#include "gateway/commands/command.h"

namespace tollbridge::gateway {

/// `tollbridge orders show` (orders_show_command.h), and `tollbridge orders watch ID`, which prints
/// the order as it is and after each change, a line each,
/// until it is final as WatchOrder says it (ADR 16). A watch that the gateway ends before, because
/// the time of one call is over or it is shut down, is taken up again; what was printed is not
/// printed again. Exit codes: 0 the order is final; kCallFailed when it was not in time, or the
/// gateway answers with an error (also: no such order); kCallNotMade when the call cannot be made
/// or the id is none.
void AddOrders(CLI::App& app, Action* action);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_WATCH_COMMAND_H_
