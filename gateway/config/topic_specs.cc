#include "gateway/config/topic_specs.h"

#include <absl/strings/str_cat.h>

#include <chrono>
#include <set>
#include <utility>

#include "gateway/config/kafka_settings.h"

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::hours kHintsKept{24 * 7};

}  // namespace

std::vector<kafka::TopicSpec> TopicSpecs(const kafka::Settings& settings) {
  kafka::TopicSpec spec;
  spec.partitions = settings.partitions;
  spec.replication = settings.replication;
  spec.min_insync_replicas =
      settings.replication >= kLeastReplicas ? settings.replication / 2 + 1 : 1;
  kafka::TopicSpec hints = spec;
  hints.name = settings.hints_topic;
  hints.retention = kHintsKept;
  kafka::TopicSpec events = spec;
  events.name = settings.events_topic;
  kafka::TopicSpec dead_letters = spec;
  dead_letters.name = settings.dead_letter_topic;
  kafka::TopicSpec operations = spec;
  operations.name = settings.operations_topic;
  return {std::move(hints), std::move(events), std::move(dead_letters), std::move(operations)};
}

std::vector<kafka::TopicSpec> TopicSpecsOfRoles(const Config& config) {
  std::set<std::string> used;
  if (config.HasRole("webhooks")) used.insert(config.kafka.hints_topic);
  if (config.HasRole("events")) {
    used.insert(
        {config.kafka.hints_topic, config.kafka.events_topic, config.kafka.dead_letter_topic});
  }
  if (config.HasRole("reconcile")) {
    used.insert({config.kafka.hints_topic, config.kafka.operations_topic});
  }
  std::vector<kafka::TopicSpec> specs = TopicSpecs(config.kafka);
  std::erase_if(specs, [&](const kafka::TopicSpec& spec) { return !used.contains(spec.name); });
  return specs;
}

std::string TextOf(const kafka::TopicDifference& difference) {
  return absl::StrCat(difference.topic, ": ", difference.property, " should be ", difference.wanted,
                      " and is ", difference.found);
}

}  // namespace tollbridge::gateway
