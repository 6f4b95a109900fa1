#include "adapters/redis/keyspace.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <utility>

#include "adapters/redis/errors.h"
#include "base/core/status_macros.h"

namespace tollbridge::redis {

std::string EpochKey(std::string_view prefix) { return std::string(prefix) + "epoch"; }

Keyspace::Keyspace(std::string_view prefix, const domain::Projects& projects)
    : prefix_(prefix), epoch_key_(EpochKey(prefix)) {
  for (const domain::Project& project : projects.all()) {
    projects_[project.name] = {.id = project.id, .keys = KeysOf(project.id)};
  }
}

std::string Keyspace::KeysOf(const Uuid& project) const {
  return absl::StrCat(prefix_, "{", project.ToString(), "}:");
}

absl::StatusOr<std::string> Keyspace::Of(std::string_view project) const {
  const auto found = projects_.find(project);
  if (found != projects_.end()) return found->second.keys;
  return absl::FailedPreconditionError(
      absl::StrCat("no project of this name is kept here: ", std::string(project)));
}

absl::Status CheckLayout(const Reply& epoch) {
  TB_RETURN_IF_ERROR(StatusOf(epoch));
  if (epoch.elements.size() != 2) return UnexpectedReply("the epoch");
  const bool there = !epoch.elements[0].is_nil();
  return there && epoch.elements[1].text != kLayout ? OtherLayout() : absl::OkStatus();
}

}  // namespace tollbridge::redis
