#ifndef TOLLBRIDGE_SERVICES_SANDBOX_PROJECTS_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_PROJECTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "services/base/uuid.h"

namespace tollbridge::sandbox {

/// A merchant's project with its API key (interface document, section Authentication).
struct Project {
  std::string name;
  Uuid id;
  std::string api_key;
  bool test = false;
  /// Calls that change something get 403.
  bool read_only = false;
};

/// `demo`, `shop` and `limited`: what a client can rely on without configuration.
std::vector<Project> DefaultProjects();

/// The project whose key stands in an Authorization header (`Basic base64(<API_KEY>:)`); nullptr
/// when the header is missing, broken or names no project.
const Project* Authenticate(const std::vector<Project>& projects, std::string_view authorization);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_PROJECTS_H_
