#include <CLI/CLI.hpp>

#include "base/telemetry/log.h"
#include "base/version/version.h"
#include "gateway/commands/call_command.h"
#include "gateway/commands/check_command.h"
#include "gateway/commands/command.h"
#include "gateway/commands/dlq_command.h"
#include "gateway/commands/events_command.h"
#include "gateway/commands/keys_command.h"
#include "gateway/commands/operations_command.h"
#include "gateway/commands/print_config_command.h"
#include "gateway/commands/reconcile_command.h"
#include "gateway/commands/serve_command.h"
#include "gateway/commands/store_command.h"
#include "gateway/commands/topics_command.h"
#include "gateway/commands/watch_command.h"

namespace tollbridge::gateway {
namespace {

/// In the order in which --help lists them.
constexpr AddCommand kCommands[] = {
    AddServe, AddCheckConfig, AddPrintConfig, AddInitStore,  AddTopics, AddEvents,
    AddDlq,   AddOrders,      AddReconcile,   AddOperations, AddKeys,   AddCall,
};

int Run(int argc, char** argv) {
  CLI::App app("Tollbridge: the gateway to the payment service", "tollbridge");
  app.set_version_flag("--version", VersionLine("tollbridge"));
  app.require_subcommand(1);
  Action action;
  for (const AddCommand add : kCommands) add(app, &action);
  CLI11_PARSE(app, argc, argv);
  // Commands answer on stdout, where the log goes too; `serve` sets its own level.
  telemetry::SetLogLevel(telemetry::Severity::kError);
  const int code = action();
  EndProcess();
  return code;
}

}  // namespace
}  // namespace tollbridge::gateway

int main(int argc, char** argv) { return tollbridge::gateway::Run(argc, argv); }
