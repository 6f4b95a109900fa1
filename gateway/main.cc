#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/telemetry/log.h"
#include "base/telemetry/log_stream.h"
#include "base/version/version.h"
#include "gateway/commands/call_command.h"
#include "gateway/commands/check_command.h"
#include "gateway/commands/command.h"
#include "gateway/commands/command_line.h"
#include "gateway/commands/dlq_command.h"
#include "gateway/commands/events_command.h"
#include "gateway/commands/keys_command.h"
#include "gateway/commands/operations_command.h"
#include "gateway/commands/print_config_command.h"
#include "gateway/commands/reconcile_command.h"
#include "gateway/commands/serve_command.h"
#include "gateway/commands/store_command.h"
#include "gateway/commands/store_status_command.h"
#include "gateway/commands/topics_command.h"
#include "gateway/commands/watch_command.h"

namespace tollbridge::gateway {
namespace {

/// In the order in which --help lists them.
constexpr AddCommand kCommands[] = {
    AddServe, AddCheckConfig, AddPrintConfig, AddInitStore,  AddStore, AddTopics, AddEvents,
    AddDlq,   AddOrders,      AddReconcile,   AddOperations, AddKeys,  AddCall,
};

constexpr const char* kFooter =
    "\nThe configuration is that of --config, else of TOLLBRIDGE_CONFIG in the environment, else\n"
    "/etc/tollbridge/tollbridge.yaml.\n\n"
    "Exit status: 0 done; 1 it failed, or a check found something; 2 it was not tried: command\n"
    "line, configuration, or a system that cannot be asked; 3 call: the outcome is not known yet.";

int Run(int argc, char** argv) {
  CLI::App app("Tollbridge: the gateway to the payment service", "tollbridge");
  app.set_version_flag("--version", VersionLine("tollbridge"));
  app.require_subcommand(1);
  Action action;
  for (const AddCommand add : kCommands) add(app, &action);
  app.footer(kFooter);
  if (const auto ended = ReadCommandLine(app, {argv + 1, argv + argc})) return *ended;
  // Commands answer on stdout, so that the log, and what is told of errors, has the other. `serve`
  // answers nothing, and sets its own level.
  if (!app.got_subcommand("serve")) telemetry::LogToStderr();
  telemetry::SetLogLevel(telemetry::Severity::kError);
  const int code = action();
  EndProcess();
  return code;
}

}  // namespace
}  // namespace tollbridge::gateway

int main(int argc, char** argv) { return tollbridge::gateway::Run(argc, argv); }
