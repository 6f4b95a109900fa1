#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_TOPICS_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_TOPICS_COMMAND_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "gateway/commands/command.h"
#include "gateway/config/config.h"
#include "gateway/config/secrets.h"

namespace tollbridge::gateway {

/// `tollbridge topics create`: creates the topics of hints, events, dead letters and operations
/// that are missing, and then tells on that of operations which it created (command_trail.h). Never
/// changes one that is there.
///
/// `tollbridge topics check`: prints how the topics differ from what events need
/// (docs/design/events.md#events). Exit codes: 0 they do not, 1 they do.
///
/// Of both: 2 when Kafka cannot be asked, or what was created cannot be told; kNotTried when the
/// configuration cannot be read.
void AddTopics(CLI::App& app, Action* action);

/// The differences, one a line; empty when there are none.
absl::StatusOr<std::vector<std::string>> TopicDifferences(const Config& config,
                                                          const Secrets& secrets);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_TOPICS_COMMAND_H_
