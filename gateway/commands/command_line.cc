#include "gateway/commands/command_line.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string_view>
#include <utility>

#include "gateway/commands/exit_codes.h"
#include "gateway/commands/typed_name.h"

namespace tollbridge::gateway {
namespace {

/// The command that was read last: of `dlq list` it is `list`.
const CLI::App& Chosen(const CLI::App& app) {
  const CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().back();
  return *chosen;
}

/// As it is typed: `tollbridge dlq list`.
std::string PathOf(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name()
                           : absl::StrCat(PathOf(*parent), " ", command.get_name());
}

std::vector<std::string> CommandsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* each : command.get_subcommands(nullptr)) names.push_back(each->get_name());
  return names;
}

std::vector<std::string> OptionsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// `--name` of `--name=value`.
std::string_view OptionIn(std::string_view word) { return word.substr(0, word.find('=')); }

/// What was left over: an option that there is not, else words that nobody takes.
std::string Unexpected(const CLI::App& command) {
  const std::vector<std::string> left = command.remaining();
  for (const std::string& word : left) {
    if (!absl::StartsWith(word, "-") || word == "-") continue;
    const std::string_view name = OptionIn(word);
    return absl::StrCat("there is no option", Quoted(name), DidYouMean(name, OptionsOf(command)));
  }
  return absl::StrCat(left.size(), left.size() == 1 ? " word is" : " words are",
                      " too many, and not shown here");
}

/// No subcommand, or none of that name.
std::string WantsCommand(const CLI::App& command) {
  const std::vector<std::string> known = CommandsOf(command);
  const std::vector<std::string> left = command.remaining();
  const auto word = std::ranges::find_if(
      left, [](const std::string& each) { return !absl::StartsWith(each, "-"); });
  const std::string list = absl::StrJoin(known, ", ");
  if (word == left.end()) return absl::StrCat("a command is missing; there are ", list);
  const std::string meant = DidYouMean(*word, known);
  return absl::StrCat("there is no command", Quoted(*word),
                      meant.empty() ? "; there are " + list : meant);
}

/// An option's value was not taken. Says what it takes, and never what it was given.
std::string WrongValue(const CLI::App& command, const std::string& message) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (!absl::StartsWith(message, name + ":") && !absl::StrContains(message, name + " = ")) {
      continue;
    }
    std::string takes = option->get_type_name();
    // "TEXT:{a,b}" and "INT:INT in [0 - 9]" say it twice.
    if (const std::size_t colon = takes.find(':'); colon != std::string::npos) {
      takes.erase(0, colon + 1);
    }
    return absl::StrCat(name, ": takes ", takes, ", and was given something else");
  }
  return "the value of an option is not one that it takes";
}

std::string Text(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = Chosen(app);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return Unexpected(command);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const bool has_commands = !command.get_subcommands(nullptr).empty();
    return has_commands ? WantsCommand(command) : std::string(error.what());
  }
  const bool names_only = dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr ||
                          dynamic_cast<const CLI::RequiresError*>(&error) != nullptr ||
                          dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  return names_only ? error.what() : WrongValue(command, error.what());
}

/// `help dlq list` is `dlq list --help`, and `version` is `--version`.
void Unfold(std::vector<std::string>& arguments) {
  if (arguments.empty()) return;
  if (arguments.front() == "help") {
    std::ranges::rotate(arguments, arguments.begin() + 1);
    arguments.back() = "--help";
  } else if (arguments.size() == 1 && arguments.front() == "version") {
    arguments.front() = "--version";
  }
}

}  // namespace

std::optional<int> ReadCommandLine(CLI::App& app, std::vector<std::string> arguments) {
  if (arguments.empty()) {
    std::cerr << app.help();
    return kNotTried;
  }
  Unfold(arguments);
  std::ranges::reverse(arguments);
  try {
    app.parse(std::move(arguments));
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const std::string path = PathOf(Chosen(app));
    std::cerr << path << ": " << Text(app, error) << "\nTry '" << path << " --help'.\n";
    return kNotTried;
  }
}

}  // namespace tollbridge::gateway
