#include "services/sandbox/projects.h"

#include <optional>

#include "services/base/encoding.h"

namespace tollbridge::sandbox {

std::vector<Project> DefaultProjects() {
  return {
      {.name = "demo",
       .id = *Uuid::Parse("11111111-1111-4111-8111-111111111111"),
       .api_key = "sandbox-demo-key",
       .test = true},
      {.name = "shop",
       .id = *Uuid::Parse("22222222-2222-4222-8222-222222222222"),
       .api_key = "sandbox-shop-key"},
      {.name = "limited",
       .id = *Uuid::Parse("33333333-3333-4333-8333-333333333333"),
       .api_key = "sandbox-limited-key",
       .read_only = true},
  };
}

const Project* Authenticate(const std::vector<Project>& projects, std::string_view authorization) {
  constexpr std::string_view kScheme = "Basic ";
  if (!authorization.starts_with(kScheme)) return nullptr;
  const std::optional<std::string> credentials = Base64Decode(authorization.substr(kScheme.size()));
  // The password is empty, so the key is all but the colon at the end.
  if (!credentials || !credentials->ends_with(':')) return nullptr;
  const std::string_view key = std::string_view(*credentials).substr(0, credentials->size() - 1);
  for (const Project& project : projects) {
    if (ConstantTimeEqual(project.api_key, key)) return &project;
  }
  return nullptr;
}

}  // namespace tollbridge::sandbox
