#include "services/domain/project.h"

namespace tollbridge::domain {

const Project* Projects::Find(std::string_view name) const {
  if (name.empty()) return projects_.size() == 1 ? &projects_.front() : nullptr;
  for (const Project& project : projects_) {
    if (project.name == name) return &project;
  }
  return nullptr;
}

const Project* Projects::FindById(const Uuid& id) const {
  for (const Project& project : projects_) {
    if (project.id == id) return &project;
  }
  return nullptr;
}

}  // namespace tollbridge::domain
