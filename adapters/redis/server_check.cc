#include "adapters/redis/server_check.h"

#include <absl/status/status.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <optional>

#include "adapters/redis/errors.h"
#include "services/base/status_macros.h"

namespace tollbridge::redis {
namespace {

/// The value of a setting; nullopt when the server does not let us read it.
Async<std::optional<std::string>> ReadSetting(Connection& connection, std::string name,
                                              BootTime deadline) {
  const absl::StatusOr<Reply> reply =
      co_await connection.Execute({"CONFIG", "GET", std::move(name)}, deadline);
  TB_CO_RETURN_IF_ERROR(reply.status());
  if (reply->type != Reply::Type::kArray || reply->elements.size() != 2) {
    co_return std::optional<std::string>();
  }
  co_return reply->elements[1].text;
}

}  // namespace

Async<std::vector<std::string>> CheckServer(Connection& connection, ServerCheckOptions options,
                                            BootTime deadline) {
  const absl::StatusOr<Reply> cluster = co_await connection.Execute({"INFO", "cluster"}, deadline);
  TB_CO_RETURN_IF_ERROR(cluster.status());
  TB_CO_RETURN_IF_ERROR(StatusOf(*cluster));
  if (absl::StrContains(cluster->text, "cluster_enabled:1")) {
    co_return absl::FailedPreconditionError(
        "Redis runs as a cluster; Tollbridge needs one primary, since an operation and its order's "
        "gate change in one script");
  }

  std::vector<std::string> warnings;
  const absl::StatusOr<std::optional<std::string>> policy =
      co_await ReadSetting(connection, "maxmemory-policy", deadline);
  TB_CO_RETURN_IF_ERROR(policy.status());
  if (!policy->has_value()) {
    warnings.emplace_back("CONFIG GET maxmemory-policy is refused: it must be noeviction");
  } else if (**policy != "noeviction") {
    warnings.push_back(absl::StrCat("maxmemory-policy is ", **policy,
                                    ": Redis may forget operations; it must be noeviction"));
  }

  const absl::StatusOr<std::optional<std::string>> append_only =
      co_await ReadSetting(connection, "appendonly", deadline);
  TB_CO_RETURN_IF_ERROR(append_only.status());
  const absl::StatusOr<std::optional<std::string>> save =
      co_await ReadSetting(connection, "save", deadline);
  TB_CO_RETURN_IF_ERROR(save.status());
  if (!append_only->has_value() || !save->has_value()) {
    warnings.emplace_back("CONFIG GET appendonly or save is refused: persistence must be on");
  } else if (**append_only != "yes" && (*save)->empty()) {
    warnings.emplace_back("persistence is off: a restart of Redis loses all operations");
  }

  if (options.strict && !warnings.empty()) {
    co_return absl::FailedPreconditionError(
        absl::StrCat("Redis is not set up to keep operations: ", absl::StrJoin(warnings, "; ")));
  }
  co_return warnings;
}

}  // namespace tollbridge::redis
