#include "gateway/commands/reconcile_command.h"

#include <absl/strings/str_cat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/system/system_clock.h"
#include "base/core/status_macros.h"
#include "gateway/commands/command_stores.h"
#include "gateway/commands/command_trail.h"
#include "gateway/commands/run_to_end.h"
#include "gateway/commands/time_option.h"
#include "gateway/config/adapter_settings.h"
#include "gateway/wiring/own_topics.h"
#include "gateway/wiring/payment_service.h"
#include "services/domain/encoded.h"
#include "services/domain/timestamps.h"
#include "services/domain/wire_names.h"
#include "services/reconcile/report_comparison.h"
#include "services/search/export_orders.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::gateway {
namespace {

using reconcile::ReportDifference;
using reconcile::ReportSummary;

constexpr int kDifferent = 1;
constexpr int kNotCompared = 2;
constexpr std::chrono::seconds kStoreTimeout{5};
/// Of one project's report.
constexpr std::chrono::hours kReportTimeout{6};

struct Options {
  std::string config;
  /// Ends of the period of creation, both included: RFC 3339, or how long ago, as 3d.
  std::string from;
  std::string to = "0s";
  /// Empty: all that are configured.
  std::string project;
  bool json = false;
  /// Write a hint for each difference.
  bool hint = false;
};

/// What there is to compare, checked.
struct Task {
  WallTime from;
  WallTime to;
  std::vector<const domain::Project*> projects;
  bool json = false;
};

absl::StatusOr<Task> CheckOptions(const Options& options, const domain::Projects& projects) {
  Task task{.json = options.json};
  const WallTime now = system::SystemClock().WallNow();
  TB_ASSIGN_OR_RETURN(task.from, TimeOption("--from", options.from, now));
  TB_ASSIGN_OR_RETURN(task.to, TimeOption("--to", options.to, now));
  if (task.from >= task.to) return absl::InvalidArgumentError("--from: must be before --to");
  TB_ASSIGN_OR_RETURN(task.projects, ChosenProjects(options.project, projects));
  return task;
}

/// How soon Tollbridge finds a change by itself: the sweep a new order, the poller the rest.
Millis FoundWithin(const Config& config) {
  return config.operations.settings.search_index_lag +
         std::max(config.reconcile.sweep.interval, config.events.longest_read_interval) +
         config.reconcile.poller.take_again_after;
}

/// Of `shown`, which is what was seen or what is known.
template <typename Shown>
std::string StatusOf(const Shown& shown) {
  const std::string_view name = domain::WireName(shown.status);
  return name.empty() ? shown.status_text : std::string(name);
}

void PrintText(const std::string& project, const ReportDifference& difference) {
  std::cout << project << " " << difference.seen.id.ToString() << " "
            << reconcile::NameOf(difference.kind) << ": ";
  switch (difference.kind) {
    case reconcile::DifferenceKind::kMissing:
      std::cout << "the report shows " << StatusOf(difference.seen) << ", no snapshot shows it";
      break;
    case reconcile::DifferenceKind::kStatus:
      std::cout << "the report shows " << StatusOf(difference.seen) << ", the snapshot "
                << StatusOf(difference.known);
      break;
    case reconcile::DifferenceKind::kModified:
      std::cout << StatusOf(difference.seen) << ", modified after the snapshot's last read";
      break;
  }
  if (const std::optional<WallTime> changed = difference.seen.LastChange()) {
    std::cout << "; changed " << domain::ToRfc3339(*changed);
  }
  std::cout << "\n";
}

void PrintJson(const std::string& project, const ReportDifference& difference) {
  boost::json::object line;
  line["project"] = project;
  line["order_id"] = difference.seen.id.ToString();
  line["difference"] = reconcile::NameOf(difference.kind);
  line["report_status"] = StatusOf(difference.seen);
  if (difference.known.recorded) line["snapshot_status"] = StatusOf(difference.known);
  if (difference.known.root != difference.seen.id) {
    line["root_order_id"] = difference.known.root.ToString();
  }
  if (const std::optional<WallTime> changed = difference.seen.LastChange()) {
    line["changed"] = domain::ToRfc3339(*changed);
  }
  std::cout << boost::json::serialize(line) << "\n";
}

void PrintSummary(const std::string& project, const ReportSummary& summary, bool json) {
  if (json) {
    boost::json::object counts;
    counts["project"] = project;
    counts["orders"] = summary.orders;
    counts["same"] = summary.same;
    counts["changing"] = summary.changing;
    counts["from_before"] = summary.from_before;
    counts["different"] = summary.different;
    counts["hints"] = summary.hints;
    boost::json::object line;
    line["summary"] = std::move(counts);
    std::cout << boost::json::serialize(line) << "\n";
    return;
  }
  std::cout << project << ": " << summary.orders << " orders: " << summary.same << " the same, "
            << summary.changing << " changing, " << summary.from_before << " from before, "
            << summary.different << " different";
  if (summary.hints > 0) std::cout << "; hints written for " << summary.hints;
  std::cout << "\n";
}

/// All that the command works with, on one io_context.
struct Parts : CommandStores {
  payment_service::OriginClients http_clients;
  std::unique_ptr<ports::PaymentService> payment_service;
  std::unique_ptr<ports::HintLog> hint_log;  ///< null where no hints are written
};

absl::Status MakeParts(const Config& config, const Secrets& secrets,
                       const domain::Projects& projects, bool hint, Parts& parts) {
  TB_ASSIGN_OR_RETURN(parts.payment_service,
                      MakePaymentService({.executor = parts.context.get_executor(),
                                          .config = config,
                                          .secrets = secrets,
                                          .clock = parts.clock,
                                          .metrics = parts.metrics},
                                         parts.http_clients));
  TB_RETURN_IF_ERROR(OpenStores(config, secrets, projects, parts));
  if (!hint) return absl::OkStatus();
  TB_ASSIGN_OR_RETURN(parts.hint_log, OpenHintTopic(config, secrets, parts.context.get_executor()));
  return absl::OkStatus();
}

search::v1::ExportOrdersRequest RequestOf(const Task& task, const domain::Project& project) {
  search::v1::ExportOrdersRequest request;
  request.set_project(project.name);
  search::v1::OrderFilter& filter = *request.mutable_query()->mutable_filter();
  *filter.mutable_created_from() = domain::ToTimestamp(task.from);
  *filter.mutable_created_to() = domain::ToTimestamp(task.to);
  return request;
}

/// The comparison outlives the coroutine.
AsyncStatus TakeMessage(reconcile::ReportComparison& comparison,
                        domain::Encoded<search::v1::ExportOrdersResponse> message) {
  search::v1::ExportOrdersResponse response;
  if (!response.ParseFromString(message.bytes)) {
    co_return absl::InternalError("a message of the export cannot be read");
  }
  co_return co_await comparison.Take(response.chunk());
}

/// Compares one project's report. All arguments outlive the coroutine.
Async<ReportSummary> CompareProject(const Config& config, const Task& task,
                                    const domain::Project& project, Parts& parts) {
  const ports::Context for_loading{.deadline = parts.clock.BootNow() + kStoreTimeout, .trace = {}};
  TB_CO_ASSIGN_OR_RETURN(const storage::v1::SweepProgress progress,
                         co_await parts.stores->sweep_state().Load(project.name, for_loading));
  reconcile::ComparisonSettings settings{
      .found_within = FoundWithin(config),
      .first_sweep = std::nullopt,
      .baseline_window = config.events.baseline_window,
      .hints_per_second = config.reconcile.sweep.hints_per_second};
  if (progress.has_first_began()) {
    settings.first_sweep = domain::ToWallTime(progress.first_began());
  }
  reconcile::ReportComparison comparison(
      {.known_orders = parts.stores->known_orders(),
       .clock = parts.clock,
       .hint_log = parts.hint_log.get()},
      project.name, settings, [&](const ReportDifference& difference) {
        (task.json ? PrintJson : PrintText)(project.name, difference);
      });
  const search::StreamSink<search::v1::ExportOrdersResponse> sink =
      [&comparison](domain::Encoded<search::v1::ExportOrdersResponse> message) {
        return TakeMessage(comparison, std::move(message));
      };
  const search::v1::ExportOrdersRequest request = RequestOf(task, project);
  const ports::Context context{.deadline = parts.clock.BootNow() + kReportTimeout, .trace = {}};
  TB_CO_RETURN_IF_ERROR(
      co_await search::ExportOrders(*parts.payment_service, project, request, context, sink));
  TB_CO_RETURN_IF_ERROR(co_await comparison.End());
  co_return comparison.summary();
}

/// Compares all projects; the differences found. All arguments outlive the coroutine.
Async<std::int64_t> CompareAll(const Config& config, const Task& task, Parts& parts) {
  TB_CO_RETURN_IF_ERROR(co_await AwaitStores(*parts.stores, task.projects, kStoreTimeout));
  std::int64_t differences = 0;
  for (const domain::Project* project : task.projects) {
    const absl::StatusOr<ReportSummary> summary =
        co_await CompareProject(config, task, *project, parts);
    if (!summary.ok()) {
      co_return absl::Status(
          summary.status().code(),
          absl::StrCat("project ", project->name, ": ", std::string(summary.status().message())));
    }
    PrintSummary(project->name, *summary, task.json);
    differences += summary->different;
  }
  co_return differences;
}

/// Says on the topic of operations that hints are going to be written.
absl::Status TellOfHints(const Config& config, const Secrets& secrets, const Task& task) {
  CommandTold told{
      .name = "reconcile report --hint",
      .projects = {},
      .what = absl::StrCat("hints of orders that differ, of those created from ",
                           domain::ToRfc3339(task.from), " to ", domain::ToRfc3339(task.to))};
  for (const domain::Project* project : task.projects) told.projects.push_back(project->name);
  return TellFirst(config, secrets, told);
}

int Report(const Config& config, const Secrets& secrets, const Options& options) {
  const domain::Projects projects = MakeProjects(config, secrets, "");
  const absl::StatusOr<Task> task = CheckOptions(options, projects);
  if (!task.ok()) return Fail(task.status(), kNotCompared);
  Parts parts;
  const absl::Status made = MakeParts(config, secrets, projects, options.hint, parts);
  if (!made.ok()) return Fail(made, kNotCompared);
  if (options.hint) {
    const absl::Status told = TellOfHints(config, secrets, *task);
    if (!told.ok()) return Fail(told, kNotCompared);
  }
  const absl::StatusOr<std::int64_t> differences =
      RunToEnd(parts.context, CompareAll(config, *task, parts));
  if (!differences.ok()) return Fail(differences.status(), kNotCompared);
  return *differences == 0 ? 0 : kDifferent;
}

}  // namespace

void AddReconcile(CLI::App& app, Action* action) {
  CLI::App* reconcile =
      app.add_subcommand("reconcile", "what was published, beside what the service has");
  reconcile->require_subcommand(1);
  CLI::App* report = reconcile->add_subcommand(
      "report",
      "compare the payment service's report with the snapshots; 0: no differences, 1: "
      "some, 2: could not be compared");
  const auto options = std::make_shared<Options>();
  AddConfigOption(report, &options->config);
  report
      ->add_option("--from", options->from,
                   "orders created from then on: RFC 3339, or how long ago, as 3d")
      ->required();
  report->add_option("--to", options->to, "and up to then, likewise; without: now");
  report->add_option("--project", options->project, "only this one");
  report->add_flag("--json", options->json, "JSON lines");
  report->add_flag("--hint", options->hint, "have each order that differs looked at");
  report->callback([options, action] {
    *action = [options] {
      return WithSecrets(
          options->config, {.payment_service = true, .redis = true, .kafka = options->hint},
          [&](const Config& config, const Secrets& secrets) {
            return Report(config, secrets, *options);
          },
          kNotCompared);
    };
  });
}

}  // namespace tollbridge::gateway
