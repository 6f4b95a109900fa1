#ifndef TOLLBRIDGE_GATEWAY_CONFIG_STORES_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_STORES_H_

#include <string>
#include <string_view>
#include <vector>

#include "gateway/config/config.h"
#include "services/domain/project.h"

namespace tollbridge::gateway {

/// The name of the store where `stores` names none.
inline constexpr std::string_view kOnlyStore = "redis";

/// A Redis that keeps projects.
struct Store {
  std::string name;
  std::string setting;              ///< where it is configured, as "redis" or "stores[0]"
  const redis::Settings* settings;  ///< of the Config it was made from
};

/// That of the section redis, or those of `stores` in their order, also one that keeps no project:
/// it has to be told which ones left it. `config` outlives them.
std::vector<Store> StoresOf(const Config& config);

/// Whether the store keeps the project.
bool Keeps(const Store& store, const ProjectConfig& project);

/// Of all projects those that the store keeps.
domain::Projects KeptIn(const Store& store, const Config& config, const domain::Projects& projects);

/// What does not fit together in the settings of stores and in what projects say of them, a line
/// each.
std::vector<std::string> StoreProblems(const Config& config);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_STORES_H_
