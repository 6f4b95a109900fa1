#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_CHECK_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_CHECK_COMMAND_H_

#include <string>
#include <vector>

namespace tollbridge::gateway {

struct CheckOptions {
  /// In place of the configured ones, where there are any: only what they need is checked.
  std::vector<std::string> roles;
  /// Also ask Redis, Kafka and the payment service.
  bool online = false;
  /// One JSON object instead of lines for people.
  bool json = false;
};

/// `tollbridge check-config`: the settings, the files they name and, online, what they reach. One
/// finding a line. Returns the exit code: 0 nothing is wrong, 1 something is.
int RunCheckConfig(const std::string& path, const CheckOptions& options);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_CHECK_COMMAND_H_
