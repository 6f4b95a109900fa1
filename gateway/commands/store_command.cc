#include "gateway/commands/store_command.h"

#include <absl/strings/str_cat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/kafka/event_tail.h"
#include "adapters/redis/connection.h"
#include "adapters/redis/errors.h"
#include "adapters/redis/keyspace.h"
#include "adapters/redis/script_runner.h"
#include "adapters/system/system_clock.h"
#include "adapters/system/system_rng.h"
#include "base/core/status_macros.h"
#include "gateway/commands/command_trail.h"
#include "gateway/commands/with_redis.h"
#include "gateway/config/adapter_settings.h"
#include "gateway/config/kafka_settings.h"
#include "gateway/config/stores.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

/// To open a topic, and between two of its records.
constexpr std::chrono::seconds kKafkaTimeout{10};
constexpr std::chrono::milliseconds kPollTimeout{200};

/// The projects of a store that are not on its list, and whether it has an epoch.
struct Unlisted {
  bool epoch = false;
  std::vector<domain::Project> projects;
};

Async<Unlisted> AskList(redis::Connection& connection, redis::Keyspace keyspace,
                        domain::Projects projects, BootTime deadline) {
  redis::Command ask = {"HMGET", keyspace.epoch_key(), "id"};
  for (const domain::Project& project : projects.all()) {
    ask.push_back(keyspace.KeysOf(project.id));
  }
  TB_CO_ASSIGN_OR_RETURN(const redis::Reply reply,
                         co_await connection.Execute(std::move(ask), deadline));
  TB_CO_RETURN_IF_ERROR(redis::StatusOf(reply));
  if (reply.elements.size() != projects.all().size() + 1) co_return redis::UnexpectedReply("HMGET");
  Unlisted unlisted{.epoch = !reply.elements[0].is_nil(), .projects = {}};
  for (std::size_t i = 0; i < projects.all().size(); ++i) {
    if (reply.elements[i + 1].is_nil()) unlisted.projects.push_back(projects.all()[i]);
  }
  co_return unlisted;
}

Async<bool> WriteEpoch(redis::Connection& connection, redis::Keyspace keyspace, BootTime deadline) {
  system::SystemRng rng;
  system::SystemClock clock;
  redis::ScriptRunner scripts(connection, std::move(keyspace), {}, clock, rng);
  co_return co_await scripts.InitializeEpoch(rng.NewUuid(), deadline);
}

/// `chosen` of the configuration's projects.
absl::StatusOr<Unlisted> FindUnlisted(const Config& config, const Secrets& secrets,
                                      const Store& store, const domain::Projects& chosen) {
  const domain::Projects kept = KeptIn(store, config, chosen);
  return WithRedis<Unlisted>(
      config, store, secrets, [&](redis::Connection& connection, BootTime deadline) {
        return AskList(connection, {store.settings->key_prefix, kept}, kept, deadline);
      });
}

absl::StatusOr<domain::Projects> Choose(const Config& config, const Secrets& secrets,
                                        const std::string& only) {
  const domain::Projects all = MakeProjects(config, secrets, "");
  if (only.empty()) return all;
  const domain::Project* project = all.Find(only);
  if (project != nullptr) return domain::Projects({*project});
  return absl::InvalidArgumentError(
      absl::StrCat("--project: no project of this name is configured: ", only));
}

/// Whether a record is of something privileged, which is no operation: who creates the topics is
/// told on this one before any store is initialized.
bool TellsOfAnAction(const operations::v1::OperationRecord& record) {
  const operations::v1::PrivilegedAction& action = record.privileged();
  return record.operation_id().empty() && Uuid::Parse(action.id()).has_value() &&
         action.action_case() != operations::v1::PrivilegedAction::ACTION_NOT_SET;
}

/// That the records of operations tell of none in projects of these names.
absl::Status CheckNoOperations(const Config& config, const Secrets& secrets,
                               const std::set<std::string>& projects) {
  const std::string& topic = config.kafka.operations_topic;
  const auto refused = [&topic](const std::string& why) {
    return absl::FailedPreconditionError(
        absl::StrCat("this is no first installation, or cannot be told from one: ", topic, " ", why,
                     "; the store is left alone (docs/runbooks/store-doubtful.md)"));
  };
  TB_ASSIGN_OR_RETURN(const kafka::ClientSettings settings, KafkaSettings(config, secrets));
  TB_ASSIGN_OR_RETURN(const std::unique_ptr<kafka::EventTail> tail,
                      kafka::EventTail::Open(settings, topic, true, kKafkaTimeout));
  BootTime heard = BootClock::now();
  while (!tail->AtEnd()) {
    TB_ASSIGN_OR_RETURN(const std::optional<kafka::TailedRecord> record, tail->Next(kPollTimeout));
    if (!record.has_value()) {
      if (BootClock::now() - heard < kKafkaTimeout) continue;
      return absl::UnavailableError(absl::StrCat("Kafka: ", topic, " cannot be read to its end"));
    }
    heard = BootClock::now();
    operations::v1::OperationRecord operation;
    const std::string place = absl::StrCat(record->partition, ":", record->offset);
    const bool parsed = operation.ParseFromString(record->value);
    if (parsed && TellsOfAnAction(operation)) continue;
    // Records of other topics can often be read as this message, and say nothing then.
    if (!parsed || operation.operation_id().empty() || operation.rpc().empty() ||
        operation.project().empty()) {
      return refused(absl::StrCat("has a record that is none of an operation, ", place));
    }
    if (projects.contains(operation.project())) {
      return refused(
          absl::StrCat("has records of the project ", operation.project(), ", as ", place));
    }
  }
  return absl::OkStatus();
}

struct Options {
  std::string config;
  bool json = false;
  bool first_installation = false;
  std::string project;
};

/// What init-store says to someone who may only want the doubt to end.
absl::Status NotSaidToBeFirst() {
  return absl::FailedPreconditionError(
      "init-store is for a first installation, and asks for --first-installation. On a Redis that "
      "has lost its memory it would end the doubt, and keys would run twice "
      "(docs/runbooks/store-doubtful.md)");
}

int Run(const Options& options, const Config& config, const Secrets& secrets) {
  const absl::StatusOr<bool> created = InitStore(config, secrets, options.project);
  if (!created.ok()) return Fail(created.status());
  if (options.json) {
    std::cout << "{\"created\":" << (*created ? "true" : "false") << "}\n";
  } else {
    std::cout << (*created ? "the store is ready\n" : "the store was ready already\n");
  }
  return 0;
}

}  // namespace

absl::StatusOr<bool> InitStore(const Config& config, const Secrets& secrets,
                               const std::string& project) {
  TB_ASSIGN_OR_RETURN(const domain::Projects chosen, Choose(config, secrets, project));
  const std::vector<Store> stores = StoresOf(config);
  std::vector<Unlisted> unlisted;
  std::set<std::string> names;
  for (const Store& store : stores) {
    TB_ASSIGN_OR_RETURN(Unlisted one, FindUnlisted(config, secrets, store, chosen));
    for (const domain::Project& found : one.projects) names.insert(found.name);
    unlisted.push_back(std::move(one));
  }
  const auto is_ready = [](const Unlisted& one) { return one.epoch && one.projects.empty(); };
  if (std::ranges::all_of(unlisted, is_ready)) return false;
  TB_RETURN_IF_ERROR(CheckNoOperations(config, secrets, names));
  TB_RETURN_IF_ERROR(TellFirst(config, secrets,
                               {.name = "init-store",
                                .projects = {names.begin(), names.end()},
                                .what = "stores list these projects as ones without a past"}));
  bool wrote = false;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    if (is_ready(unlisted[i])) continue;
    const redis::Keyspace keyspace(stores[i].settings->key_prefix,
                                   domain::Projects(std::move(unlisted[i].projects)));
    TB_ASSIGN_OR_RETURN(
        const bool one,
        WithRedis<bool>(config, stores[i], secrets,
                        [&keyspace](redis::Connection& connection, BootTime deadline) {
                          return WriteEpoch(connection, keyspace, deadline);
                        }));
    wrote = wrote || one;
  }
  return wrote;
}

void AddInitStore(CLI::App& app, Action* action) {
  CLI::App* command =
      app.add_subcommand("init-store", "prepare a new Redis, or one for a new project, once");
  const auto options = std::make_shared<Options>();
  AddConfigOption(command, &options->config);
  AddJsonOption(command, &options->json);
  command->add_flag("--first-installation", options->first_installation,
                    "no gateway has ever served these projects: there is nothing to forget");
  command->add_option("--project", options->project,
                      "only this one, which is new; without: all that its store does not have yet");
  command->callback([options, action] {
    *action = [options] {
      if (!options->first_installation) return Fail(NotSaidToBeFirst());
      return WithSecrets(options->config, {.redis = true, .kafka = true},
                         [&](const Config& config, const Secrets& secrets) {
                           return Run(*options, config, secrets);
                         });
    };
  });
}

}  // namespace tollbridge::gateway
