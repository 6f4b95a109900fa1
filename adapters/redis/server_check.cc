#include "adapters/redis/server_check.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "adapters/redis/errors.h"
#include "adapters/redis/role.h"
#include "adapters/redis/server_info.h"
#include "base/core/status_macros.h"

namespace tollbridge::redis {
namespace {

using Warnings = std::vector<std::string>;

/// The value of a setting; nullopt when the server does not let us read it.
Async<std::optional<std::string>> ReadSetting(CommandExecutor& server, std::string name,
                                              BootTime deadline) {
  TB_CO_ASSIGN_OR_RETURN(const Reply reply,
                         co_await server.Execute({"CONFIG", "GET", std::move(name)}, deadline));
  if (IsNotServing(reply)) co_return StatusOf(reply);
  if (reply.type != Reply::Type::kArray || reply.elements.size() != 2) {
    co_return std::optional<std::string>();
  }
  co_return reply.elements[1].text;
}

AsyncStatus RefuseCluster(CommandExecutor& server, BootTime deadline) {
  TB_CO_ASSIGN_OR_RETURN(const Reply cluster,
                         co_await server.Execute({"INFO", "cluster"}, deadline));
  TB_CO_RETURN_IF_ERROR(StatusOf(cluster));
  if (InfoValue(cluster.text, "cluster_enabled") != "1") co_return absl::OkStatus();
  co_return absl::FailedPreconditionError(
      "Redis runs as a cluster; Tollbridge needs one primary, since an operation and its order's "
      "gate change in one script");
}

AsyncStatus CheckEviction(CommandExecutor& server, Warnings* warnings, BootTime deadline) {
  TB_CO_ASSIGN_OR_RETURN(const std::optional<std::string> policy,
                         co_await ReadSetting(server, "maxmemory-policy", deadline));
  if (!policy) {
    warnings->emplace_back("CONFIG GET maxmemory-policy is refused: it must be noeviction");
  } else if (*policy != "noeviction") {
    warnings->push_back(absl::StrCat("maxmemory-policy is ", *policy,
                                     ": Redis may forget operations; it must be noeviction"));
  }
  co_return absl::OkStatus();
}

AsyncStatus CheckPersistence(CommandExecutor& server, Warnings* warnings, BootTime deadline) {
  TB_CO_ASSIGN_OR_RETURN(const std::optional<std::string> append_only,
                         co_await ReadSetting(server, "appendonly", deadline));
  TB_CO_ASSIGN_OR_RETURN(const std::optional<std::string> save,
                         co_await ReadSetting(server, "save", deadline));
  if (!append_only || !save) {
    warnings->emplace_back("CONFIG GET appendonly or save is refused: persistence must be on");
  } else if (*append_only != "yes" && save->empty()) {
    warnings->emplace_back("persistence is off: a restart of Redis loses all operations");
  }
  co_return absl::OkStatus();
}

AsyncStatus CheckReplicas(CommandExecutor& server, std::size_t wanted, Warnings* warnings,
                          BootTime deadline) {
  if (wanted == 0) co_return absl::OkStatus();
  TB_CO_ASSIGN_OR_RETURN(const Reply role, co_await server.Execute({"ROLE"}, deadline));
  TB_CO_ASSIGN_OR_RETURN(const std::size_t replicas, ReplicasOfPrimary(role));
  if (replicas < wanted) {
    warnings->push_back(absl::StrCat("the primary has ", replicas, " connected replicas and ",
                                     "min_replicas is ", wanted, ": every claim would fail"));
  }
  co_return absl::OkStatus();
}

}  // namespace

Async<Warnings> CheckServer(CommandExecutor& server, ServerCheckOptions options,
                            BootTime deadline) {
  Warnings warnings;
  TB_CO_RETURN_IF_ERROR(co_await RefuseCluster(server, deadline));
  TB_CO_RETURN_IF_ERROR(co_await CheckEviction(server, &warnings, deadline));
  TB_CO_RETURN_IF_ERROR(co_await CheckPersistence(server, &warnings, deadline));
  TB_CO_RETURN_IF_ERROR(co_await CheckReplicas(server, options.min_replicas, &warnings, deadline));
  if (options.strict && !warnings.empty()) {
    co_return absl::FailedPreconditionError(
        absl::StrCat("Redis is not set up to keep operations: ", absl::StrJoin(warnings, "; ")));
  }
  co_return warnings;
}

}  // namespace tollbridge::redis
