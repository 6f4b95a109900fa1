#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_DLQ_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_DLQ_COMMAND_H_

#include "gateway/commands/command.h"

namespace tollbridge::gateway {

/// `tollbridge dlq list|show|replay`: the hints that nobody could use (docs/design/events.md#reader
/// and #tools). They read the topic up to the end that it had when they began, in memory that does
/// not depend on its size, and delete nothing: letters go when their time of keeping is over. A
/// replay is told on kafka.operations_topic first (command_trail.h).
///
/// Exit codes: 0; 1 when a letter is not there or cannot be replayed; 2 when Kafka cannot be asked,
/// does not take a hint or that record, or the arguments make no sense; kNotTried when the
/// configuration cannot be read.
void AddDlq(CLI::App& app, Action* action);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_DLQ_COMMAND_H_
