#include "gateway/config/topic_specs.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "base/core/sha256.h"
#include "gateway/config/kafka_settings.h"

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::hours kHintsKept{24 * 7};
constexpr std::size_t kLongestName = 249;
constexpr std::size_t kMarkBytes = 4;
constexpr char kNoTopicName[] =
    "must be 1 to 249 letters, digits, dots, hyphens and underscores, and not only dots";

bool IsTopicName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name != "." && name != ".." &&
         std::ranges::all_of(name, [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' ||
                  c == '_';
         });
}

/// The default's is empty, so that where nobody names another topic nothing is kept for it.
events::EventTopic TopicNamed(const std::string& name) {
  if (name == kafka::Settings().events_topic) return {.name = name, .mark = ""};
  Sha256 digest;
  digest.Update(name);
  return {.name = name, .mark = digest.Finish().substr(0, kMarkBytes)};
}

/// Empty: they go where the project's others go.
const std::string& TestTopicOf(const Config& config, const ProjectConfig& project) {
  return project.test_events_topic.empty() ? config.kafka.test_events_topic
                                           : project.test_events_topic;
}

}  // namespace

std::map<std::string, events::ProjectTopics, std::less<>> EventTopics(const Config& config) {
  std::map<std::string, events::ProjectTopics, std::less<>> topics;
  for (const ProjectConfig& project : config.projects) {
    const std::string& own =
        project.events_topic.empty() ? config.kafka.events_topic : project.events_topic;
    const std::string& tests = TestTopicOf(config, project);
    topics[project.name] = {.events = TopicNamed(own),
                            .test_orders = TopicNamed(tests.empty() ? own : tests)};
  }
  return topics;
}

std::vector<std::string> EventTopicNames(const Config& config) {
  std::set<std::string> names;
  for (const auto& [project, topics] : EventTopics(config)) {
    names.insert({topics.events.name, topics.test_orders.name});
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> TopicProblems(const Config& config) {
  const kafka::Settings& kafka = config.kafka;
  std::vector<std::pair<std::string, std::string>> named = {
      {"kafka.hints_topic", kafka.hints_topic},
      {"kafka.dead_letter_topic", kafka.dead_letter_topic},
      {"kafka.operations_topic", kafka.operations_topic},
      {"kafka.events_topic", kafka.events_topic}};
  const std::set<std::string> others = {kafka.hints_topic, kafka.dead_letter_topic,
                                        kafka.operations_topic};
  std::vector<std::pair<std::string, std::string>> of_tests;
  const auto add_named = [](auto& list, std::string setting, const std::string& name) {
    if (!name.empty()) list.emplace_back(std::move(setting), name);
  };
  add_named(of_tests, "kafka.test_events_topic", kafka.test_events_topic);
  for (std::size_t i = 0; i < config.projects.size(); ++i) {
    const std::string path = absl::StrCat("projects[", i, "].");
    add_named(named, path + "events_topic", config.projects[i].events_topic);
    add_named(of_tests, path + "test_events_topic", config.projects[i].test_events_topic);
  }
  std::vector<std::string> problems;
  std::set<std::string> real;
  for (const auto& [setting, name] : named) {
    if (!IsTopicName(name)) problems.push_back(setting + ": " + kNoTopicName);
    if (!setting.ends_with("events_topic")) continue;
    real.insert(name);
    if (others.contains(name)) problems.push_back(setting + ": is the topic of something else");
  }
  for (const auto& [setting, name] : of_tests) {
    if (!IsTopicName(name)) problems.push_back(setting + ": " + kNoTopicName);
    if (others.contains(name)) problems.push_back(setting + ": is the topic of something else");
    if (real.contains(name)) {
      problems.push_back(setting + ": is a topic of orders that are no test orders");
    }
  }
  return problems;
}

std::vector<kafka::TopicSpec> TopicSpecs(const Config& config) {
  const kafka::Settings& settings = config.kafka;
  kafka::TopicSpec spec;
  spec.partitions = settings.partitions;
  spec.replication = settings.replication;
  spec.min_insync_replicas =
      settings.replication >= kLeastReplicas ? settings.replication / 2 + 1 : 1;
  kafka::TopicSpec hints = spec;
  hints.name = settings.hints_topic;
  hints.retention = kHintsKept;
  std::vector<kafka::TopicSpec> specs = {std::move(hints)};
  std::vector<std::string> names = EventTopicNames(config);
  names.insert(names.end(), {settings.dead_letter_topic, settings.operations_topic});
  for (std::string& name : names) {
    spec.name = std::move(name);
    specs.push_back(spec);
  }
  return specs;
}

std::vector<kafka::TopicSpec> TopicSpecsOfRoles(const Config& config) {
  std::set<std::string> used;
  if (config.HasRole("webhooks")) used.insert(config.kafka.hints_topic);
  if (config.HasRole("events")) {
    used.insert({config.kafka.hints_topic, config.kafka.dead_letter_topic});
    const std::vector<std::string> names = EventTopicNames(config);
    used.insert(names.begin(), names.end());
  }
  if (config.HasRole("reconcile")) {
    used.insert({config.kafka.hints_topic, config.kafka.operations_topic});
  }
  std::vector<kafka::TopicSpec> specs = TopicSpecs(config);
  std::erase_if(specs, [&](const kafka::TopicSpec& spec) { return !used.contains(spec.name); });
  return specs;
}

std::string TextOf(const kafka::TopicDifference& difference) {
  return absl::StrCat(difference.topic, ": ", difference.property, " should be ", difference.wanted,
                      " and is ", difference.found);
}

}  // namespace tollbridge::gateway
