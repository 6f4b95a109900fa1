// What one caller may take, and that it takes nothing of another's: two callers with certificates,
// against the product as it is deployed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/integration/rpc/certificates.h"
#include "tests/support/process.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

constexpr const char* kWatchOrder = "tollbridge.payments.v1.Payments.WatchOrder";
constexpr int kResourceExhausted = 8;
constexpr const char* kHonest = "URI:spiffe://shop.example/honest";

/// Calls that have ended. Any thread.
class Ended {
 public:
  void Add(RpcStatus status) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(status));
  }
  std::vector<RpcStatus> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<RpcStatus> all_;
};

/// The product on one shard, with few places, and a caller who may have half of them.
class CallerLimitsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { world_ = std::make_unique<World>(); }
  static void TearDownTestSuite() { world_.reset(); }
  static Stack& stack() { return *world_->stack; }

  static std::unique_ptr<GrpcClient> ClientOf(const std::string& names) {
    const Certified own = world_->callers.Issue(names);
    return std::make_unique<GrpcClient>(
        stack().grpc_address(), RpcTls{world_->servers.certificate(), own.key, own.certificate});
  }
  static double Limited(const std::string& limit) {
    return stack().Metric("tollbridge_rpc_caller_limited_total{limit=\"" + limit + "\"}");
  }
  static double Claimed() {
    return stack().Metric(
        "tollbridge_operations_total{project=\"demo\","
        "rpc=\"tollbridge.payments.v1.Payments/CreateOrder\",state=\"running\"}");
  }

 private:
  struct World {
    World() {
      const Certified server = servers.Issue("IP:127.0.0.1");
      const std::string tls =
          "{enabled: true, certificate_file: " + folder.Write("chain.pem", server.certificate) +
          ", private_key_file: " + folder.Write("key.pem", server.key) +
          ", client_ca_file: " + folder.Write("client-ca.pem", callers.certificate()) + "}";
      const std::string what = "projects: [demo], permissions: ['payments.*']";
      const std::string grants = "[{identity: 'spiffe://shop.example/*', " + what +
                                 "}, {identity: 'spiffe://shop.example/fast', " + what +
                                 ", limits: {calls_per_second: 1, burst: 2}}, {identity: "
                                 "'spiffe://shop.example/greedy', " +
                                 what + ", limits: {max_in_flight: 1, max_watchers: 1}}]";
      stack = std::make_unique<Stack>(StackOptions{.settings = {{"process", {{"shards", "1"}}},
                                                                {"rpc",
                                                                 {{"tls", tls},
                                                                  {"callers", grants},
                                                                  {"max_in_flight", "2"},
                                                                  {"max_watchers", "2"}}}}});
    }

    TempFolder folder;
    Authority servers;
    Authority callers;
    std::unique_ptr<Stack> stack;
  };
  static inline std::unique_ptr<World> world_;
};

TEST_F(CallerLimitsTest, ACallerThatCallsTooFastIsRefusedAtNoCostAndAnotherIsServed) {
  constexpr int kCalls = 60;
  const auto fast = ClientOf("URI:spiffe://shop.example/fast");
  const auto honest = ClientOf(kHonest);
  const std::size_t orders_before = stack().SandboxOrders().size();
  const double claimed_before = Claimed();
  std::size_t taken = 0;
  for (int i = 0; i < kCalls; ++i) {
    const RpcReply reply = fast->Call(kCreateOrder, OrderRequest("fast-" + std::to_string(i)));
    if (reply.status.ok()) {
      ++taken;
      continue;
    }
    ASSERT_EQ(reply.status.code, kResourceExhausted);
    ASSERT_EQ(reply.status.reason, "CALLER_LIMIT");
    EXPECT_EQ(reply.status.metadata.at("retry"), "SAFE_SAME_KEY");
    EXPECT_EQ(reply.status.metadata.at("limit"), "calls_per_second");
    ASSERT_TRUE(reply.status.retry_delay.has_value());
    EXPECT_LE(*reply.status.retry_delay, std::chrono::seconds(1));
    if (i % 10 != 0) continue;
    const RpcReply other = honest->Call(kCreateOrder, OrderRequest("honest-" + std::to_string(i)));
    EXPECT_TRUE(other.status.ok()) << other.status.message;
    ++taken;
  }
  EXPECT_LT(taken, static_cast<std::size_t>(kCalls));
  EXPECT_GT(Limited("calls_per_second"), 0);
  EXPECT_EQ(stack().SandboxOrders().size() - orders_before, taken);
  EXPECT_EQ(Claimed() - claimed_before, static_cast<double>(taken));
}

TEST_F(CallerLimitsTest, ACallerWhoseCallsAreSlowLeavesAPlaceToAnother) {
  const auto greedy = ClientOf("URI:spiffe://shop.example/greedy");
  const auto honest = ClientOf(kHonest);
  const auto order = OrderOf(honest->Call(kCreateOrder, OrderRequest("to-be-read")));
  stack().SandboxFaults(R"({"rules": [{"on": {"operation": "create_order"},
                            "fault": {"kind": "latency", "milliseconds": 8000}}]})");
  constexpr int kCalls = 4;
  // Shared with the calls, which may end after a test that has failed.
  const auto ended = std::make_shared<Ended>();
  for (int i = 0; i < kCalls; ++i) {
    greedy->Start(kCreateOrder, OrderRequest("slow-" + std::to_string(i)).SerializeAsString(), {},
                  [ended](const RpcReply& reply) { ended->Add(reply.status); });
  }
  // One is under way at the payment service.
  ASSERT_TRUE(Eventually([&] { return ended->all().size() == kCalls - 1; }));
  const std::vector<RpcStatus> refused = ended->all();
  payments::v1::GetOrderRequest request;
  request.set_order_id(order.id());
  const RpcReply served = honest->Call(kGetOrder, request);
  EXPECT_TRUE(served.status.ok()) << served.status.message;
  for (const RpcStatus& status : refused) {
    EXPECT_EQ(status.reason, "CALLER_LIMIT");
    EXPECT_EQ(status.metadata.at("limit"), "max_in_flight");
  }
  stack().SandboxFaults("{}");
  ASSERT_TRUE(Eventually([&] { return ended->all().size() == kCalls; }));
}

TEST_F(CallerLimitsTest, ACallerThatWatchesAllItMayLeavesWatchersToAnother) {
  const auto greedy = ClientOf("URI:spiffe://shop.example/greedy");
  const auto honest = ClientOf(kHonest);
  payments::v1::WatchOrderRequest request;
  request.set_order_id(OrderOf(honest->Call(kCreateOrder, OrderRequest("watched"))).id());
  const auto watch = [&](GrpcClient& client) {
    return client.OpenStream(kWatchOrder, request.SerializeAsString());
  };
  const auto first = watch(*greedy);
  ASSERT_TRUE(first->Read().has_value());
  const auto second = watch(*greedy);
  EXPECT_FALSE(second->Read().has_value());
  const RpcStatus refused = second->Finish();
  EXPECT_EQ(refused.reason, "CALLER_LIMIT");
  EXPECT_EQ(refused.metadata.at("limit"), "max_watchers");
  EXPECT_TRUE(watch(*honest)->Read().has_value());
}

}  // namespace
}  // namespace tollbridge::test
