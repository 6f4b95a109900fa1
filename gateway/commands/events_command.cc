#include "gateway/commands/events_command.h"

#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/kafka/event_tail.h"
#include "base/core/boot_clock.h"
#include "base/core/status_macros.h"
#include "base/core/uuid.h"
#include "gateway/commands/event_line.h"
#include "gateway/commands/events_audit_command.h"
#include "gateway/commands/events_republish_command.h"
#include "gateway/config/kafka_settings.h"
#include "gateway/config/topic_specs.h"

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::seconds kOpenTimeout{10};
constexpr std::chrono::milliseconds kPollTimeout{200};

struct Options {
  std::string config;
  bool from_beginning = false;
  /// Only events of this order or of its family's root; empty = all.
  std::string order;
  /// Only what is on this topic; empty = on all that events go to.
  std::string topic;
  bool heartbeats = false;
  /// Only events of these types; none = of all.
  std::vector<std::string> types;
  /// lines or json; empty: lines on a terminal.
  std::string output;
  /// Ends when all has come that was there at the start.
  bool exit_at_end = false;
  /// Ends with 0 after an event of this type; empty = goes on.
  std::string until;
  /// Ends after this time, with 1 when `until` did not come; 0 = never.
  int timeout_seconds = 0;
};

/// All that there are, or the one that was asked for.
std::vector<std::string> TopicsOf(const Config& config, const Options& options) {
  return options.topic.empty() ? EventTopicNames(config) : std::vector{options.topic};
}

/// With the whole names of the types, and the order's id as events have it. INVALID_ARGUMENT,
/// naming the option.
absl::StatusOr<Options> Spelled(Options options) {
  if (!options.order.empty()) {
    const std::optional<Uuid> order = Uuid::Parse(options.order);
    if (!order) return absl::InvalidArgumentError("--order: an order's id is a UUID");
    options.order = order->ToString();
  }
  for (std::string& type : options.types) {
    TB_ASSIGN_OR_RETURN(type, EventTypeOption("--type", type));
  }
  if (!options.until.empty()) {
    TB_ASSIGN_OR_RETURN(options.until, EventTypeOption("--until", options.until));
  }
  return options;
}

bool IsWanted(const kafka::TailedRecord& event, const Options& options) {
  if (IsHeartbeat(event)) return options.heartbeats;
  if (!options.types.empty() &&
      std::ranges::find(options.types, event.Header("ce_type")) == options.types.end()) {
    return false;
  }
  return options.order.empty() || event.key == options.order ||
         event.Header("ce_subject").find(options.order) != std::string::npos;
}

using Tails = std::vector<std::pair<std::string, std::unique_ptr<kafka::EventTail>>>;

absl::StatusOr<Tails> OpenTails(const Config& config, const Secrets& secrets,
                                const Options& options) {
  TB_ASSIGN_OR_RETURN(const kafka::ClientSettings settings, KafkaSettings(config, secrets));
  Tails tails;
  for (const std::string& topic : TopicsOf(config, options)) {
    TB_ASSIGN_OR_RETURN(
        std::unique_ptr<kafka::EventTail> tail,
        kafka::EventTail::Open(settings, topic, options.from_beginning, kOpenTimeout));
    tails.emplace_back(topic, std::move(tail));
  }
  return tails;
}

/// What was waited for, if anything, has not come.
int Ended(const Options& options, const std::string& how) {
  if (options.until.empty()) return 0;
  return Fail(absl::NotFoundError(absl::StrCat("no event of type ", options.until, " came ", how)));
}

int Tail(const Config& config, const Secrets& secrets, const Options& given) {
  const absl::StatusOr<Options> options = Spelled(given);
  if (!options.ok()) return Fail(options.status(), kNotTried);
  const bool json =
      options->output.empty() ? isatty(STDOUT_FILENO) == 0 : options->output == "json";
  const std::chrono::seconds timeout(options->timeout_seconds);
  const BootTime start = BootClock::now();
  const absl::StatusOr<Tails> tails = OpenTails(config, secrets, *options);
  if (!tails.ok()) return Fail(tails.status(), kNotTried);
  const auto all_at_end = [&] {
    return std::ranges::all_of(*tails, [](const auto& each) { return each.second->AtEnd(); });
  };
  if (!json) std::cout << EventLineHead() << std::endl;
  const auto turn = kPollTimeout / static_cast<int>(tails->size());
  for (std::size_t at = 0; timeout.count() == 0 || BootClock::now() - start < timeout; ++at) {
    if (options->exit_at_end && all_at_end()) return Ended(*options, "by the end of the topics");
    const auto& [topic, tail] = (*tails)[at % tails->size()];
    if (options->exit_at_end && tail->AtEnd()) continue;
    const auto record = tail->Next(turn);
    if (!record.ok()) return Fail(record.status(), kNotTried);
    if (!record->has_value()) continue;
    const kafka::TailedRecord& event = **record;
    if (!IsWanted(event, *options)) continue;
    std::cout << (json ? EventJson(topic, event) : EventLine(topic, event)) << std::endl;
    if (!options->until.empty() && event.Header("ce_type") == options->until) return 0;
  }
  return Ended(*options, "in time");
}

}  // namespace

void AddEvents(CLI::App& app, Action* action) {
  CLI::App* events = app.add_subcommand("events", "the domain events on Kafka");
  events->require_subcommand(1);
  AddEventsAudit(events, action);
  AddEventsRepublish(events, action);
  CLI::App* tail = events->add_subcommand("tail", "print events as they come, one a line");
  const auto options = std::make_shared<Options>();
  AddConfigOption(tail, &options->config);
  tail->add_flag("--from-beginning", options->from_beginning, "also those that are there already");
  tail->add_option("--order", options->order, "only events of this order");
  tail->add_option("--topic", options->topic, "only those on this topic");
  tail->add_flag("--heartbeats", options->heartbeats, "heartbeats too");
  tail->add_option("--type", options->types, "only of these types, as payment.completed")
      ->delimiter(',');
  tail->add_option("--output", options->output,
                   "a line for people, which is what a terminal gets without, or JSON")
      ->check(CLI::IsMember({"lines", "json"}));
  tail->add_flag("--exit-at-end", options->exit_at_end, "end when all that is there was looked at")
      ->needs("--from-beginning");
  tail->add_option("--until", options->until, "end after an event of this type");
  AddTimeoutOption(tail, &options->timeout_seconds, "end after so many seconds");
  tail->callback([options, action] {
    *action = [options] {
      return WithSecrets(options->config, {.kafka = true},
                         [&](const Config& config, const Secrets& secrets) {
                           return Tail(config, secrets, *options);
                         });
    };
  });
}

}  // namespace tollbridge::gateway
