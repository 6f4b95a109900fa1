#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "base/telemetry/log.h"
#include "base/version/version.h"
#include "gateway/commands/call_command.h"
#include "gateway/commands/check_command.h"
#include "gateway/commands/dlq_command.h"
#include "gateway/commands/events_command.h"
#include "gateway/commands/operations_command.h"
#include "gateway/commands/reconcile_command.h"
#include "gateway/commands/serve_command.h"
#include "gateway/commands/store_command.h"
#include "gateway/commands/topics_command.h"
#include "gateway/commands/watch_command.h"
#include "gateway/config/config.h"
#include "gateway/config/needs.h"
#include "gateway/config/secrets.h"

namespace tollbridge::gateway {
namespace {

constexpr int kFailed = 1;

/// What init-store says to someone who may only want the doubt to end.
absl::Status NotSaidToBeFirst() {
  return absl::FailedPreconditionError(
      "init-store is for a first installation, and asks for --first-installation. On a Redis that "
      "has lost its memory it would end the doubt, and keys would run twice "
      "(docs/runbooks/store-doubtful.md)");
}

int Fail(const absl::Status& status, int code = kFailed) {
  std::cerr << "tollbridge: " << status.message() << "\n";
  return code;
}

/// A command line that is being built: commands add themselves, and leave what to run.
class CommandLine {
 public:
  CommandLine() : app_("Tollbridge: the gateway to the payment service", "tollbridge") {
    app_.set_version_flag("--version", VersionLine("tollbridge"));
    app_.require_subcommand(1);
    AddServe();
    AddCheckConfig();
    AddPrintConfig();
    AddInitStore();
    AddTopics();
    AddEvents();
    AddDlq();
    AddOrders();
    AddReconcile();
    AddOperations();
    AddCall();
  }

  int Run(int argc, char** argv) {
    CLI11_PARSE(app_, argc, argv);
    // Commands answer on stdout, where the log goes too; `serve` sets its own level.
    telemetry::SetLogLevel(telemetry::Severity::kError);
    const int code = run_();
    EndProcess();
    return code;
  }

 private:
  void AddServe() {
    CLI::App* command = app_.add_subcommand("serve", "run the gateway until SIGTERM");
    AddConfigOption(command);
    AddRoleOption(command, "run these roles instead of the configured ones");
    name_ =
        command->add_option("--name", overrides_.name,
                            "name of the process, instead of TOLLBRIDGE_NAME in the environment "
                            "and of process.name");
    // Several roles of one configuration on one machine: no two can have one port.
    command
        ->add_option("--metrics-listen", overrides_.metrics_listen,
                     "HOST:PORT of metrics and probes, instead of metrics.listen")
        ->envname("TOLLBRIDGE_METRICS_LISTEN");
    command->callback([this] {
      run_ = [this] {
        if (const absl::Status named = TakeName(); !named.ok()) return Fail(named);
        const absl::StatusOr<Config> config = LoadConfig(config_path_, overrides_);
        return config.ok() ? RunServe(*config) : Fail(config.status());
      };
    });
  }

  void AddCheckConfig() {
    CLI::App* command =
        app_.add_subcommand("check-config", "check the configuration and the files it names");
    AddConfigOption(command);
    AddJsonOption(command);
    AddRoleOption(command, "check what these roles need, instead of the configured ones");
    command->add_flag("--online", online_, "also ask Redis, Kafka and the payment service");
    command->callback([this] {
      run_ = [this] {
        return RunCheckConfig(config_path_,
                              {.roles = overrides_.roles, .online = online_, .json = json_});
      };
    });
  }

  void AddPrintConfig() {
    CLI::App* command = app_.add_subcommand("print-config", "print the configuration in force");
    auto* config = command->add_option("--config", config_path_, "YAML file");
    auto* example =
        command->add_flag("--example", example_, "print every setting with its meaning and default")
            ->excludes(config);
    auto* schema =
        command->add_flag("--json-schema", json_schema_, "print what a configuration may say")
            ->excludes(config)
            ->excludes(example);
    command->add_flag("--needs", needs_, "print what each role needs, as JSON")
        ->excludes(config)
        ->excludes(example)
        ->excludes(schema);
    command->callback([this] {
      run_ = [this] {
        if (example_ || json_schema_ || needs_) {
          std::cout << (example_       ? ExampleConfig()
                        : json_schema_ ? ConfigJsonSchema()
                                       : PrintNeeds());
          return 0;
        }
        const absl::StatusOr<Config> config = LoadConfig(config_path_);
        if (!config.ok()) return Fail(config.status());
        std::cout << PrintConfig(*config);
        return 0;
      };
    });
  }

  void AddInitStore() {
    CLI::App* command = app_.add_subcommand("init-store", "prepare a new Redis, once");
    AddConfigOption(command);
    AddJsonOption(command);
    command->add_flag("--first-installation", first_installation_,
                      "no gateway has ever served these projects: there is nothing to forget");
    command->callback([this] {
      run_ = [this] {
        if (!first_installation_) return Fail(NotSaidToBeFirst());
        return WithSecrets(
            {.redis = true, .kafka = true}, [this](const Config& config, const Secrets& secrets) {
              const absl::StatusOr<bool> created = InitStore(config, secrets);
              if (!created.ok()) return Fail(created.status());
              if (json_) {
                std::cout << "{\"created\":" << (*created ? "true" : "false") << "}\n";
              } else {
                std::cout << (*created ? "the store is ready\n" : "the store was ready already\n");
              }
              return 0;
            });
      };
    });
  }

  void AddTopics() {
    CLI::App* topics = app_.add_subcommand("topics", "the topics on Kafka");
    topics->require_subcommand(1);
    CLI::App* create = topics->add_subcommand("create", "create those that are missing");
    AddConfigOption(create);
    AddJsonOption(create);
    create->callback([this] {
      run_ = [this] {
        return WithSecrets({.kafka = true}, [this](const Config& config, const Secrets& secrets) {
          return RunTopicsCreate(config, secrets, json_);
        });
      };
    });
    CLI::App* check = topics->add_subcommand("check", "compare them with what events need");
    AddConfigOption(check);
    AddJsonOption(check);
    check->callback([this] {
      run_ = [this] {
        return WithSecrets({.kafka = true}, [this](const Config& config, const Secrets& secrets) {
          return RunTopicsCheck(config, secrets, json_);
        });
      };
    });
  }

  void AddEvents() {
    CLI::App* events = app_.add_subcommand("events", "the domain events on Kafka");
    events->require_subcommand(1);
    CLI::App* tail = events->add_subcommand("tail", "print events as JSON lines as they come");
    AddConfigOption(tail);
    tail->add_flag("--from-beginning", tail_.from_beginning, "also those that are there already");
    tail->add_option("--order", tail_.order, "only events of this order");
    tail->add_option("--until", tail_.until, "end after an event of this type");
    AddTimeoutOption(tail, "give up after so many seconds");
    tail->callback([this] {
      run_ = [this] {
        tail_.timeout = std::chrono::seconds(timeout_seconds_);
        return WithSecrets({.kafka = true}, [this](const Config& config, const Secrets& secrets) {
          return RunEventsTail(config, secrets, tail_);
        });
      };
    });
  }

  void AddDlq() {
    CLI::App* dlq =
        app_.add_subcommand("dlq", "dead letters: hints that nobody could use, with their cause");
    dlq->require_subcommand(1);

    CLI::App* list = dlq->add_subcommand("list", "a line for each; the newest first");
    AddConfigOption(list);
    AddCauseOption(list, &dlq_list_.cause, "only those of this cause");
    list->add_option("--since", dlq_list_.since,
                     "only those that failed since: 2026-01-31T12:00:00Z, or how long ago: 90m");
    list->add_option("--limit", dlq_list_.limit, "show so many at most")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    list->add_flag("--oldest-first", dlq_list_.oldest_first, "begin with the oldest");
    AddJsonOption(list);
    list->callback([this] {
      run_ = [this] {
        dlq_list_.json = json_;
        return WithSecrets({.kafka = true}, [this](const Config& config, const Secrets& secrets) {
          return RunDlqList(config, secrets, dlq_list_);
        });
      };
    });

    CLI::App* show = dlq->add_subcommand("show", "all of one, without card numbers");
    AddConfigOption(show);
    show->add_option("letter", dlq_show_.letter, "PARTITION:OFFSET, as list shows it")->required();
    AddJsonOption(show);
    show->callback([this] {
      run_ = [this] {
        dlq_show_.json = json_;
        return WithSecrets({.kafka = true}, [this](const Config& config, const Secrets& secrets) {
          return RunDlqShow(config, secrets, dlq_show_);
        });
      };
    });
    AddDlqReplay(dlq);
  }

  void AddDlqReplay(CLI::App* dlq) {
    CLI::App* replay = dlq->add_subcommand(
        "replay", "write their hints again, so that the orders are read; deletes nothing");
    AddConfigOption(replay);
    auto* letters =
        replay->add_option("letter", dlq_replay_.letters, "PARTITION:OFFSET, as list shows it");
    auto* all = replay->add_flag("--all", dlq_replay_.all, "all of them")->excludes(letters);
    AddCauseOption(replay, &dlq_replay_.cause, "all of this cause")
        ->excludes(letters)
        ->excludes(all);
    replay->add_flag("--dry-run", dlq_replay_.dry_run, "say what would be written, write nothing");
    AddJsonOption(replay);
    replay->callback([this] {
      if (dlq_replay_.letters.empty() && !dlq_replay_.all && dlq_replay_.cause.empty()) {
        throw CLI::RequiredError("letter, --all or --cause");
      }
      run_ = [this] {
        dlq_replay_.json = json_;
        return WithSecrets({.kafka = true}, [this](const Config& config, const Secrets& secrets) {
          return RunDlqReplay(config, secrets, dlq_replay_);
        });
      };
    });
  }

  static CLI::Option* AddCauseOption(CLI::App* command, std::string* cause,
                                     const std::string& help) {
    return command->add_option("--cause", *cause, help)
        ->check(CLI::IsMember({"unparsable", "unreadable_answer"}));
  }

  void AddOrders() {
    CLI::App* orders = app_.add_subcommand("orders", "orders, by a running gateway");
    orders->require_subcommand(1);
    CLI::App* watch =
        orders->add_subcommand("watch", "print an order after each change, until it is final");
    AddChannelOptions(watch, &watch_.channel);
    watch->add_option("order", watch_.order, "order id, a UUID")->required();
    watch->add_option("--project", watch_.project, "project; needed when there are several");
    AddTimeoutOption(watch, "give up after so many seconds, and end with 1; without: never");
    AddJsonOption(watch);
    watch->callback([this] {
      run_ = [this] {
        watch_.json = json_;
        watch_.timeout = std::chrono::seconds(timeout_seconds_);
        return RunOrdersWatch(watch_);
      };
    });
  }

  void AddReconcile() {
    CLI::App* reconcile =
        app_.add_subcommand("reconcile", "what was published, beside what the service has");
    reconcile->require_subcommand(1);
    CLI::App* report = reconcile->add_subcommand(
        "report",
        "compare the payment service's report with the snapshots; 0: no differences, 1: "
        "some, 2: could not be compared");
    AddConfigOption(report);
    report
        ->add_option("--from", report_.from,
                     "orders created from then on: RFC 3339, or how long ago, as 3d")
        ->required();
    report->add_option("--to", report_.to, "and up to then, likewise; without: now");
    report->add_option("--project", report_.project, "only this one");
    report->add_flag("--json", report_.json, "JSON lines");
    report->add_flag("--hint", report_.hint, "have each order that differs looked at");
    report->callback([this] {
      run_ = [this] {
        return WithSecrets(
            {.payment_service = true, .redis = true, .kafka = report_.hint},
            [this](const Config& config, const Secrets& secrets) {
              return RunReconcileReport(config, secrets, report_);
            },
            kNotCompared);
      };
    });
  }

  void AddOperations() {
    CLI::App* operations = app_.add_subcommand("operations", "what became of mutations");
    operations->require_subcommand(1);

    CLI::App* list = operations->add_subcommand("list", "those that are open, or of one order");
    AddOperationsOptions(list, &list_);
    list->add_option("--state", list_.state, "only running, unknown or needs-review")
        ->check(CLI::IsMember({"running", "unknown", "needs-review"}));
    list->add_option("--order", list_.order, "those about this order, closed ones too");
    list->add_option("--limit", list_.limit, "show so many at most")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    list->add_option("--page-token", list_.page_token, "go on where an earlier answer ended");
    list->callback([this] { run_ = [this] { return RunOperationsList(list_); }; });

    CLI::App* show = operations->add_subcommand("show", "the whole story of one");
    AddOperationsOptions(show, &show_);
    auto* id = show->add_option("operation", show_.id, "operation id");
    show->add_option("--key", show_.key, "its idempotency key, instead")->excludes(id);
    show->callback([this] {
      if (show_.id.empty() && show_.key.empty()) throw CLI::RequiredError("operation or --key");
      run_ = [this] { return RunOperationsShow(show_); };
    });

    CLI::App* resolve = operations->add_subcommand("resolve", "close one that needs review");
    AddOperationsOptions(resolve, &resolve_);
    resolve->add_option("operation", resolve_.id, "operation id")->required();
    resolve->add_option("--as", resolve_.as, "done, or not-executed: then the key may run again")
        ->required()
        ->check(CLI::IsMember({"done", "not-executed"}));
    resolve->add_option("--note", resolve_.note, "why: kept with your identity")->required();
    resolve->add_flag("--yes", resolve_.yes, "do not ask");
    resolve->callback([this] {
      run_ = [this] {
        return RunOperationsResolve(resolve_, isatty(STDIN_FILENO) != 0 ? &std::cin : nullptr);
      };
    });
  }

  void AddOperationsOptions(CLI::App* command, OperationsOptions* options) {
    AddChannelOptions(command, &options->channel);
    command->add_option("--project", options->project, "project; needed when there are several");
    command->add_flag("--json", options->json, "answer in JSON");
  }

  void AddCall() {
    CLI::App* command =
        app_.add_subcommand("call", "call an RPC: tollbridge call Payments.GetOrder '{...}'");
    command->add_option("method", call_.method, "SERVICE.METHOD")->required();
    command->add_option("request", call_.request, "the request as JSON");
    AddChannelOptions(command, &call_.channel);
    command->add_option("--traceparent", call_.unary.traceparent, "W3C trace context to send");
    AddTimeoutOption(command, "give up after so many seconds; without: 15, a stream never");
    command->callback([this] {
      run_ = [this] {
        if (timeout_seconds_ > 0) call_.unary.timeout = std::chrono::seconds(timeout_seconds_);
        return RunCall(call_);
      };
    });
  }

  static void AddChannelOptions(CLI::App* command, ChannelOptions* channel) {
    command->add_option("--address", channel->address, "HOST:PORT of the gRPC services")
        ->envname("TOLLBRIDGE_GRPC_ADDR")
        ->capture_default_str();
    command->add_option("--tls-ca", channel->tls_ca, "authorities of the server, PEM; none: no TLS")
        ->envname("TOLLBRIDGE_TLS_CA");
    command->add_option("--tls-certificate", channel->tls_certificate, "own certificate, PEM")
        ->envname("TOLLBRIDGE_TLS_CERTIFICATE");
    command->add_option("--tls-key", channel->tls_key, "key of the certificate, PEM")
        ->envname("TOLLBRIDGE_TLS_KEY");
    command
        ->add_option("--tls-server-name", channel->tls_server_name,
                     "name in the server's certificate, if not the host of --address")
        ->envname("TOLLBRIDGE_TLS_SERVER_NAME");
  }

  void AddConfigOption(CLI::App* command) {
    command->add_option("--config", config_path_, "YAML file")->required();
  }

  void AddTimeoutOption(CLI::App* command, const std::string& help) {
    command->add_option("--timeout", timeout_seconds_, help)->check(CLI::Range(0, 86'400));
  }

  /// An empty name was meant to be one: it is refused, and not taken for none.
  absl::Status TakeName() {
    const char* const variable = std::getenv("TOLLBRIDGE_NAME");
    const bool by_option = name_->count() > 0;
    if (!by_option && variable == nullptr) return absl::OkStatus();
    if (!by_option) overrides_.name = variable;
    const absl::Status good = CheckProcessName(overrides_.name);
    return good.ok() ? good
                     : absl::InvalidArgumentError(absl::StrCat(
                           by_option ? "--name: " : "TOLLBRIDGE_NAME: ", good.message()));
  }

  void AddRoleOption(CLI::App* command, const std::string& description) {
    command->add_option("--role", overrides_.roles, description)->delimiter(',');
  }

  void AddJsonOption(CLI::App* command) { command->add_flag("--json", json_, "answer in JSON"); }

  /// With the secrets that the command needs. `otherwise`: the exit code when the configuration or
  /// what it names cannot be read.
  int WithSecrets(const Needs& needs, const std::function<int(const Config&, const Secrets&)>& run,
                  int otherwise = kFailed) {
    const absl::StatusOr<Config> config = LoadConfig(config_path_);
    if (!config.ok()) return Fail(config.status(), otherwise);
    const absl::StatusOr<Secrets> secrets = LoadSecrets(*config, needs);
    if (!secrets.ok()) return Fail(secrets.status(), otherwise);
    return run(*config, *secrets);
  }

  CLI::App app_;
  std::function<int()> run_;
  std::string config_path_;
  Overrides overrides_;
  CLI::Option* name_ = nullptr;
  bool first_installation_ = false;
  bool online_ = false;
  bool json_ = false;
  bool example_ = false;
  bool json_schema_ = false;
  bool needs_ = false;
  int timeout_seconds_ = 0;
  EventsTailOptions tail_;
  DlqListOptions dlq_list_;
  DlqShowOptions dlq_show_;
  DlqReplayOptions dlq_replay_;
  OrdersWatchOptions watch_;
  ReconcileReportOptions report_;
  OperationsListOptions list_;
  OperationsShowOptions show_;
  OperationsResolveOptions resolve_;
  CallOptions call_;
};

}  // namespace
}  // namespace tollbridge::gateway

int main(int argc, char** argv) { return tollbridge::gateway::CommandLine().Run(argc, argv); }
