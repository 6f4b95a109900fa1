#include "gateway/commands/event_tools.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <chrono>
#include <iostream>

#include "base/core/boot_clock.h"
#include "base/core/status_macros.h"
#include "gateway/commands/time_option.h"

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::seconds kStoreTimeout{5};
constexpr std::chrono::seconds kTellEach{5};

}  // namespace

absl::Status OpenStores(const Config& config, const Secrets& secrets,
                        const domain::Projects& projects, EventTools& tools) {
  TB_ASSIGN_OR_RETURN(tools.stores, ShardStores::Create({.executor = tools.context.get_executor(),
                                                         .config = config,
                                                         .secrets = secrets,
                                                         .projects = projects,
                                                         .metrics = tools.metrics,
                                                         .clock = tools.clock,
                                                         .rng = tools.rng}));
  tools.stores->Start(false);
  return absl::OkStatus();
}

AsyncStatus AwaitStores(ShardStores& stores, const std::vector<const domain::Project*>& projects) {
  for (const auto& store : stores.all()) {
    const bool needed = std::ranges::any_of(projects, [&](const domain::Project* project) {
      return store->kept().Find(project->name) != nullptr;
    });
    if (!needed) continue;
    TB_CO_RETURN_IF_ERROR(
        co_await store->connection().WaitReady(BootClock::now() + ports::Millis(kStoreTimeout)));
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

absl::StatusOr<std::optional<WallTime>> OptionalTime(std::string_view option,
                                                     const std::string& text, WallTime now) {
  if (text.empty()) return std::nullopt;
  TB_ASSIGN_OR_RETURN(const WallTime time, TimeOption(option, text, now));
  return time;
}

void Progress::operator()(std::string_view what, std::uint64_t count) {
  const BootTime now = BootClock::now();
  if (!told_) told_ = now;
  if (now - *told_ < kTellEach) return;
  told_ = now;
  std::cerr << count << " " << what << "\n";
}

}  // namespace tollbridge::gateway
