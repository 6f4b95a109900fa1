#include "gateway/commands/command.h"

#include <absl/status/statusor.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>

namespace tollbridge::gateway {

int Fail(const absl::Status& status, int code) {
  std::cerr << "tollbridge: " << status.message() << "\n";
  return code;
}

std::string DefaultConfigPath() {
  const char* const variable = std::getenv("TOLLBRIDGE_CONFIG");
  return variable != nullptr && *variable != '\0' ? variable : "/etc/tollbridge/tollbridge.yaml";
}

CLI::Option* AddConfigOption(CLI::App* command, std::string* path) {
  *path = DefaultConfigPath();
  return command->add_option("--config", *path, "YAML file, instead of TOLLBRIDGE_CONFIG");
}

void AddJsonOption(CLI::App* command, bool* json) {
  command->add_flag("--json", *json, "answer in JSON");
}

void AddRoleOption(CLI::App* command, std::vector<std::string>* roles, const std::string& help) {
  command->add_option("--role", *roles, help)->delimiter(',');
}

void AddTimeoutOption(CLI::App* command, int* seconds, const std::string& help) {
  command->add_option("--timeout", *seconds, help)->check(CLI::Range(0, 86'400));
}

int WithSecrets(const std::string& path, const Needs& needs,
                const std::function<int(const Config&, const Secrets&)>& run, int otherwise) {
  const absl::StatusOr<Config> config = LoadConfig(path);
  if (!config.ok()) return Fail(config.status(), otherwise);
  const absl::StatusOr<Secrets> secrets = LoadSecrets(*config, needs);
  if (!secrets.ok()) return Fail(secrets.status(), otherwise);
  return run(*config, *secrets);
}

}  // namespace tollbridge::gateway
