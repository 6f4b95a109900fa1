// Two projects share a gateway and a store, use the same keys and references, and name each other's
// ids in every RPC: neither sees, changes or is told anything of the other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/published_methods.h"
#include "tests/e2e/support/payments.h"
#include "tests/e2e/tenant.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// Fields by which requests name what there is already.
constexpr std::array<const char*, 4> kNames = {"order_id", "transaction_id", "operation_id",
                                               "payment_link_id"};

std::set<std::string> Both(const std::set<std::string>& one, const std::set<std::string>& other) {
  std::set<std::string> both;
  std::ranges::set_intersection(one, other, std::inserter(both, both.end()));
  return both;
}

bool NamesSomething(const google::protobuf::Message& request) {
  return std::ranges::any_of(kNames,
                             [&](const char* name) { return !TextOf(request, name).empty(); });
}

/// A mutation under a key that nobody has used.
Request WithFreshKey(const google::protobuf::Message& request) {
  static int last = 0;
  if (!IsMutation(MethodOf(request))) return With(request, {});
  return With(request, {{"idempotency_key", "fresh-" + std::to_string(++last)}});
}

/// The same about what nobody has.
Request AboutNobodys(const google::protobuf::Message& request) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const char* const name : kNames) {
    if (!TextOf(request, name).empty()) texts.emplace_back(name, kNobodysOrder);
  }
  return With(request, texts);
}

/// One stack for all tests of this suite, in which both tenants have called every RPC.
class TenancyRpcsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    tenants_ = std::make_unique<TwoTenants>(StackOptions{.sandbox_arguments = ImmediateSandbox()});
    demo().CallEveryRpc();
    shop().CallEveryRpc();
  }
  static void TearDownTestSuite() { tenants_.reset(); }

  static Tenant& demo() { return tenants_->demo; }
  static Tenant& shop() { return tenants_->shop; }

  /// Looks from each side.
  template <typename Look>
  static void FromBothSides(const Look& look) {
    look(demo(), shop());
    look(shop(), demo());
  }
  /// What the reply tells of the other tenant beside what the request named.
  static std::set<std::string> Told(const RpcReply& reply, const google::protobuf::Message& request,
                                    const Tenant& other) {
    std::string all = reply.bytes + " " + reply.status.message + " " + reply.status.details;
    for (const auto& metadata : {reply.initial_metadata, reply.trailing_metadata}) {
      for (const auto& [name, value] : metadata) all += " " + value;
    }
    std::set<std::string> ids = Both(IdsIn(all), other.OwnIds());
    for (const std::string& named : IdsIn(request.SerializeAsString())) ids.erase(named);
    return ids;
  }

 private:
  static inline std::unique_ptr<TwoTenants> tenants_;
};

TEST_F(TenancyRpcsTest, EveryPublishedRpcIsCalledByBothTenants) {
  for (const Tenant* const tenant : {&demo(), &shop()}) {
    std::set<std::string> called;
    for (const Exchange& exchange : tenant->exchanges()) {
      called.insert(std::string(exchange.method->full_name()));
      const std::string reason = exchange.reply.status.reason;
      // Nothing waits for a person, or for a second one.
      EXPECT_TRUE(exchange.reply.status.ok() || reason == "OPERATION_NOT_IN_REVIEW" ||
                  reason == "APPROVAL_OVER")
          << exchange.method->full_name() << ": " << EndOf(exchange.reply);
    }
    for (const google::protobuf::MethodDescriptor* const method : PublishedMethods()) {
      EXPECT_TRUE(called.contains(std::string(method->full_name())))
          << method->full_name() << ": Tenant::CallEveryRpc has no call of it";
    }
  }
}

TEST_F(TenancyRpcsTest, SameKeysAndReferencesAreEachProjectsOwn) {
  EXPECT_THAT(Both(demo().OwnIds(), shop().OwnIds()), IsEmpty());
  ASSERT_THAT(shop().exchanges(), SizeIs(demo().exchanges().size()));
  for (std::size_t i = 0; i < demo().exchanges().size(); ++i) {
    const Exchange& one = demo().exchanges()[i];
    const Exchange& other = shop().exchanges()[i];
    EXPECT_EQ(EndOf(one.reply), EndOf(other.reply)) << one.method->full_name();
  }
  FromBothSides([](Tenant& tenant, Tenant& /*other*/) {
    search::v1::SearchOrdersRequest by_reference;
    by_reference.mutable_query()->mutable_filter()->set_merchant_order_id(
        "basket-every-CreateOrder");
    EXPECT_THAT(tenant.Must<search::v1::SearchOrdersResponse>(by_reference).orders(), SizeIs(1))
        << tenant.project();
  });
}

TEST_F(TenancyRpcsTest, NamingTheOthersIdsIsAnsweredAsNamingNobodys) {
  FromBothSides([](Tenant& tenant, Tenant& other) {
    // Its own operations show what it named itself.
    std::set<std::string> named_before;
    for (const Exchange& theirs : other.exchanges()) {
      if (!NamesSomething(*theirs.request)) continue;
      SCOPED_TRACE(tenant.project() + " " + std::string(theirs.method->name()) + " " +
                   theirs.request->ShortDebugString());
      const Request request = WithFreshKey(*theirs.request);
      const RpcReply named = tenant.Send(*request);
      const RpcReply nobodys = tenant.Send(*AboutNobodys(*WithFreshKey(*theirs.request)));
      EXPECT_EQ(EndOf(named), EndOf(nobodys));
      std::set<std::string> told = Told(named, *request, other);
      for (const std::string& id : named_before) told.erase(id);
      EXPECT_THAT(told, IsEmpty());
      named_before.merge(IdsIn(request->SerializeAsString()));
    }
  });
}

TEST_F(TenancyRpcsTest, AMutationOfTheOthersOrderIsRefusedForGood) {
  FromBothSides([](Tenant& tenant, Tenant& other) {
    for (const Exchange& theirs : other.exchanges()) {
      if (!IsMutation(*theirs.method) || TextOf(*theirs.request, "order_id").empty()) continue;
      SCOPED_TRACE(tenant.project() + " " + theirs.request->ShortDebugString());
      const Request request = WithFreshKey(*theirs.request);
      const RpcReply reply = tenant.Send(*request);
      EXPECT_FALSE(reply.status.ok());
      // An order that we made just now is looked for again; whose it is counts.
      const auto operation = tenant.ReadOperation(TextOf(*request, "idempotency_key"));
      ASSERT_TRUE(operation.has_value());
      EXPECT_EQ(operation->state(), operations::v1::OPERATION_STATE_DONE);
      EXPECT_EQ(operation->project(), tenant.project());
    }
  });
}

TEST_F(TenancyRpcsTest, TheOthersRequestUnderItsKeyMeetsTheOwnRecord) {
  FromBothSides([](Tenant& tenant, Tenant& other) {
    for (std::size_t i = 0; i < other.exchanges().size(); ++i) {
      const Exchange& theirs = other.exchanges()[i];
      const Exchange& own = tenant.exchanges()[i];
      if (!IsMutation(*theirs.method)) continue;
      SCOPED_TRACE(tenant.project() + " " + theirs.request->ShortDebugString());
      const RpcReply reply = tenant.Send(*theirs.request);
      const bool same = With(*theirs.request, {{"project", ""}})->SerializeAsString() ==
                        With(*own.request, {{"project", ""}})->SerializeAsString();
      EXPECT_EQ(reply.status.reason, same ? "" : "IDEMPOTENCY_KEY_REUSED");
      if (same) EXPECT_EQ(reply.bytes, own.reply.bytes) << "the own outcome, again";
      EXPECT_THAT(Told(reply, *theirs.request, other), IsEmpty());
    }
  });
}

TEST_F(TenancyRpcsTest, ListsHoldOnlyTheOwnOperations) {
  FromBothSides([](Tenant& tenant, Tenant& other) {
    for (const Exchange& theirs : other.exchanges()) {
      const std::string order = TextOf(*theirs.request, "order_id");
      if (order.empty()) continue;
      operations::v1::ListOperationsRequest about;
      about.set_order_id(order);
      about.set_page_size(500);
      const operations::v1::ListOperationsResponse listed = tenant.List(about);
      for (const operations::v1::Operation& operation : listed.operations()) {
        EXPECT_EQ(operation.project(), tenant.project());
        EXPECT_FALSE(other.OwnIds().contains(operation.id()));
      }
    }
  });
}

TEST_F(TenancyRpcsTest, WhateverOneDoesTheOthersStandingStaysTheSame) {
  FromBothSides([](Tenant& tenant, Tenant& other) {
    const std::string before = other.Standing();
    const std::size_t effects = tenant.stack().SandboxLedger().size();
    for (const Exchange& theirs : other.exchanges()) {
      tenant.Send(*theirs.request);
      if (NamesSomething(*theirs.request)) tenant.Send(*WithFreshKey(*theirs.request));
    }
    EXPECT_EQ(other.Standing(), before);
    EXPECT_EQ(tenant.stack().SandboxLedger().size(), effects);
  });
}

TEST_F(TenancyRpcsTest, AWebhookOfOneProjectAboutTheOthersOrderIsNobodysEvent) {
  Stack& stack = demo().stack();
  const auto events = stack.OpenTopic("events");
  const auto create = [](Tenant& tenant) {
    return tenant.Must<payments::v1::CreateOrderResponse>(OrderRequest("hook")).order();
  };
  const common::v1::Order theirs = create(demo());
  const common::v1::Order own = create(shop());
  const std::string body = R"({"event":"status_changed","order_id":")" + theirs.id() +
                           R"(","project_id":")" + shop().project_id() + R"("})";
  const std::string url =
      stack.ingress_origin() + "/webhooks/" + std::string(kShopProject.webhook_token);
  EXPECT_EQ(stack.Http("POST", url, body).status, 200);
  PayOnHostedPage(stack, own);
  PayOnHostedPage(stack, theirs);
  ASSERT_TRUE(AwaitEvent(*events, own.id(), kPaymentCompleted));
  ASSERT_TRUE(AwaitEvent(*events, theirs.id(), kPaymentCompleted));
  for (const TopicRecord& event : EventsOf(events->records(), theirs.id())) {
    EXPECT_EQ(event.header("ce_source"), "/tollbridge/demo");
  }
}

}  // namespace
}  // namespace tollbridge::test
