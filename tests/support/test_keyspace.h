#ifndef TOLLBRIDGE_TESTS_SUPPORT_TEST_KEYSPACE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_TEST_KEYSPACE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/redis/keyspace.h"
#include "services/domain/project.h"

namespace tollbridge::test {

/// The projects that the stores of unit and contract tests serve.
inline const domain::Projects& StoreProjects() {
  static const domain::Projects projects([] {
    std::vector<domain::Project> all;
    for (const auto& [name, id] : {std::pair{"shop", "3b241101-e2bb-4255-8caf-4136c566a962"},
                                   std::pair{"stall", "3b241101-e2bb-4255-8caf-4136c566a963"},
                                   std::pair{"demo", "3b241101-e2bb-4255-8caf-4136c566a964"},
                                   std::pair{"another", "3b241101-e2bb-4255-8caf-4136c566a965"},
                                   std::pair{"shops", "3b241101-e2bb-4255-8caf-4136c566a966"},
                                   std::pair{"other", "3b241101-e2bb-4255-8caf-4136c566a968"},
                                   std::pair{"travel", "3b241101-e2bb-4255-8caf-4136c566a967"}}) {
      domain::Project project;
      project.name = name;
      project.id = *Uuid::Parse(id);
      all.push_back(std::move(project));
    }
    return all;
  }());
  return projects;
}

inline const redis::Keyspace& TestKeyspace() {
  static const redis::Keyspace keyspace("tb:", StoreProjects());
  return keyspace;
}

/// What the keys of a project begin with.
inline std::string KeysOf(std::string_view project) { return TestKeyspace().Of(project).value(); }
inline std::string ShopKeys() { return KeysOf("shop"); }

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_TEST_KEYSPACE_H_
