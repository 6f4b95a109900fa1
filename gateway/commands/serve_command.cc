#include "gateway/commands/serve_command.h"

#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "adapters/kafka/client.h"
#include "adapters/telemetry/library_logs.h"
#include "base/telemetry/log.h"
#include "base/version/version.h"
#include "gateway/commands/confinement.h"
#include "gateway/commands/open_files.h"
#include "gateway/commands/private_memory.h"
#include "gateway/config/callers_file.h"
#include "gateway/config/needs.h"
#include "gateway/config/secret_check.h"
#include "gateway/config/secrets.h"
#include "gateway/wiring/gateway.h"

namespace tollbridge::gateway {
namespace {

using telemetry::Log;
using telemetry::Severity;

constexpr int kStopped = 0;
constexpr int kNotStarted = 1;
constexpr int kNotInTime = 3;

/// Longer than any handle takes that does go.
constexpr std::chrono::seconds kCloseLimit{10};

Severity LogLevel(const std::string& name) {
  for (const Severity severity : {Severity::kDebug, Severity::kInfo, Severity::kWarning}) {
    if (telemetry::SeverityName(severity) == name) return severity;
  }
  return Severity::kError;
}

/// Takes fewer connections of callers than are configured where the process may not open as many
/// files: else strangers could take those that a call needs at the payment service.
void FitOpenFiles(Config& config) {
  const std::uint64_t allowed = RaiseOpenFiles();
  std::size_t& of_rpc = config.rpc.server.wire.max_connections;
  std::int64_t& of_webhooks = config.webhooks.settings.max_connections;
  std::uint64_t wanted = 0;
  if (config.HasRole("webhooks")) wanted += static_cast<std::uint64_t>(of_webhooks);
  if (config.HasRole("rpc")) wanted += of_rpc;
  const std::uint64_t taken = ConnectionsWithin(allowed, wanted);
  if (allowed == 0 || taken == wanted) return;
  Log(Severity::kWarning, "few_open_files",
      {{"allowed", allowed}, {"max_connections", wanted}, {"taken", taken}});
  of_rpc = std::max<std::size_t>(of_rpc * taken / wanted, 1);
  of_webhooks = std::max<std::int64_t>(
      of_webhooks * static_cast<std::int64_t>(taken) / static_cast<std::int64_t>(wanted), 1);
}

/// Somebody has to hear of it before the listeners close.
bool TakesCalls(const Config& config) {
  return config.HasRole("rpc") || config.HasRole("webhooks");
}

int NotStarted(const absl::Status& why) {
  Log(Severity::kError, "not_started", {{"reason", std::string(why.message())}});
  return kNotStarted;
}

/// Runs the main thread for so long, or until one more signal: who sends that will not wait.
void AwaitSignalOr(std::chrono::milliseconds delay, boost::asio::io_context& main_thread,
                   boost::asio::signal_set& signals) {
  boost::asio::steady_timer timer(main_thread, delay);
  timer.async_wait([&](const boost::system::error_code&) { signals.cancel(); });
  signals.async_wait([&](const boost::system::error_code&, int) { timer.cancel(); });
  main_thread.restart();
  main_thread.run();
}

int ServeUntilSignal(const Config& config, CallersFile callers) {
  // Asked for before any thread starts, so that no signal is missed.
  boost::asio::io_context main_thread(1);
  boost::asio::signal_set signals(main_thread, SIGTERM, SIGINT);
  std::string signal_name;
  signals.async_wait([&](const boost::system::error_code&, int signal) {
    signal_name = signal == SIGTERM ? "SIGTERM" : "SIGINT";
  });

  if (const absl::Status version = kafka::CheckLibraryVersion(); !version.ok()) {
    return NotStarted(version);
  }
  absl::StatusOr<Secrets> secrets = LoadSecrets(config, NeedsOf(config));
  if (!secrets.ok()) return NotStarted(secrets.status());
  if (const absl::Status kept = CheckSecretFiles(config, NeedsOf(config), *secrets); !kept.ok()) {
    return NotStarted(kept);
  }
  absl::StatusOr<std::unique_ptr<Gateway>> gateway =
      Gateway::Start(config, *std::move(secrets), std::move(callers));
  if (!gateway.ok()) return NotStarted(gateway.status());
  const Addresses& addresses = (*gateway)->addresses();
  Log(Severity::kInfo, "serving",
      {{"version", Version()},
       {"revision", Revision()},
       {"grpc", addresses.grpc},
       {"webhooks", addresses.webhooks},
       {"metrics", addresses.metrics}});

  main_thread.run();
  Log(Severity::kInfo, "stopping", {{"signal", signal_name}});
  if (TakesCalls(config)) {
    (*gateway)->EnterLameDuck();
    AwaitSignalOr(config.process.drain_delay, main_thread, signals);
  }
  const bool in_time = (*gateway)->Stop();
  Log(in_time ? Severity::kInfo : Severity::kWarning, "stopped", {{"in_time", in_time}});
  return in_time ? kStopped : kNotInTime;
}

int Serve(Config config, CallersFile callers) {
  telemetry::SetLogProcess(config.process.name);
  telemetry::SetLogLevel(LogLevel(config.process.log_level));
  telemetry_exporters::RouteLibraryLogs();
  // Each role holds a secret: keys, passwords, or the path tokens of the ingress.
  if (const absl::Status kept = KeepMemoryPrivate(); !kept.ok()) return NotStarted(kept);
  if (const absl::Status confined = ConfineProcess(); !confined.ok()) return NotStarted(confined);
  FitOpenFiles(config);
  return ServeUntilSignal(config, std::move(callers));
}

struct Options {
  std::string config;
  Overrides overrides;
  /// --name, to know whether it was given.
  const CLI::Option* name = nullptr;
};

/// The name of the process by option or environment, where there is one. An empty one was meant to
/// be one: it is refused, and not taken for none.
absl::StatusOr<std::string> Name(const Options& options) {
  const char* const variable = std::getenv("TOLLBRIDGE_NAME");
  const bool by_option = options.name->count() > 0;
  if (!by_option && variable == nullptr) return std::string();
  std::string name = by_option ? options.overrides.name : variable;
  const absl::Status good = CheckProcessName(name);
  if (good.ok()) return name;
  return absl::InvalidArgumentError(
      absl::StrCat(by_option ? "--name: " : "TOLLBRIDGE_NAME: ", good.message()));
}

int Run(const Options& options) {
  const absl::StatusOr<std::string> name = Name(options);
  if (!name.ok()) return Fail(name.status());
  Overrides overrides = options.overrides;
  overrides.name = *name;
  absl::StatusOr<Config> config = LoadConfig(options.config, overrides);
  if (!config.ok()) return Fail(config.status());
  CallersFile callers(options.config, overrides, *config);
  return Serve(*std::move(config), std::move(callers));
}

}  // namespace

void AddServe(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand("serve", "run the gateway until SIGTERM");
  const auto options = std::make_shared<Options>();
  AddConfigOption(command, &options->config);
  AddRoleOption(command, &options->overrides.roles,
                "run these roles instead of the configured ones");
  options->name =
      command->add_option("--name", options->overrides.name,
                          "name of the process, instead of TOLLBRIDGE_NAME in the environment "
                          "and of process.name");
  // Several roles of one configuration on one machine: no two can have one port.
  command
      ->add_option("--metrics-listen", options->overrides.metrics_listen,
                   "HOST:PORT of metrics and probes, instead of metrics.listen")
      ->envname("TOLLBRIDGE_METRICS_LISTEN");
  command->callback([options, action] { *action = [options] { return Run(*options); }; });
}

void EndProcess() {
  const std::size_t left = kafka::AwaitHandlesClosed(kCloseLimit);
  // All that matters of them has been flushed, or is reported as not delivered.
  if (left > 0) {
    telemetry::Log(telemetry::Severity::kWarning, "kafka_handles_not_closed", {{"count", left}});
  }
  telemetry::FlushLog();
}

}  // namespace tollbridge::gateway
