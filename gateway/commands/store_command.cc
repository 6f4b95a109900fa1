#include "gateway/commands/store_command.h"

#include <absl/strings/str_cat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/kafka/event_tail.h"
#include "adapters/redis/connection.h"
#include "adapters/redis/keyspace.h"
#include "adapters/redis/operation_store.h"
#include "adapters/redis/script_runner.h"
#include "adapters/redis/server_check.h"
#include "adapters/system/system_clock.h"
#include "adapters/system/system_rng.h"
#include "base/core/status_macros.h"
#include "gateway/commands/with_redis.h"
#include "gateway/config/adapter_settings.h"
#include "gateway/config/kafka_settings.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

/// To open a topic, and between two of its records.
constexpr std::chrono::seconds kKafkaTimeout{10};
constexpr std::chrono::milliseconds kPollTimeout{200};

/// Where the store keeps what is not a project's.
redis::Keyspace StoreKeyspace(const Config& config) {
  return {config.redis.key_prefix, domain::Projects({})};
}

Async<bool> FindEpoch(redis::Connection& connection, redis::Keyspace keyspace, BootTime deadline) {
  TB_CO_ASSIGN_OR_RETURN(const redis::Reply reply,
                         co_await connection.Execute({"EXISTS", keyspace.epoch_key()}, deadline));
  co_return reply.integer == 1;
}

Async<bool> WriteEpoch(redis::Connection& connection, redis::Keyspace keyspace, BootTime deadline) {
  system::SystemRng rng;
  system::SystemClock clock;
  redis::ScriptRunner scripts(connection, std::move(keyspace), {}, clock, rng);
  redis::RedisOperationStore store(scripts, scripts);
  co_return co_await store.InitializeEpoch(rng.NewUuid(), {.deadline = deadline});
}

absl::StatusOr<bool> HasEpoch(const Config& config, const Secrets& secrets) {
  return WithRedis<bool>(config, secrets,
                         [&config](redis::Connection& connection, BootTime deadline) {
                           return FindEpoch(connection, StoreKeyspace(config), deadline);
                         });
}

/// That the records of operations tell of none in these projects.
absl::Status CheckNoOperations(const Config& config, const Secrets& secrets) {
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
    // Records of other topics can often be read as this message, and say nothing then.
    if (!operation.ParseFromString(record->value) || operation.operation_id().empty() ||
        operation.rpc().empty() || operation.project().empty()) {
      return refused(absl::StrCat("has a record that is none of an operation, ", place));
    }
    const bool ours = std::ranges::any_of(config.projects, [&](const ProjectConfig& project) {
      return project.name == operation.project();
    });
    if (ours) {
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
};

/// What init-store says to someone who may only want the doubt to end.
absl::Status NotSaidToBeFirst() {
  return absl::FailedPreconditionError(
      "init-store is for a first installation, and asks for --first-installation. On a Redis that "
      "has lost its memory it would end the doubt, and keys would run twice "
      "(docs/runbooks/store-doubtful.md)");
}

int Run(const Options& options, const Config& config, const Secrets& secrets) {
  const absl::StatusOr<bool> created = InitStore(config, secrets);
  if (!created.ok()) return Fail(created.status());
  if (options.json) {
    std::cout << "{\"created\":" << (*created ? "true" : "false") << "}\n";
  } else {
    std::cout << (*created ? "the store is ready\n" : "the store was ready already\n");
  }
  return 0;
}

}  // namespace

absl::StatusOr<bool> InitStore(const Config& config, const Secrets& secrets) {
  TB_ASSIGN_OR_RETURN(const bool is_there, HasEpoch(config, secrets));
  if (is_there) return false;
  TB_RETURN_IF_ERROR(CheckNoOperations(config, secrets));
  return WithRedis<bool>(config, secrets,
                         [&config](redis::Connection& connection, BootTime deadline) {
                           return WriteEpoch(connection, StoreKeyspace(config), deadline);
                         });
}

absl::StatusOr<std::vector<std::string>> CheckStore(const Config& config, const Secrets& secrets) {
  const redis::ServerCheckOptions options{.strict = config.process.environment == "production",
                                          .min_replicas = config.redis.store.min_replicas};
  return WithRedis<std::vector<std::string>>(
      config, secrets, [options](redis::Connection& connection, BootTime deadline) {
        return redis::CheckServer(connection, options, deadline);
      });
}

void AddInitStore(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand("init-store", "prepare a new Redis, once");
  const auto options = std::make_shared<Options>();
  AddConfigOption(command, &options->config);
  AddJsonOption(command, &options->json);
  command->add_flag("--first-installation", options->first_installation,
                    "no gateway has ever served these projects: there is nothing to forget");
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
