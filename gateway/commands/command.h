#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_COMMAND_H_

#include <absl/status/status.h>

#include <functional>
#include <string>
#include <vector>

#include "gateway/commands/exit_codes.h"
#include "gateway/config/config.h"
#include "gateway/config/needs.h"
#include "gateway/config/secrets.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// What all commands of the program are made with. A command is one file, with its name, its
/// options and what it does.
namespace tollbridge::gateway {

/// Does what the command line says, and returns the exit code.
using Action = std::function<int()>;

/// Adds a command, or several under one name, to the command line. The one that is chosen leaves
/// itself in `action`; both outlive the reading of the command line.
using AddCommand = void (*)(CLI::App& app, Action* action);

/// Writes `tollbridge: MESSAGE` to stderr. Returns `code`.
int Fail(const absl::Status& status, int code = kFailed);

/// Where the configuration is when nobody says: in TOLLBRIDGE_CONFIG of the environment, else
/// /etc/tollbridge/tollbridge.yaml.
std::string DefaultConfigPath();

/// Options that several commands have. What they are read into outlives the reading.
/// Without the option `path` is DefaultConfigPath(), and stays so for what a command does itself.
CLI::Option* AddConfigOption(CLI::App* command, std::string* path);
void AddJsonOption(CLI::App* command, bool* json);
void AddRoleOption(CLI::App* command, std::vector<std::string>* roles, const std::string& help);
/// 0, which nobody has to say, is for ever.
void AddTimeoutOption(CLI::App* command, int* seconds, const std::string& help);

/// Runs a command with the configuration in `path` and the secrets that the command needs.
/// `otherwise` is the exit code when the configuration or what it names cannot be read.
int WithSecrets(const std::string& path, const Needs& needs,
                const std::function<int(const Config&, const Secrets&)>& run,
                int otherwise = kNotTried);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_COMMAND_H_
