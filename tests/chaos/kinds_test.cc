// Chaos covers every mutation that the gateway publishes: the driver's kinds are held against the
// published methods, against the plans, and against what the auditor's tests know.

#include "tests/chaos/driver/kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "gateway/config/config.h"
#include "gateway/config/published_services.h"
#include "gateway/wiring/methods.h"
#include "services/rpc/method.h"
#include "tests/chaos/audit_world.h"
#include "tests/chaos/driver/fault_plans.h"
#include "tests/chaos/driver/options.h"

namespace tollbridge::chaos {
namespace {

using testing::HasSubstr;

/// Full names with dots.
std::set<std::string> Driven() {
  std::set<std::string> methods;
  for (const MutationKind& kind : Kinds()) methods.emplace(kind.method);
  return methods;
}

TEST(KindsTest, AreTheMutationsThatArePublished) {
  const auto methods = rpc::MethodTable::Of(
      {gateway::kPublishedServices.begin(), gateway::kPublishedServices.end()});
  ASSERT_TRUE(methods.ok()) << methods.status();
  std::set<std::string> published;
  for (const rpc::MethodInfo& method : methods->all()) {
    if (method.effect == options::v1::EFFECT_MUTATION) published.insert(method.full_name);
  }
  EXPECT_EQ(Driven(), published) << "chaos must drive every mutation, and only those";
}

TEST(KindsTest, EachIsNamedAsItsMethodIsAndMeetsFaults) {
  const std::string late = LateFaultPlan(Intervals());
  for (const MutationKind& kind : Kinds()) {
    EXPECT_TRUE(kind.method.ends_with("." + std::string(kind.rpc))) << kind.method;
    EXPECT_EQ(&KindOf(kind.rpc), &kind);
    EXPECT_FALSE(kind.routes.empty()) << kind.rpc;
    for (const std::string_view route : kind.routes) {
      EXPECT_THAT(late, HasSubstr('"' + std::string(route) + '"'));
    }
  }
}

TEST(KindsTest, AllAreInTheHistoryThatTheAuditorIsTestedWith) {
  std::set<std::string> known;
  for (const Told& told : AuditWorld().history.told) known.insert(told.rpc);
  for (const MutationKind& kind : Kinds()) {
    EXPECT_TRUE(known.contains(std::string(kind.rpc)))
        << kind.rpc << ": plant contradictions of it in audit_kinds_test.cc";
  }
}

}  // namespace
}  // namespace tollbridge::chaos
