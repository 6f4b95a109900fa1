// Limits of callers, as they are written.

#include <gtest/gtest.h>

#include <string>

#include "gateway/config/config.h"
#include "gateway/config/rpc_settings.h"

namespace tollbridge::gateway {
namespace {

std::string With(const std::string& rpc) {
  return "operations: {fingerprint_keys_file: /f, outcome_keys_file: /o}\n"
         "projects:\n"
         "  - {name: shop, id: 11111111-1111-4111-8111-111111111111, api_key_file: /k}\n"
         "rpc: {" +
         rpc + "}\n";
}

TEST(CallerLimitsTest, LeaveAQuarterToOthersUnlessTheyAreSet) {
  const auto config = ParseConfig(With("max_deadline: 2m"));
  ASSERT_TRUE(config.ok()) << config.status();
  const rpc::CallerLimits& limits = config->rpc.limits_per_caller;
  EXPECT_EQ(limits.calls_per_second, 0);
  EXPECT_EQ(limits.max_in_flight * 4, config->rpc.limit_project.max_in_flight * 3);
  EXPECT_EQ(limits.max_watchers * 4, config->rpc.limit.max_watchers * 3);
}

TEST(CallerLimitsTest, AreOfAllCallersAndOfThoseWhomAnEntryCovers) {
  const auto config = ParseConfig(
      With("limits_per_caller: {calls_per_second: 50, burst: 100, max_in_flight: 10}, "
           "callers: [{identity: a.example, projects: [shop], permissions: ['payments.*'], "
           "limits: {calls_per_second: 7, max_watchers: 2}}]"));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->rpc.limits_per_caller,
            (rpc::CallerLimits{
                .calls_per_second = 50, .burst = 100, .max_in_flight = 10, .max_watchers = 7'500}));
  EXPECT_EQ(RpcAccess(*config).callers.front().limits,
            (rpc::CallerLimits{.calls_per_second = 7, .max_watchers = 2}));
}

}  // namespace
}  // namespace tollbridge::gateway
