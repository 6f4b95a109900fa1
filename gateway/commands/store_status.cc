#include "gateway/commands/store_status.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <string_view>
#include <utility>

#include "adapters/redis/connection.h"
#include "adapters/redis/errors.h"
#include "adapters/redis/keyspace.h"
#include "adapters/redis/role.h"
#include "adapters/redis/server_check.h"
#include "base/config/duration_text.h"
#include "base/core/status_macros.h"
#include "gateway/commands/with_redis.h"
#include "gateway/config/adapter_settings.h"
#include "services/domain/timestamps.h"

namespace tollbridge::gateway {
namespace {

using std::chrono::milliseconds;

std::int64_t Number(std::string_view text) { return redis::ParseInteger(text).value_or(0); }

WallTime TimeOf(std::string_view text) { return WallTime(milliseconds(Number(text))); }

/// "since until" of a project on the list; nullopt for any other text.
std::optional<Doubt> OwnDoubt(const redis::Reply& reply) {
  const std::size_t space = reply.text.find(' ');
  if (reply.is_nil() || space == std::string::npos) return std::nullopt;
  const auto since = redis::ParseInteger(std::string_view(reply.text).substr(0, space));
  const auto until = redis::ParseInteger(std::string_view(reply.text).substr(space + 1));
  if (!since || !until) return std::nullopt;
  return Doubt{WallTime(milliseconds(*since)), WallTime(milliseconds(*until))};
}

Async<redis::Reply> Ask(redis::Connection& connection, redis::Command command, BootTime deadline) {
  TB_CO_ASSIGN_OR_RETURN(redis::Reply reply,
                         co_await connection.Execute(std::move(command), deadline));
  TB_CO_RETURN_IF_ERROR(redis::StatusOf(reply));
  co_return reply;
}

/// "epoch cause" or "epoch cause lasting"; that of another epoch says nothing of this one.
void ReadCause(std::string_view text, StoreStatus* status) {
  if (status->epoch.empty() || !text.starts_with(status->epoch + " ")) return;
  text.remove_prefix(status->epoch.size() + 1);
  const std::size_t space = std::min(text.find(' '), text.size());
  status->cause = text.substr(0, space);
  if (space < text.size()) status->lasting = text.substr(space + 1);
}

/// What a cause is to a person.
std::string Meaning(std::string_view cause) {
  if (cause == "memory_lost") return "Redis lost its memory: it was empty, or replaced";
  if (cause == "failover") return "Redis failed over: a replica became the primary";
  if (cause == "restart") return "Redis was restarted";
  return "not known";
}

AsyncStatus ReadEpoch(redis::Connection& connection, const redis::Keyspace& keyspace,
                      StoreStatus* status, BootTime deadline) {
  redis::Command ask = {"HMGET", keyspace.epoch_key(), "id", "layout", "run", "since", "until",
                        "cause"};
  const std::size_t fixed = ask.size() - 2;
  for (const auto& [name, project] : keyspace.projects()) ask.push_back(project.keys);
  TB_CO_ASSIGN_OR_RETURN(const redis::Reply found,
                         co_await Ask(connection, std::move(ask), deadline));
  if (found.elements.size() != fixed + keyspace.projects().size()) {
    co_return redis::UnexpectedReply("HMGET");
  }
  TB_CO_ASSIGN_OR_RETURN(const redis::Reply time, co_await Ask(connection, {"TIME"}, deadline));
  if (time.elements.size() != 2) co_return redis::UnexpectedReply("TIME");
  status->now = WallTime(milliseconds((Number(time.elements[0].text) * 1000) +
                                      (Number(time.elements[1].text) / 1000)));
  TB_CO_ASSIGN_OR_RETURN(const redis::Reply server,
                         co_await Ask(connection, {"INFO", "server"}, deadline));
  status->redis_version = redis::InfoValue(server.text, "redis_version");
  status->epoch = found.elements[0].text;
  status->layout = found.elements[1].text;
  status->same_server = found.elements[2].text == redis::InfoValue(server.text, "run_id");
  status->doubt = {TimeOf(found.elements[3].text), TimeOf(found.elements[4].text)};
  ReadCause(found.elements[5].text, status);
  std::size_t at = fixed;
  for (const auto& [name, project] : keyspace.projects()) {
    status->projects.push_back({.name = name, .own = OwnDoubt(found.elements[at++])});
  }
  co_return absl::OkStatus();
}

AsyncStatus ReadServer(redis::Connection& connection, bool strict, StoreStatus* status,
                       BootTime deadline) {
  TB_CO_ASSIGN_OR_RETURN(status->memory, co_await redis::ReadMemoryUse(connection, deadline));
  TB_CO_ASSIGN_OR_RETURN(const redis::Reply role, co_await Ask(connection, {"ROLE"}, deadline));
  TB_CO_ASSIGN_OR_RETURN(status->replicas, redis::ReplicasOfPrimary(role));
  TB_CO_ASSIGN_OR_RETURN(
      status->warnings,
      co_await redis::CheckServer(
          connection, {.strict = strict, .min_replicas = status->min_replicas}, deadline));
  co_return absl::OkStatus();
}

Async<StoreStatus> Read(redis::Connection& connection, redis::Keyspace keyspace, bool strict,
                        StoreStatus status, BootTime deadline) {
  TB_CO_RETURN_IF_ERROR(co_await ReadEpoch(connection, keyspace, &status, deadline));
  TB_CO_RETURN_IF_ERROR(co_await ReadServer(connection, strict, &status, deadline));
  co_return status;
}

/// Of a project: that of the store, or its own where that lasts longer.
Doubt DoubtOf(const StoreStatus& status, const StoreStatus::Project& project) {
  return project.own && project.own->until > status.doubt.until ? *project.own : status.doubt;
}

/// After lost memory the projects are put on the new list, each in a doubt of its own, a moment
/// after the epoch was written: that is one doubt.
constexpr std::chrono::minutes kListedLater{1};

std::string CauseOf(const StoreStatus& status, const StoreStatus::Project& project) {
  if (project.own && project.own->until > status.doubt.until + kListedLater) {
    return "the project is new to this store: it was configured without init-store, or moved here";
  }
  return CauseOf(status);
}

/// To the second: nobody waits for less.
std::string Seconds(milliseconds span) {
  std::int64_t left = std::chrono::ceil<std::chrono::seconds>(span).count();
  std::string text;
  for (const auto& [unit, seconds] : {std::pair{" h ", 3600}, std::pair{" min ", 60}}) {
    if (left >= seconds) absl::StrAppend(&text, left / seconds, unit);
    left %= seconds;
  }
  return absl::StrCat(text, left, " s");
}

std::string Megabytes(std::int64_t bytes) { return absl::StrCat(bytes / 1'000'000, " MB"); }

/// What will be as soon as a gateway comes by; empty where nothing will.
std::string Coming(const StoreStatus& status) {
  if (status.epoch.empty()) {
    return absl::StrCat(
        "it has no epoch: it is new, or has lost its memory. The next gateway doubts it for ",
        config::FormatDuration(status.memory_lost_doubt),
        "; only a first installation has init-store (docs/runbooks/store-doubtful.md)");
  }
  if (!status.same_server) {
    return absl::StrCat(
        "another process answers than when a gateway looked last: a restart or a failover. The "
        "next gateway doubts it for ",
        config::FormatDuration(status.failover_doubt));
  }
  return {};
}

std::string ProjectLine(const StoreStatus& status, const StoreStatus::Project& project) {
  const std::string start = absl::StrCat("project ", project.name, ": ");
  if (!status.epoch.empty() && !project.own) {
    return absl::StrCat(start, "not on the store's list; the next gateway doubts it for ",
                        config::FormatDuration(status.memory_lost_doubt), "\n");
  }
  const Doubt doubt = DoubtOf(status, project);
  if (doubt.until <= status.now) return start + "not doubted\n";
  return absl::StrCat(start, "DOUBTED since ", domain::ToRfc3339(doubt.since), " until ",
                      domain::ToRfc3339(doubt.until), ", ", Seconds(doubt.until - status.now),
                      " to go\n  cause: ", CauseOf(status, project), "\n");
}

}  // namespace

absl::StatusOr<StoreStatus> ReadStoreStatus(const Config& config, const Store& store,
                                            const Secrets& secrets, Reader reader) {
  const redis::Settings& settings = *store.settings;
  StoreStatus status;
  status.name = store.name == kOnlyStore ? "" : store.name;
  status.address = settings.sentinels.empty()
                       ? settings.address
                       : absl::StrCat(settings.connection.sentinel.master, " at the Sentinels ",
                                      absl::StrJoin(settings.sentinels, ", "));
  status.min_replicas = settings.store.min_replicas;
  status.memory_lost_doubt = settings.store.memory_lost_doubt;
  status.failover_doubt = settings.store.failover_doubt;
  const domain::Projects kept = KeptIn(store, config, MakeProjects(config, secrets, ""));
  const bool strict = reader == Reader::kGateway && config.process.environment == "production";
  return WithRedis<StoreStatus>(
      config, store, secrets, [&](redis::Connection& connection, BootTime deadline) {
        return Read(connection, {settings.key_prefix, kept}, strict, status, deadline);
      });
}

bool IsDoubtful(const StoreStatus& status) {
  return !Coming(status).empty() ||
         std::ranges::any_of(status.projects, [&](const StoreStatus::Project& project) {
           return !project.own || DoubtOf(status, project).until > status.now;
         });
}

std::string CauseOf(const StoreStatus& status) {
  if (!status.cause.empty() && status.lasting.empty()) return Meaning(status.cause);
  if (!status.cause.empty()) {
    return absl::StrCat(Meaning(status.cause),
                        ", while it was doubted already; the earlier doubt lasts longer: ",
                        Meaning(status.lasting));
  }
  const milliseconds length = status.doubt.until - status.doubt.since;
  if (length == status.memory_lost_doubt) return "Redis lost its memory: it was empty, or replaced";
  if (length == status.failover_doubt) return "Redis was restarted or failed over";
  if (length > status.failover_doubt && length < status.memory_lost_doubt) {
    return "Redis was restarted or failed over while it was doubted already; the earlier doubt "
           "lasts longer";
  }
  return "not known: the doubt is of another length than the settings now say";
}

std::string StoreText(const StoreStatus& status) {
  std::string text = absl::StrCat("store ", status.name.empty() ? "" : status.name + " ", "at ",
                                  status.address, ", Redis ", status.redis_version, "\n");
  absl::StrAppend(&text, "epoch ", status.epoch.empty() ? "none" : status.epoch, "\n");
  if (const std::string coming = Coming(status); !coming.empty()) {
    absl::StrAppend(&text, "DOUBTFUL: ", coming, "\n");
  }
  for (const StoreStatus::Project& project : status.projects) {
    absl::StrAppend(&text, ProjectLine(status, project));
  }
  absl::StrAppend(&text, "memory: ", Megabytes(status.memory.used_bytes), " of ",
                  status.memory.max_bytes == 0 ? "no bound" : Megabytes(status.memory.max_bytes),
                  ", ", status.memory.policy, "\nreplicas: ", status.replicas, " connected, ",
                  status.min_replicas, " needed\n");
  for (const std::string& warning : status.warnings) {
    absl::StrAppend(&text, "warning: ", warning, "\n");
  }
  return text;
}

boost::json::object StoreJson(const StoreStatus& status) {
  boost::json::array projects;
  for (const StoreStatus::Project& project : status.projects) {
    boost::json::object one = {{"project", project.name}, {"listed", project.own.has_value()}};
    const Doubt doubt = DoubtOf(status, project);
    one["doubted"] = doubt.until > status.now;
    if (doubt.until > status.now) {
      one["since"] = domain::ToRfc3339(doubt.since);
      one["until"] = domain::ToRfc3339(doubt.until);
      one["cause"] = CauseOf(status, project);
    }
    projects.push_back(std::move(one));
  }
  boost::json::object json = {
      {"store", status.name},
      {"address", status.address},
      {"redis_version", status.redis_version},
      {"time", domain::ToRfc3339(status.now)},
      {"epoch", status.epoch},
      {"layout", status.layout},
      {"doubtful", IsDoubtful(status)},
      {"projects", std::move(projects)},
      {"memory",
       {{"used_bytes", status.memory.used_bytes},
        {"max_bytes", status.memory.max_bytes},
        {"eviction", status.memory.policy}}},
      {"replicas", {{"connected", status.replicas}, {"needed", status.min_replicas}}},
      {"warnings", boost::json::array(status.warnings.begin(), status.warnings.end())}};
  if (const std::string coming = Coming(status); !coming.empty()) json["problem"] = coming;
  return json;
}

}  // namespace tollbridge::gateway
