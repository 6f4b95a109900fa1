#include "gateway/commands/events_audit_command.h"

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
#include <vector>

#include "adapters/kafka/event_topic.h"
#include "base/core/status_macros.h"
#include "gateway/commands/command_stores.h"
#include "gateway/commands/command_trail.h"
#include "gateway/commands/progress.h"
#include "gateway/commands/run_to_end.h"
#include "gateway/commands/time_option.h"
#include "gateway/config/adapter_settings.h"
#include "gateway/config/kafka_settings.h"
#include "gateway/config/topic_specs.h"
#include "gateway/wiring/payment_service.h"
#include "services/domain/timestamps.h"
#include "services/reconcile/events_audit.h"

namespace tollbridge::gateway {
namespace {

using reconcile::AuditSummary;
using reconcile::EventFault;
using reconcile::EventFinding;
using reconcile::EventsAudit;
using reconcile::FaultState;

constexpr int kFaults = 1;
constexpr int kNotAudited = 2;
constexpr std::chrono::seconds kStoreTimeout{5};

struct Options {
  std::string config;
  /// Empty: all that are configured.
  std::string project;
  /// RFC 3339, or how long ago, as 3d; empty: as far as the topic goes.
  std::string from;
  std::string to;
  bool repair = false;
  bool json = false;
};

std::string PlaceOf(const EventFinding& finding) {
  return absl::StrCat(finding.topic, " ", finding.partition, ":", finding.offset);
}

std::string Detail(const EventFinding& finding) {
  switch (finding.fault) {
    case EventFault::kMissing:
      return absl::StrCat(finding.type, " of ", finding.order ? finding.order->ToString() : "-",
                          " is not on the topic");
    case EventFault::kGap:
      return absl::StrCat("number ", finding.sequence, " is not there, seen at ", PlaceOf(finding));
    case EventFault::kTwoContents:
      return absl::StrCat("number ", finding.sequence, " has another content at ",
                          PlaceOf(finding));
    case EventFault::kTwoNumbers:
      return absl::StrCat("number ", finding.sequence, " has the id of an earlier one, at ",
                          PlaceOf(finding));
    case EventFault::kWrongOrder:
      return absl::StrCat("number ", finding.sequence, " comes too late, at ", PlaceOf(finding));
    case EventFault::kUnpublished:
      return "events are decided and not published";
  }
  return {};
}

void PrintText(const EventFinding& finding) {
  if (finding.state == FaultState::kToldAgain) return;
  std::cout << (finding.family.project.empty() ? "-" : finding.family.project) << " "
            << finding.family.root.ToString() << " " << reconcile::NameOf(finding.fault) << ": "
            << Detail(finding);
  if (finding.state != FaultState::kOpen) std::cout << "; " << reconcile::NameOf(finding.state);
  std::cout << "\n";
}

void PrintJson(const EventFinding& finding) {
  boost::json::object line;
  line["project"] = finding.family.project;
  line["root_order_id"] = finding.family.root.ToString();
  line["fault"] = reconcile::NameOf(finding.fault);
  line["state"] = reconcile::NameOf(finding.state);
  if (finding.order) line["order_id"] = finding.order->ToString();
  if (!finding.type.empty()) line["type"] = finding.type;
  if (finding.sequence > 0) {
    line["sequence"] = finding.sequence;
    line["topic"] = finding.topic;
    line["partition"] = finding.partition;
    line["offset"] = finding.offset;
  }
  std::cout << boost::json::serialize(line) << "\n";
}

void PrintSummary(const AuditSummary& summary, bool json) {
  if (json) {
    boost::json::object counts;
    counts["events"] = summary.events;
    counts["unreadable"] = summary.unreadable;
    counts["families"] = summary.families;
    counts["outcomes"] = summary.outcomes;
    counts["older"] = summary.older;
    counts["undecided"] = summary.undecided;
    counts["asked"] = summary.asked;
    counts["not_mended"] = summary.open();
    boost::json::object faults;
    for (const auto& [fault, count] : summary.faults) {
      faults[absl::StrCat(std::string(reconcile::NameOf(fault.first)), ".",
                          std::string(reconcile::NameOf(fault.second)))] = count;
    }
    counts["faults"] = std::move(faults);
    boost::json::object line;
    line["summary"] = std::move(counts);
    std::cout << boost::json::serialize(line) << "\n";
    return;
  }
  std::cout << summary.events << " events, " << summary.outcomes << " outcomes of "
            << summary.families << " families; " << summary.older
            << " outcomes are older than the topic";
  if (summary.unreadable > 0) std::cout << "; " << summary.unreadable << " records are no events";
  if (summary.undecided > 0) {
    std::cout << "; " << summary.undecided << " could not be asked for at the payment service";
  }
  std::cout << "\n";
  for (const auto& [fault, count] : summary.faults) {
    std::cout << reconcile::NameOf(fault.first) << ", " << reconcile::NameOf(fault.second) << ": "
              << count << "\n";
  }
  if (summary.asked > 0) {
    std::cout << "the reader is asked to tell " << summary.asked << " families again\n";
  }
}

Async<AuditSummary> Audit(CommandStores& opened, EventsAudit& audit,
                          const std::vector<const domain::Project*>& projects) {
  TB_CO_RETURN_IF_ERROR(co_await AwaitStores(*opened.stores, projects, kStoreTimeout));
  co_return co_await audit.Run();
}

absl::StatusOr<AuditSummary> RunAudit(const Config& config, const Secrets& secrets,
                                      const Options& options) {
  const domain::Projects all = MakeProjects(config, secrets, "");
  CommandStores opened;
  const WallTime now = opened.clock.WallNow();
  EventsAudit::Settings settings{.from = std::nullopt,
                                 .to = std::nullopt,
                                 .repair = options.repair,
                                 .only_these = !options.project.empty(),
                                 .baseline_window = config.events.baseline_window,
                                 .snapshot_retention = config.events.snapshot_retention};
  for (const auto& [project, topics] : EventTopics(config)) {
    for (const events::EventTopic* each : {&topics.events, &topics.test_orders}) {
      settings.topics[project].push_back({.name = each->name, .mark = each->mark});
    }
  }
  TB_ASSIGN_OR_RETURN(settings.from, OptionalTime("--from", options.from, now));
  TB_ASSIGN_OR_RETURN(settings.to, OptionalTime("--to", options.to, now));
  if (settings.from && settings.from >= settings.to.value_or(now)) {
    return absl::InvalidArgumentError("--from: must be before --to");
  }
  TB_ASSIGN_OR_RETURN(const auto projects, ChosenProjects(options.project, all));
  TB_ASSIGN_OR_RETURN(kafka::ClientSettings kafka, KafkaSettings(config, secrets));
  kafka::KafkaEventTopic topic(std::move(kafka), EventTopicNames(config),
                               opened.context.get_executor());
  payment_service::OriginClients clients;
  TB_ASSIGN_OR_RETURN(const std::unique_ptr<ports::PaymentService> service,
                      MakePaymentService({.executor = opened.context.get_executor(),
                                          .config = config,
                                          .secrets = secrets,
                                          .clock = opened.clock,
                                          .metrics = opened.metrics},
                                         clients));
  TB_RETURN_IF_ERROR(OpenStores(config, secrets, all, opened));
  if (options.repair) {
    CommandTold told{.name = "events audit --repair",
                     .projects = {},
                     .what = "outcomes that are missing on the topic of events are told again"};
    for (const domain::Project* project : projects) told.projects.push_back(project->name);
    TB_RETURN_IF_ERROR(TellFirst(config, secrets, told));
  }
  EventsAudit audit({.topic = topic,
                     .families = opened.stores->family_walk(),
                     .snapshots = opened.stores->snapshots(),
                     .due_queue = opened.stores->due_queue(),
                     .payment_service = *service,
                     .clock = opened.clock},
                    projects, settings, options.json ? PrintJson : PrintText, Progress());
  return RunToEnd(opened.context, Audit(opened, audit, projects));
}

int Run(const Config& config, const Secrets& secrets, const Options& options) {
  const absl::StatusOr<AuditSummary> summary = RunAudit(config, secrets, options);
  if (!summary.ok()) return Fail(summary.status(), kNotAudited);
  PrintSummary(*summary, options.json);
  return summary->open() == 0 && summary->undecided == 0 ? 0 : kFaults;
}

}  // namespace

void AddEventsAudit(CLI::App* events, Action* action) {
  CLI::App* audit = events->add_subcommand(
      "audit", "compare the topic with the snapshots; 0: all is there, 1: not, 2: not audited");
  const auto options = std::make_shared<Options>();
  AddConfigOption(audit, &options->config);
  audit->add_option("--project", options->project,
                    "only this one, with the events of its former names");
  audit->add_option("--from", options->from,
                    "what was told, or may have been, from then on: RFC 3339, or how long ago, as "
                    "3d; without: as far back as the topic goes");
  audit->add_option("--to", options->to, "and up to then, likewise; without: now");
  audit->add_flag("--repair", options->repair, "have what is missing told again, in a new stream");
  audit->add_flag("--json", options->json, "JSON lines");
  audit->callback([options, action] {
    *action = [options] {
      return WithSecrets(
          options->config, {.payment_service = true, .redis = true, .kafka = true},
          [&](const Config& config, const Secrets& secrets) {
            return Run(config, secrets, *options);
          },
          kNotAudited);
    };
  });
}

}  // namespace tollbridge::gateway
