#include "gateway/commands/topics_command.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "adapters/kafka/topics.h"
#include "base/core/status_macros.h"
#include "gateway/commands/command_trail.h"
#include "gateway/commands/run_to_end.h"
#include "gateway/config/kafka_settings.h"
#include "gateway/config/topic_specs.h"

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::seconds kTimeout{15};
constexpr int kDifferent = 1;
constexpr int kNotAsked = 2;

/// An admin client that lives for one question.
template <typename T, typename Ask>
absl::StatusOr<T> WithAdmin(const Config& config, const Secrets& secrets, Ask ask) {
  TB_ASSIGN_OR_RETURN(const kafka::ClientSettings settings, KafkaSettings(config, secrets));
  boost::asio::io_context context(1);
  TB_ASSIGN_OR_RETURN(const std::unique_ptr<kafka::TopicAdmin> admin,
                      kafka::TopicAdmin::Create(settings, context.get_executor()));
  return RunToEnd(context, ask(*admin, BootClock::now() + kTimeout));
}

int Create(const Config& config, const Secrets& secrets, bool json) {
  using Names = std::vector<std::string>;
  const absl::StatusOr<Names> created =
      WithAdmin<Names>(config, secrets, [&config](kafka::TopicAdmin& admin, BootTime deadline) {
        return admin.CreateTopics(TopicSpecs(config), deadline);
      });
  if (!created.ok()) return Fail(created.status(), kNotAsked);
  if (json) {
    boost::json::object answer;
    answer["created"] = boost::json::array(created->begin(), created->end());
    std::cout << boost::json::serialize(answer) << "\n";
  } else {
    for (const std::string& name : *created) std::cout << "created " << name << "\n";
    if (created->empty()) std::cout << "all topics were there already\n";
  }
  if (created->empty()) return 0;
  // Only now: the topic that it is told on may be one of them.
  const absl::Status told = TellOnTopic(
      config, secrets,
      {.name = "topics create",
       .projects = {},
       .what = absl::StrCat(created->size(), created->size() == 1 ? " topic" : " topics",
                            " created: ", absl::StrJoin(*created, ", "))});
  if (told.ok()) return 0;
  return Fail(absl::Status(told.code(), absl::StrCat("created, but ", told.message())), kNotAsked);
}

int Check(const Config& config, const Secrets& secrets, bool json) {
  const absl::StatusOr<std::vector<std::string>> lines = TopicDifferences(config, secrets);
  if (!lines.ok()) return Fail(lines.status(), kNotAsked);
  if (json) {
    boost::json::object answer;
    answer["differences"] = boost::json::array(lines->begin(), lines->end());
    std::cout << boost::json::serialize(answer) << "\n";
  } else {
    for (const std::string& line : *lines) std::cout << line << "\n";
    if (lines->empty()) std::cout << "the topics are as they should be\n";
  }
  return lines->empty() ? 0 : kDifferent;
}

struct Options {
  std::string config;
  bool json = false;
};

void AddOne(CLI::App* topics, const std::string& name, const std::string& help,
            int (*run)(const Config&, const Secrets&, bool json), Action* action) {
  CLI::App* command = topics->add_subcommand(name, help);
  const auto options = std::make_shared<Options>();
  AddConfigOption(command, &options->config);
  AddJsonOption(command, &options->json);
  command->callback([options, run, action] {
    *action = [options, run] {
      return WithSecrets(options->config, {.kafka = true},
                         [&](const Config& config, const Secrets& secrets) {
                           return run(config, secrets, options->json);
                         });
    };
  });
}

}  // namespace

absl::StatusOr<std::vector<std::string>> TopicDifferences(const Config& config,
                                                          const Secrets& secrets) {
  using Differences = std::vector<kafka::TopicDifference>;
  TB_ASSIGN_OR_RETURN(const Differences differences,
                      WithAdmin<Differences>(
                          config, secrets, [&config](kafka::TopicAdmin& admin, BootTime deadline) {
                            return admin.CheckTopics(TopicSpecs(config), deadline);
                          }));
  std::vector<std::string> lines;
  for (const kafka::TopicDifference& difference : differences) {
    lines.push_back(TextOf(difference));
  }
  return lines;
}

void AddTopics(CLI::App& app, Action* action) {
  CLI::App* topics = app.add_subcommand("topics", "the topics on Kafka");
  topics->require_subcommand(1);
  AddOne(topics, "create", "create those that are missing", Create, action);
  AddOne(topics, "check", "compare them with what events need", Check, action);
}

}  // namespace tollbridge::gateway
