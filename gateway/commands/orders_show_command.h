#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_ORDERS_SHOW_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_ORDERS_SHOW_COMMAND_H_

#include "gateway/commands/command.h"

namespace tollbridge::gateway {

/// `tollbridge orders show ORDER`: one story out of the records of operations, the snapshot, the
/// hints and events that are still on their topics, and what the payment service says now. A source
/// that cannot be asked is named, and the others are shown. Exit codes: 0; 1 when a source has not
/// told everything, or nobody knows the order; 2 for what is no order or project, kNotTried when
/// the configuration cannot be read.
void AddOrdersShow(CLI::App* orders, Action* action);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_ORDERS_SHOW_COMMAND_H_
