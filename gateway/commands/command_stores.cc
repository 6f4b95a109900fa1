#include "gateway/commands/command_stores.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>

#include "base/core/boot_clock.h"
#include "base/core/status_macros.h"

namespace tollbridge::gateway {

absl::Status OpenStores(const Config& config, const Secrets& secrets,
                        const domain::Projects& projects, CommandStores& opened) {
  TB_ASSIGN_OR_RETURN(opened.stores, ShardStores::Create({.executor = opened.context.get_executor(),
                                                          .config = config,
                                                          .secrets = secrets,
                                                          .projects = projects,
                                                          .metrics = opened.metrics,
                                                          .clock = opened.clock,
                                                          .rng = opened.rng}));
  opened.stores->Start(false);
  return absl::OkStatus();
}

AsyncStatus AwaitStores(ShardStores& stores, const std::vector<const domain::Project*>& projects,
                        std::chrono::milliseconds limit) {
  for (const auto& store : stores.all()) {
    const bool needed = std::ranges::any_of(projects, [&](const domain::Project* project) {
      return store->kept().Find(project->name) != nullptr;
    });
    if (!needed) continue;
    TB_CO_RETURN_IF_ERROR(co_await store->connection().WaitReady(BootClock::now() + limit));
  }
  co_return absl::OkStatus();
}

absl::StatusOr<std::vector<const domain::Project*>> ChosenProjects(const std::string& name,
                                                                   const domain::Projects& all) {
  std::vector<const domain::Project*> chosen;
  std::vector<std::string> names;
  for (const domain::Project& project : all.all()) {
    names.push_back(project.name);
    if (name.empty() || project.name == name) chosen.push_back(&project);
  }
  if (!chosen.empty()) return chosen;
  return absl::InvalidArgumentError(
      absl::StrCat("--project: must be one that is configured: ", absl::StrJoin(names, ", ")));
}

}  // namespace tollbridge::gateway
