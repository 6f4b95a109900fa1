#include "gateway/commands/keys_command.h"

#include <absl/strings/str_cat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "adapters/redis/connection.h"
#include "base/core/boot_clock.h"
#include "base/core/status_macros.h"
#include "base/core/uuid.h"
#include "gateway/commands/terminal_text.h"
#include "gateway/commands/with_redis.h"
#include "gateway/config/adapter_settings.h"
#include "services/operations/outcome.h"

namespace tollbridge::gateway {
namespace {

constexpr int kUnknownKey = 1;
constexpr int kNotAsked = 2;

struct Options {
  std::string config;
  bool json = false;
};

Async<redis::KeyUsage> Count(redis::Connection& connection, const Config& config,
                             const Store& store, const Secrets& secrets, redis::KeyUsage usage) {
  const redis::OutcomeHead head{.bytes = operations::kOutcomeHeadBytes,
                                .key_id = &operations::KeyIdOf};
  const redis::Keyspace keyspace(store.settings->key_prefix,
                                 KeptIn(store, config, MakeProjects(config, secrets, "")));
  for (const auto& [name, project] : keyspace.projects()) {
    TB_CO_ASSIGN_OR_RETURN(usage, co_await redis::AddKeyUsage(connection, project.keys, head,
                                                              kRedisTimeout, std::move(usage)));
  }
  co_return usage;
}

absl::StatusOr<redis::KeyUsage> CountKeys(const Config& config, const Secrets& secrets) {
  redis::KeyUsage usage;
  for (const Store& store : StoresOf(config)) {
    TB_ASSIGN_OR_RETURN(
        usage,
        WithRedis<redis::KeyUsage>(
            config, store, secrets, [&](redis::Connection& connection, BootTime /*deadline*/) {
              return Count(connection, config, store, secrets, std::move(usage));
            }));
  }
  return usage;
}

void AddLines(std::string_view use, const operations::KeyRing& ring,
              std::map<std::string, redis::KeyUse> uses, std::vector<KeyLine>* lines) {
  for (const operations::Key& key : ring.keys) {
    lines->push_back({.use = use,
                      .id = key.id,
                      .current = key.id == ring.current().id,
                      .known = true,
                      .records = uses[key.id]});
    uses.erase(key.id);
  }
  for (const auto& [id, records] : uses) {
    lines->push_back({.use = use, .id = id, .records = records});
  }
}

std::string_view RemarkOn(const KeyLine& line) {
  if (line.id.empty()) return "cannot be read";
  if (!line.known) return "unknown here";
  return line.current ? "current" : "-";
}

int Report(const Options& options, const Config& config, const Secrets& secrets) {
  const absl::StatusOr<redis::KeyUsage> usage = CountKeys(config, secrets);
  if (!usage.ok()) return Fail(usage.status(), kNotAsked);
  const std::vector<KeyLine> lines = KeyLines(*secrets.operation_keys->Get(), *usage);
  std::cout << (options.json ? KeyJson(lines) : KeyTable(lines));
  return std::ranges::all_of(lines, &KeyLine::known) ? 0 : kUnknownKey;
}

}  // namespace

std::vector<KeyLine> KeyLines(const operations::OperationKeys& keys, const redis::KeyUsage& usage) {
  std::vector<KeyLine> lines;
  AddLines("fingerprint", keys.fingerprints, usage.fingerprints, &lines);
  AddLines("outcome", keys.outcomes, usage.outcomes, &lines);
  return lines;
}

std::string KeyTable(const std::vector<KeyLine>& lines) {
  std::vector<Row> rows = {{"USE", "KEY", "OPEN", "CLOSED", "TOMBSTONES", "REMARK"}};
  for (const KeyLine& line : lines) {
    rows.push_back({std::string(line.use), OrDash(line.id), absl::StrCat(line.records.open),
                    absl::StrCat(line.records.closed), absl::StrCat(line.records.tombstones),
                    std::string(RemarkOn(line))});
  }
  return Table(rows);
}

std::string KeyJson(const std::vector<KeyLine>& lines) {
  boost::json::array keys;
  for (const KeyLine& line : lines) {
    keys.push_back(boost::json::object{{"use", line.use},
                                       {"id", line.id},
                                       {"known", line.known},
                                       {"current", line.current},
                                       {"open", line.records.open},
                                       {"closed", line.records.closed},
                                       {"tombstones", line.records.tombstones}});
  }
  return boost::json::serialize(boost::json::object{{"keys", std::move(keys)}}) + "\n";
}

void AddKeys(CLI::App& app, Action* action) {
  CLI::App* keys = app.add_subcommand("keys", "the keys of operations that records name");
  keys->require_subcommand(1);
  CLI::App* report = keys->add_subcommand(
      "report", "count the records that name each key, before one is taken out of its file");
  const auto options = std::make_shared<Options>();
  AddConfigOption(report, &options->config);
  AddJsonOption(report, &options->json);
  report->callback([options, action] {
    *action = [options] {
      return WithSecrets(
          options->config, {.operation_keys = true, .redis = true},
          [&](const Config& config, const Secrets& secrets) {
            return Report(*options, config, secrets);
          },
          kNotAsked);
    };
  });
}

}  // namespace tollbridge::gateway
