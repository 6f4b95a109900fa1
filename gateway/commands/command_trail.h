#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_COMMAND_TRAIL_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_COMMAND_TRAIL_H_

#include <absl/status/status.h>

#include <string>
#include <vector>

#include "gateway/config/config.h"
#include "gateway/config/secrets.h"

/// What people do on stores and topics with the command line is told on kafka.operations_topic
/// (docs/design/operations.md#records-for-audit).
namespace tollbridge::gateway {

struct CommandTold {
  /// e.g. "init-store"
  std::string name;
  /// Those that it is about; empty: all of the configuration.
  std::vector<std::string> projects;
  /// What it is about to do, or did, in words; no value of a request.
  std::string what;
};

/// Writes a record of the command, with the user and the host that run it, and waits until the
/// broker has acknowledged. UNAVAILABLE when it has not in time; errors as KafkaSettings.
absl::Status TellOnTopic(const Config& config, const Secrets& secrets, const CommandTold& told);

/// The same for a command that has changed nothing yet, and does not where it cannot be told: the
/// error says so.
absl::Status TellFirst(const Config& config, const Secrets& secrets, const CommandTold& told);

/// `<user name, or uid>@<host name>`, as the operating system has them.
std::string UserAndHost();

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_COMMAND_TRAIL_H_
