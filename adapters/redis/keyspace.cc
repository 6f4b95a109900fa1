#include "adapters/redis/keyspace.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <utility>

namespace tollbridge::redis {

Keyspace::Keyspace(std::string prefix, const domain::Projects& projects) {
  for (const domain::Project& project : projects.all()) {
    projects_[project.name] = absl::StrCat(prefix, "{", project.id.ToString(), "}:");
  }
  epoch_key_ = std::move(prefix) + "epoch";
}

absl::StatusOr<std::string> Keyspace::Of(std::string_view project) const {
  const auto found = projects_.find(project);
  if (found != projects_.end()) return found->second;
  return absl::FailedPreconditionError(
      absl::StrCat("no project of this name is configured: ", std::string(project)));
}

}  // namespace tollbridge::redis
