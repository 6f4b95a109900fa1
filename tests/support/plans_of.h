#ifndef TOLLBRIDGE_TESTS_SUPPORT_PLANS_OF_H_
#define TOLLBRIDGE_TESTS_SUPPORT_PLANS_OF_H_

#include <variant>
#include <vector>

#include "services/operations/method.h"

namespace tollbridge::test {

/// What stands for the mutations among `methods`.
inline std::vector<operations::PlanRegistration> PlansOf(
    const std::vector<operations::Method>& methods) {
  std::vector<operations::PlanRegistration> plans;
  for (const operations::Method& method : methods) {
    const auto* plan = std::get_if<operations::PlanRegistration>(&method.does);
    if (plan != nullptr) plans.push_back(*plan);
  }
  return plans;
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_PLANS_OF_H_
