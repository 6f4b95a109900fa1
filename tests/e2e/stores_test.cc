// Several stores: what happens to one is no other's project's, and a project that comes to another
// store runs no old key again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/e2e/support/mutations.h"
#include "tests/e2e/support/payments.h"
#include "tests/e2e/tenant.h"
#include "tests/support/process.h"
#include "tests/support/stack.h"

namespace tollbridge::test {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

StackOptions TwoStores(bool two_projects) {
  return {.settings = ShortIntervals(),
          .sandbox_arguments = ImmediateSandbox(),
          .two_projects = two_projects,
          .two_stores = true};
}

/// All kinds whose effects can be counted.
std::vector<Mutation> PrepareAll(Stack& stack, const std::string& name) {
  std::vector<Mutation> mutations;
  for (const Kind kind : kKinds) mutations.push_back(Prepare(stack, kind, name));
  for (const Kind kind : kPayoutKinds) mutations.push_back(Prepare(stack, kind, name));
  return mutations;
}

/// Calls each until it is definite, side by side, and expects a result and one effect.
void ExpectOneEffectEach(Stack& stack, const std::vector<Mutation>& mutations) {
  std::vector<Told> told(mutations.size());
  {
    std::vector<std::jthread> callers;
    for (std::size_t i = 0; i < mutations.size(); ++i) {
      callers.emplace_back([&, i] { told[i] = CallUntilDefinite(stack.grpc(), mutations[i]); });
    }
  }
  for (std::size_t i = 0; i < mutations.size(); ++i) {
    SCOPED_TRACE(RpcOf(mutations[i].kind) + ": " + told[i].text());
    EXPECT_TRUE(told[i].result);
    EXPECT_EQ(Effects(stack, mutations[i]), 1U);
  }
}

/// Whether the store has the project on its list.
bool Lists(const RedisServer& redis) {
  const Finished found =
      Run({"redis-cli", "-p", std::to_string(redis.port()), "HEXISTS", "tb:epoch", DemoKey("")});
  return found.output == "1\n";
}

TEST(StoresTest, AProjectThatMovesRunsNoOldKeyAgain) {
  Stack stack(TwoStores(false));
  const std::vector<Mutation> before = PrepareAll(stack, "before");
  ExpectOneEffectEach(stack, before);
  const Mutation link = Prepare(stack, Kind::kCreatePaymentLink, "before");
  ASSERT_TRUE(CallUntilDefinite(stack.grpc(), link).result);
  const auto links = [&] {
    return boost::json::parse(
               stack.Http("GET", stack.sandbox_url() + "/_sandbox/payment-links").body)
        .as_array()
        .size();
  };
  ASSERT_EQ(links(), 1U);

  stack.Move(kDemoProject, "second");
  const Finished initialized =
      stack.Tollbridge({"init-store", "--first-installation", "--config", stack.config_path()});
  EXPECT_NE(initialized.code, 0) << "it has a past";
  EXPECT_THAT(initialized.error, HasSubstr("has records of the project demo"));
  stack.StartGateway();
  ExpectOneEffectEach(stack, before);
  EXPECT_FALSE(Lists(stack.redis()));
  EXPECT_TRUE(Lists(stack.second_redis()));
  EXPECT_FALSE(CallOnce(stack.grpc(), link).result) << "nothing shows whether it was made";
  EXPECT_EQ(links(), 1U);
  const std::vector<Mutation> meanwhile = PrepareAll(stack, "meanwhile");
  ExpectOneEffectEach(stack, meanwhile);

  // It was a mistake: the first store never heard of the keys that were used meanwhile.
  stack.Move(kDemoProject, "first");
  stack.StartGateway();
  ExpectOneEffectEach(stack, meanwhile);
  ExpectOneEffectEach(stack, before);
  EXPECT_TRUE(CallOnce(stack.grpc(), link).result) << "its record is there";
  EXPECT_EQ(links(), 1U);
  EXPECT_TRUE(Lists(stack.redis()));
  EXPECT_FALSE(Lists(stack.second_redis()));
}

TEST(StoresTest, WhileOldAndNewProcessesDisagreeNoKeyRunsTwice) {
  Stack stack(TwoStores(false));
  const std::vector<Mutation> mutations = PrepareAll(stack, "rollout");
  stack.Move(kDemoProject, "second");
  const std::unique_ptr<GatewayProcess> moved = stack.OneMoreGateway();
  // Each key at both, again and again, for as long as several quarantines.
  const auto until = std::chrono::steady_clock::now() + seconds(8);
  {
    std::vector<std::jthread> callers;
    for (const Mutation& mutation : mutations) {
      for (GrpcClient* client : {&stack.grpc(), &moved->grpc()}) {
        callers.emplace_back([&mutation, client, until] {
          while (std::chrono::steady_clock::now() < until) CallOnce(*client, mutation, seconds(2));
        });
      }
    }
  }
  for (const Mutation& mutation : mutations) {
    EXPECT_LE(Effects(stack, mutation), 1U) << RpcOf(mutation.kind);
  }
  // The rollout ends.
  stack.StartGateway();
  ExpectOneEffectEach(stack, mutations);
}

TEST(StoresTest, AProjectThatIsNewToItsStoreWaitsForAnotherThatCannotBeTold) {
  Stack stack(TwoStores(false));
  const Mutation order = Prepare(stack, Kind::kCreate, "told");
  stack.Move(kDemoProject, "second");
  stack.redis().Stop();
  stack.StartGateway();
  const Told told = CallOnce(stack.grpc(), order);
  EXPECT_EQ(told.status.reason, "STORE_UNAVAILABLE") << told.text();
  EXPECT_EQ(Effects(stack, order), 0U);
  EXPECT_FALSE(Lists(stack.second_redis()));
  stack.redis().Restart();
  ExpectOneEffectEach(stack, {order});
}

TEST(StoresTest, AProjectThatIsNewToItsStoreHoldsUpNoOtherThere) {
  TwoTenants tenants(TwoStores(true));
  Stack& stack = tenants.stack;
  stack.Move(kDemoProject, "second");
  stack.redis().Stop();
  stack.StartGateway();
  for (int i = 0; i < 20; ++i) {
    const std::string name = "call-" + std::to_string(i);
    EXPECT_EQ(tenants.demo.Send(*tenants.demo.Ready(Kind::kCreate, name)).status.reason,
              "STORE_UNAVAILABLE");
    const RpcReply reply = tenants.shop.Send(*tenants.shop.Ready(Kind::kCreate, name));
    EXPECT_TRUE(reply.status.ok()) << EndOf(reply) << reply.status.message;
  }
}

TEST(StoresTest, OneDiesAndTheProjectsOfTheOtherNoticeNothing) {
  TwoTenants tenants(TwoStores(true));
  Stack& stack = tenants.stack;
  const Request before = tenants.shop.Ready(Kind::kCreate, "before");
  const RpcReply first = tenants.shop.Send(*before);
  ASSERT_TRUE(first.status.ok()) << EndOf(first) << first.status.message;
  stack.second_redis().Stop();
  ASSERT_TRUE(
      Eventually([&] { return stack.Metric(R"(tollbridge_store_ready{store="second"})") == 0; }));

  const Request refused = tenants.shop.Ready(Kind::kCreate, "refused");
  EXPECT_EQ(tenants.shop.Send(*refused).status.reason, "STORE_UNAVAILABLE");
  std::size_t slow = 0;
  constexpr int kCalls = 200;
  for (int i = 0; i < kCalls; ++i) {
    const Request create = tenants.demo.Ready(Kind::kCreate, "meanwhile-" + std::to_string(i));
    const auto began = std::chrono::steady_clock::now();
    const RpcReply reply = tenants.demo.Send(*create);
    ASSERT_TRUE(reply.status.ok()) << EndOf(reply) << reply.status.message;
    if (std::chrono::steady_clock::now() - began > seconds(1)) ++slow;
  }
  EXPECT_EQ(slow, 0U);
  // What works on what is there goes on for the one, and the loops of the other harm nothing.
  const double passes = stack.Metric(R"(tollbridge_resolver_passes_total{project="demo"})");
  EXPECT_TRUE(Eventually([&] {
    return stack.Metric(R"(tollbridge_resolver_passes_total{project="demo"})") > passes + 5;
  }));
  EXPECT_TRUE(Eventually([&] {
    return stack.Metric(R"(tollbridge_operations_unresolved{project="demo",state="unknown"})") ==
               0 &&
           stack.Metric(R"(tollbridge_oldest_undrained_operation_record_seconds{project="demo"})") <
               1;
  })) << "its gauges are shown";
  EXPECT_EQ(stack.Metric(R"(tollbridge_store_ready{store="first"})"), 1);

  stack.second_redis().Restart();
  EXPECT_TRUE(Eventually([&] { return tenants.shop.Send(*refused).status.ok(); }));
  EXPECT_TRUE(tenants.shop.Send(*before).status.ok());
}

}  // namespace
}  // namespace tollbridge::test
