#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_COMMAND_LINE_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_COMMAND_LINE_H_

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace tollbridge::gateway {

/// Reads the command line, `arguments` without the program's own name. nullopt when a command is
/// chosen; else the exit code: 0 after --help and --version, also written `help [COMMAND]` and
/// `version`, and kNotTried after an error, which is told on stderr with what to do about it.
///
/// What was typed is shown only where it looks like the name of a command or an option: a request
/// that has slipped to another place may hold a card.
std::optional<int> ReadCommandLine(CLI::App& app, std::vector<std::string> arguments);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_COMMAND_LINE_H_
