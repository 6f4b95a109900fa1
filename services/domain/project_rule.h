#ifndef TOLLBRIDGE_SERVICES_DOMAIN_PROJECT_RULE_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_PROJECT_RULE_H_

#include <string_view>
#include <vector>

#include "services/domain/errors.h"
#include "services/domain/project.h"

namespace tollbridge::domain {

/// Adds what `find` says of a method's requests to `rules`, an rpc::RequestRules, which most rooms
/// do not see. `find` is given the project that the request names; nullptr when none of that name
/// is configured. `projects` outlives `rules`.
template <typename RequestRules, typename Request>
void AddProjectRule(RequestRules& rules, const Projects& projects, std::string_view method,
                    std::vector<FieldViolation> (*find)(const Request&, const Project*)) {
  rules.template Add<Request>(method, [find, &projects](const Request& request) {
    return find(request, projects.Find(request.project()));
  });
}

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_PROJECT_RULE_H_
