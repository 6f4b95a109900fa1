#include "gateway/commands/print_config_command.h"

#include <absl/status/statusor.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

namespace tollbridge::gateway {
namespace {

struct Options {
  std::string config;
  bool example = false;
  bool json_schema = false;
  bool needs = false;
};

int Run(const Options& options) {
  if (options.example || options.json_schema || options.needs) {
    std::cout << (options.example       ? ExampleConfig()
                  : options.json_schema ? ConfigJsonSchema()
                                        : PrintNeeds());
    return 0;
  }
  const absl::StatusOr<Config> config = LoadConfig(options.config);
  if (!config.ok()) return Fail(config.status());
  std::cout << PrintConfig(*config);
  return 0;
}

}  // namespace

void AddPrintConfig(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand("print-config", "print the configuration in force");
  const auto options = std::make_shared<Options>();
  auto* config = AddConfigOption(command, &options->config);
  auto* example = command
                      ->add_flag("--example", options->example,
                                 "print every setting with its meaning and default")
                      ->excludes(config);
  auto* schema =
      command->add_flag("--json-schema", options->json_schema, "print what a configuration may say")
          ->excludes(config)
          ->excludes(example);
  command->add_flag("--needs", options->needs, "print what each role needs, as JSON")
      ->excludes(config)
      ->excludes(example)
      ->excludes(schema);
  command->callback([options, action] { *action = [options] { return Run(*options); }; });
}

}  // namespace tollbridge::gateway
