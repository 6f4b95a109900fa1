// WatchOrder across processes: what one of them has read, the watchers of all others see.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/support/read_file.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

constexpr std::string_view kWatchOrder = "tollbridge.payments.v1.Payments.WatchOrder";
constexpr int kOk = 0;
constexpr int kResourceExhausted = 8;
constexpr int kUnavailable = 14;
// Longer than it takes to open thousands of them on a busy machine.
constexpr std::chrono::minutes kLong{5};

std::unique_ptr<RpcStream> Watch(GrpcClient& client, const std::string& order_id) {
  payments::v1::WatchOrderRequest request;
  request.set_order_id(order_id);
  return client.OpenStream(kWatchOrder, request.SerializeAsString(), {.deadline = kLong});
}

std::optional<payments::v1::WatchOrderResponse> Next(RpcStream& stream) {
  const std::optional<std::string> bytes = stream.Read();
  payments::v1::WatchOrderResponse response;
  if (!bytes || !response.ParseFromString(*bytes)) return std::nullopt;
  return response;
}

// Reads on to the end of the stream; the last message.
payments::v1::WatchOrderResponse Last(RpcStream& stream) {
  payments::v1::WatchOrderResponse last;
  while (auto next = Next(stream)) last = *next;
  return last;
}

// The stack's configuration for a process that serves calls and reads nothing for events.
std::string RpcOnly(const Stack& stack, TempFolder& folder) {
  std::string yaml = ReadFile(stack.config_path());
  yaml.replace(yaml.find("public_url: bound-address"), 25, "public_url: \"\"");
  yaml.replace(yaml.find("process:\n"), 9, "process:\n  roles: [rpc]\n");
  folder.Write("rpc-only.yaml", yaml);
  return folder.PathOf("rpc-only.yaml");
}

// Resident memory of a process in KiB.
long ResidentKib(pid_t pid) {
  std::istringstream status(ReadFile("/proc/" + std::to_string(pid) + "/status"));
  for (std::string word; status >> word;) {
    if (word != "VmRSS:") continue;
    long kib = 0;
    status >> kib;
    return kib;
  }
  return 0;
}

TEST(WatchTest, AWatcherSeesAtOnceWhatAnotherProcessHasRead) {
  // Nobody looks without a hint.
  Stack stack({.settings = {{"rpc", {{"watch_interval", "1h"}}}}});
  TempFolder folder;
  GatewayProcess watched(RpcOnly(stack, folder));
  const auto order = OrderOf(CreateOrder(stack, OrderRequest("watched")));
  const auto stream = Watch(watched.grpc(), order.id());
  const auto first = Next(*stream);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->order().id(), order.id());
  EXPECT_FALSE(first->final());

  PayOnHostedPage(stack, order);
  const payments::v1::WatchOrderResponse last = Last(*stream);
  EXPECT_TRUE(last.final());
  EXPECT_EQ(last.order().status(), common::v1::ORDER_STATUS_COMPLETED);
  EXPECT_EQ(stream->Finish().code, kOk);
}

TEST(WatchTest, WithoutPubSubAWatcherSeesTheChangeByLooking) {
  Stack stack({.settings = {{"rpc", {{"watch_interval", "200ms"}}}}});
  const auto order = OrderOf(CreateOrder(stack, OrderRequest("unheard")));
  const auto stream = Watch(stack.grpc(), order.id());
  ASSERT_TRUE(Next(*stream).has_value());
  // Ends the subscriptions there are, and lets nobody subscribe or publish again.
  stack.RedisCommand({"ACL", "SETUSER", "default", "resetchannels"});
  ASSERT_TRUE(Eventually([&] {
    return stack.RedisCommand({"CLIENT", "LIST", "TYPE", "pubsub"}).find("id=") ==
           std::string::npos;
  }));

  PayOnHostedPage(stack, order);
  EXPECT_TRUE(Last(*stream).final());
  EXPECT_EQ(stream->Finish().code, kOk);
}

TEST(WatchTest, TwoThousandWatchersHoldOneSubscriptionAShardAndLittleMemory) {
  constexpr int kWatchers = 2000;
  constexpr int kOrders = 20;
  // As many as rpc.max_streams are.
  constexpr int kPerConnection = 100;
  Stack stack({.settings = {{"process", {{"shards", "2"}, {"log_level", "info"}}}}});
  std::vector<common::v1::Order> orders;
  for (int i = 0; i < kOrders; ++i) {
    orders.push_back(OrderOf(CreateOrder(stack, OrderRequest("many-" + std::to_string(i)))));
  }
  std::vector<std::unique_ptr<GrpcClient>> clients;
  std::vector<std::unique_ptr<RpcStream>> streams;
  const auto open = [&](int count) {
    for (int i = 0; i < count; ++i) {
      if (streams.size() % kPerConnection == 0) {
        clients.push_back(std::make_unique<GrpcClient>(stack.grpc_address()));
      }
      const auto& order = orders[streams.size() % kOrders];
      streams.push_back(Watch(*clients.back(), order.id()));
      ASSERT_TRUE(Next(*streams.back()).has_value());
    }
  };
  open(kOrders);
  const long before = ResidentKib(stack.gateway().pid());
  open(kWatchers - kOrders);
  const long grown = ResidentKib(stack.gateway().pid()) - before;
  std::cout << kWatchers << " watchers: " << before << " KiB before, " << grown << " KiB more, "
            << grown / kWatchers << " KiB a watcher\n";
  EXPECT_GT(before, 0);
  EXPECT_LT(grown / kWatchers, 64);

  EXPECT_EQ(stack.RedisCommand({"PUBSUB", "NUMSUB", DemoKey("changes")}),
            DemoKey("changes") + "\n2\n");
  const std::string clients_of_redis = stack.RedisCommand({"CLIENT", "LIST", "TYPE", "pubsub"});
  EXPECT_EQ(std::ranges::count(clients_of_redis, '\n'), 2) << clients_of_redis;

  PayOnHostedPage(stack, orders.front());
  for (std::size_t i = 0; i < streams.size(); i += kOrders) {
    ASSERT_TRUE(Last(*streams[i]).final());
    EXPECT_EQ(streams[i]->Finish().code, kOk);
  }
}

TEST(WatchTest, WatchersBeyondTheBoundAreToldToComeBackAndCallsGoOn) {
  Stack stack({.settings = {{"process", {{"shards", "1"}}}, {"rpc", {{"max_watchers", "1"}}}}});
  const auto order = OrderOf(CreateOrder(stack, OrderRequest("bounded")));
  const auto first = Watch(stack.grpc(), order.id());
  ASSERT_TRUE(Next(*first).has_value());
  const auto second = Watch(stack.grpc(), order.id());
  EXPECT_FALSE(Next(*second).has_value());
  const RpcStatus refused = second->Finish();
  EXPECT_EQ(refused.code, kResourceExhausted);
  EXPECT_EQ(refused.reason, "OVERLOADED");
  EXPECT_TRUE(refused.retry_delay.has_value());
  EXPECT_TRUE(GetOrder(stack, order.id()).status.ok());

  // A watcher that goes makes room.
  first->Cancel();
  EXPECT_TRUE(Eventually([&] {
    const auto third = Watch(stack.grpc(), order.id());
    return Next(*third).has_value();
  }));
}

TEST(WatchTest, AStoppingProcessSendsItsWatchersElsewhereAndDoesNotWaitForThem) {
  Stack stack({.settings = {{"process", {{"grace_period", "1m"}}}}});
  const auto order = OrderOf(CreateOrder(stack, OrderRequest("drained")));
  const auto stream = Watch(stack.grpc(), order.id());
  ASSERT_TRUE(Next(*stream).has_value());
  stack.gateway().Signal(SIGTERM);
  EXPECT_FALSE(Next(*stream).has_value());
  const RpcStatus status = stream->Finish();
  EXPECT_EQ(status.code, kUnavailable);
  EXPECT_EQ(status.reason, "SHUTTING_DOWN");
  EXPECT_EQ(status.metadata.at("retry"), "SAFE_SAME_KEY");
  const auto exit = stack.gateway().WaitForExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
}

}  // namespace
}  // namespace tollbridge::test
