#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_STORE_STATUS_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_STORE_STATUS_COMMAND_H_

#include "gateway/commands/command.h"

namespace tollbridge::gateway {

/// `tollbridge store status`: what each store is (store_status.h). Reads, changes nothing. Exit
/// codes: 0 nothing is doubted, kFailed something is or will be as soon as a gateway comes by,
/// kNotTried a Redis or the configuration cannot be asked.
void AddStore(CLI::App& app, Action* action);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_STORE_STATUS_COMMAND_H_
