#include "gateway/config/stores.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "base/config/config_schema.h"

namespace tollbridge::gateway {
namespace {

using Problems = std::vector<std::string>;

/// Everything that was set, as text.
std::string TextOf(redis::Settings settings) {
  config::Section section("", "");
  redis::Describe(section, &settings);
  std::string text;
  section.Print(0, false, &text);
  return text;
}

/// Where its keys are: two stores must not have the same.
std::string PlaceOf(const redis::Settings& settings) {
  std::vector<std::string> servers = settings.sentinels;
  std::ranges::sort(servers);
  if (servers.empty()) servers.push_back(settings.address);
  return absl::StrCat(absl::StrJoin(servers, ","), " ", settings.connection.sentinel.master, " ",
                      settings.connection.database, " ", settings.key_prefix);
}

/// What fits together in the settings of one.
void CheckOne(const Config& config, const Store& store, Problems* problems) {
  const redis::Settings& settings = *store.settings;
  const redis::SentinelOptions& sentinel = settings.connection.sentinel;
  const auto add = [&](std::string_view setting, std::string_view what) {
    problems->push_back(
        absl::StrCat(store.setting, ".", std::string(setting), ": ", std::string(what)));
  };
  if (settings.store.min_replicas > 0 &&
      settings.store.replica_timeout >= config.operations.settings.store_timeout) {
    add("replica_timeout", "must be shorter than operations.store_timeout");
  }
  // The project's id in braces is what its keys share a slot by: the first braces of a key.
  if (settings.key_prefix.find_first_of("{}") != std::string::npos) {
    add("key_prefix", "must be without braces");
  }
  if (settings.sentinels.empty()) {
    for (const auto& [name, value] :
         {std::pair{"sentinel_master", &sentinel.master},
          std::pair{"sentinel_username", &sentinel.user},
          std::pair{"sentinel_password_file", &settings.sentinel_password_file}}) {
      if (!value->empty()) add(name, absl::StrCat("is for ", store.setting, ".sentinels"));
    }
    return;
  }
  if (sentinel.master.empty()) {
    add("sentinel_master", absl::StrCat("is required with ", store.setting, ".sentinels"));
  }
  if (settings.address != redis::Settings::kDefaultAddress) {
    add("address", absl::StrCat("is not used with ", store.setting, ".sentinels, leave it out"));
  }
  // A primary that is cut off believes that it is one: its claims must not count.
  if (config.IsProduction() && config.HasRole("rpc") && settings.store.min_replicas == 0) {
    add("min_replicas", absl::StrCat("must be at least 1 with ", store.setting,
                                     ".sentinels in production, and a majority of the replicas"));
  }
}

void CheckNames(const std::vector<Store>& stores, Problems* problems) {
  std::set<std::string> names;
  std::set<std::string> places;
  for (const Store& store : stores) {
    if (store.name.empty()) problems->push_back(store.setting + ".name: is required");
    if (!names.insert(store.name).second) {
      problems->push_back(store.setting + ".name: is another store's name too");
    }
    if (!places.insert(PlaceOf(*store.settings)).second) {
      problems->push_back(store.setting +
                          ": has the servers, the database and the key_prefix of another store");
    }
  }
}

void CheckProjects(const Config& config, const std::vector<Store>& stores, Problems* problems) {
  std::vector<std::string> names;
  for (const Store& store : stores) names.push_back(store.name);
  for (std::size_t i = 0; i < config.projects.size(); ++i) {
    const std::string& named = config.projects[i].store;
    const std::string path = absl::StrCat("projects[", i, "].store: ");
    if (config.stores.empty()) {
      if (!named.empty()) problems->push_back(path + "is for stores");
    } else if (named.empty()) {
      problems->push_back(path + "is required with stores");
    } else if (std::ranges::find(names, named) == names.end()) {
      problems->push_back(absl::StrCat(path, "there is no store '", named, "'; there are ",
                                       absl::StrJoin(names, ", ")));
    }
  }
}

}  // namespace

std::vector<Store> StoresOf(const Config& config) {
  if (config.stores.empty()) {
    return {{.name = std::string(kOnlyStore), .setting = "redis", .settings = &config.redis}};
  }
  std::vector<Store> stores;
  for (const StoreConfig& store : config.stores) {
    stores.push_back({.name = store.name,
                      .setting = absl::StrCat("stores[", stores.size(), "]"),
                      .settings = &store.redis});
  }
  return stores;
}

bool Keeps(const Store& store, const ProjectConfig& project) {
  return store.name == (project.store.empty() ? kOnlyStore : project.store);
}

domain::Projects KeptIn(const Store& store, const Config& config,
                        const domain::Projects& projects) {
  std::vector<domain::Project> kept;
  for (const ProjectConfig& project : config.projects) {
    const domain::Project* found = projects.Find(project.name);
    if (found != nullptr && Keeps(store, project)) kept.push_back(*found);
  }
  return domain::Projects(std::move(kept));
}

std::vector<std::string> StoreProblems(const Config& config) {
  Problems problems;
  const std::vector<Store> stores = StoresOf(config);
  if (!config.stores.empty() && TextOf(config.redis) != TextOf({})) {
    problems.emplace_back("redis: is not used with stores, leave it out");
  }
  for (const Store& store : stores) CheckOne(config, store, &problems);
  CheckNames(stores, &problems);
  CheckProjects(config, stores, &problems);
  return problems;
}

}  // namespace tollbridge::gateway
