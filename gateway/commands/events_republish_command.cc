#include "gateway/commands/events_republish_command.h"

#include <absl/strings/str_cat.h>

#include <CLI/CLI.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/core/status_macros.h"
#include "gateway/commands/command_stores.h"
#include "gateway/commands/command_trail.h"
#include "gateway/commands/progress.h"
#include "gateway/commands/run_to_end.h"
#include "gateway/commands/time_option.h"
#include "gateway/config/adapter_settings.h"
#include "services/domain/timestamps.h"
#include "services/reconcile/republish.h"

namespace tollbridge::gateway {
namespace {

using reconcile::Republish;
using reconcile::RepublishSummary;

constexpr int kUnknownOrder = 1;
constexpr int kNotRepublished = 2;
constexpr std::chrono::seconds kStoreTimeout{5};

struct Options {
  std::string config;
  /// One of the two: an order, or a time.
  std::string order;
  std::string from;
  std::string to;
  /// May be empty where one is configured.
  std::string project;
  /// Why.
  std::string note;
  bool dry_run = false;
  bool json = false;
};

/// What is to be told again, checked.
struct Task {
  const domain::Project* project = nullptr;
  std::optional<Uuid> order;
  WallTime from{};
  WallTime to{};
};

absl::StatusOr<Task> CheckOptions(const Options& options, const domain::Projects& projects) {
  Task task{.project = projects.Find(options.project)};
  if (task.project == nullptr) {
    return absl::InvalidArgumentError(
        "--project: must be one that is configured; needed when there are several");
  }
  if (!options.order.empty()) {
    task.order = Uuid::Parse(options.order);
    if (!task.order) return absl::InvalidArgumentError("--order: an order's id is a UUID");
    return task;
  }
  const WallTime now = system::SystemClock().WallNow();
  TB_ASSIGN_OR_RETURN(const std::optional<WallTime> from,
                      OptionalTime("--from", options.from, now));
  TB_ASSIGN_OR_RETURN(const std::optional<WallTime> to, OptionalTime("--to", options.to, now));
  task.from = from.value_or(now);
  task.to = to.value_or(now);
  if (task.from >= task.to) return absl::InvalidArgumentError("--from: must be before --to");
  return task;
}

std::string WhatOf(const Task& task, const std::string& note) {
  const std::string what = task.order
                               ? absl::StrCat("the family of the order ", task.order->ToString())
                               : absl::StrCat("what happened from ", domain::ToRfc3339(task.from),
                                              " to ", domain::ToRfc3339(task.to));
  return absl::StrCat(what, " is told again in a new stream; why: ", note);
}

/// Arguments outlive the coroutine.
Async<RepublishSummary> Tell(CommandStores& opened, Republish& republish, const Task& task,
                             ports::Millis baseline_window) {
  TB_CO_RETURN_IF_ERROR(co_await AwaitStores(*opened.stores, {task.project}, kStoreTimeout));
  if (task.order) co_return co_await republish.TellOrder(*task.project, *task.order);
  co_return co_await republish.TellPeriod(*task.project, task.from, task.to, baseline_window);
}

absl::StatusOr<RepublishSummary> RunRepublish(const Config& config, const Secrets& secrets,
                                              const Options& options) {
  const domain::Projects projects = MakeProjects(config, secrets, "");
  TB_ASSIGN_OR_RETURN(const Task task, CheckOptions(options, projects));
  CommandStores opened;
  TB_RETURN_IF_ERROR(OpenStores(config, secrets, projects, opened));
  if (!options.dry_run) {
    TB_RETURN_IF_ERROR(TellFirst(config, secrets,
                                 {.name = "events republish",
                                  .projects = {task.project->name},
                                  .what = WhatOf(task, options.note)}));
  }
  Republish republish({.families = opened.stores->family_walk(),
                       .snapshots = opened.stores->snapshots(),
                       .clock = opened.clock},
                      options.dry_run, config.events.snapshot_retention, Progress());
  return RunToEnd(opened.context, Tell(opened, republish, task, config.events.baseline_window));
}

void Print(const RepublishSummary& summary, const Options& options) {
  if (options.json) {
    boost::json::object answer;
    answer["families"] = summary.families;
    answer["asked"] = summary.asked;
    answer["asked_before"] = summary.asked_before;
    answer["dry_run"] = options.dry_run;
    std::cout << boost::json::serialize(answer) << "\n";
  } else if (options.dry_run) {
    std::cout << summary.families << " families would be told again; nothing was changed\n";
  } else {
    std::cout << "the reader is asked to tell " << summary.asked << " families again";
    if (summary.asked_before > 0) std::cout << "; it was for " << summary.asked_before << " before";
    std::cout << "\n";
  }
}

int Run(const Config& config, const Secrets& secrets, const Options& options) {
  const absl::StatusOr<RepublishSummary> summary = RunRepublish(config, secrets, options);
  if (!summary.ok()) {
    return Fail(summary.status(),
                absl::IsNotFound(summary.status()) ? kUnknownOrder : kNotRepublished);
  }
  Print(*summary, options);
  return 0;
}

}  // namespace

void AddEventsRepublish(CLI::App* events, Action* action) {
  CLI::App* republish = events->add_subcommand(
      "republish", "have outcomes told again in a new stream, with the ids that they had");
  const auto options = std::make_shared<Options>();
  AddConfigOption(republish, &options->config);
  auto* order = republish->add_option("--order", options->order, "all of the family of this order");
  republish
      ->add_option("--from", options->from,
                   "what happened from then on: RFC 3339, or how long ago, as 3d")
      ->excludes(order);
  republish->add_option("--to", options->to, "and up to then, likewise; without: now")
      ->excludes(order);
  republish->add_option("--project", options->project, "project; needed when there are several");
  republish->add_option("--note", options->note, "why: kept on the topic of operations with you");
  republish->add_flag("--dry-run", options->dry_run, "say how many families, change nothing");
  AddJsonOption(republish, &options->json);
  republish->callback([options, action] {
    if (options->order.empty() && options->from.empty()) {
      throw CLI::RequiredError("--order or --from");
    }
    if (options->note.empty() && !options->dry_run) throw CLI::RequiredError("--note");
    *action = [options] {
      return WithSecrets(
          options->config, {.redis = true, .kafka = !options->dry_run},
          [&](const Config& config, const Secrets& secrets) {
            return Run(config, secrets, *options);
          },
          kNotRepublished);
    };
  });
}

}  // namespace tollbridge::gateway
