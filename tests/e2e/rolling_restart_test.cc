// Three gateways of each role are replaced one after the other, as an orchestrator does it, while
// callers and webhooks go on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/e2e/support/steady_load.h"
#include "tests/support/gateway_process.h"
#include "tests/support/process.h"
#include "tests/support/stack.h"
#include "tests/support/tcp_proxy.h"
#include "tests/support/webhook.h"

namespace tollbridge::test {
namespace {

using testing::Each;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

const std::string kSource = TOLLBRIDGE_SOURCE_DIR;
constexpr int kReplicas = 3;
constexpr std::chrono::minutes kLimit{3};

std::uint16_t PortOf(std::string_view address) {
  return static_cast<std::uint16_t>(std::stoi(std::string(address.substr(address.rfind(':') + 1))));
}

bool Ready(const GatewayProcess& gateway) {
  try {
    return ProbeAt(gateway.metrics_url(), "/readyz").status == 200;
  } catch (const std::runtime_error&) {
    return false;  // it has ended
  }
}

/// The replicas of one role, and the address that leads to those that are ready.
class Deployment {
 public:
  /// `service`: nullptr for a role that nobody calls.
  Deployment(const Stack& stack, std::string role, TcpProxy* service)
      : stack_(stack), role_(std::move(role)), service_(service) {
    for (int i = 0; i < kReplicas; ++i) Start();
  }

  /// Each is replaced: a new one first, then the old one ends. It is out of the service when its
  /// probe says so, not before.
  void Restart() {
    for (int i = 0; i < kReplicas; ++i) {
      Start();
      const std::unique_ptr<GatewayProcess> old = std::move(replicas_.front());
      old->process().Signal(SIGTERM);
      ASSERT_TRUE(Eventually([&] { return !Ready(*old); }));
      replicas_.erase(replicas_.begin());
      Route();
      const auto ended = old->process().WaitForExit();
      ASSERT_TRUE(ended.has_value()) << role_ << " did not end";
      EXPECT_EQ(ended->code, 0) << role_ << " was not in time";
    }
  }

 private:
  void Start() {
    auto fresh =
        stack_.OneMoreGateway({{"TOLLBRIDGE_NAME", role_ + std::to_string(++started_)}}, {role_});
    EXPECT_TRUE(Eventually([&] { return Ready(*fresh); })) << role_ << " is not ready";
    replicas_.push_back(std::move(fresh));
    Route();
  }

  void Route() {
    if (service_ == nullptr) return;
    std::vector<std::uint16_t> ports;
    for (const auto& replica : replicas_) {
      ports.push_back(PortOf(role_ == "rpc" ? replica->grpc_address() : replica->ingress_origin()));
    }
    service_->SetUpstreams(std::move(ports));
  }

  const Stack& stack_;
  const std::string role_;
  TcpProxy* const service_;
  std::vector<std::unique_ptr<GatewayProcess>> replicas_;  ///< oldest first
  int started_ = 0;
};

/// The Go example, one run after the other; how many runs failed, and what the last of these said.
class GoShop {
 public:
  explicit GoShop(std::string gateway) {
    const char* const program = std::getenv("TOLLBRIDGE_GO_EXAMPLE");
    if (program == nullptr || *program == '\0') return;
    std::vector<std::string> command{program, "--gateway", std::move(gateway)};
    thread_ = std::thread([this, command = std::move(command)] {
      while (!enough_) {
        const Finished finished = Run(command, {}, kLimit);
        ++runs_;
        if (finished.code != 0) failures_.push_back(finished.output + finished.error);
      }
    });
  }
  ~GoShop() { Stop(); }
  GoShop(const GoShop&) = delete;
  GoShop& operator=(const GoShop&) = delete;

  void Stop() {
    enough_ = true;
    if (thread_.joinable()) thread_.join();
  }
  int runs() const { return runs_; }
  /// After Stop.
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  std::atomic<bool> enough_ = false;
  std::atomic<int> runs_ = 0;
  std::vector<std::string> failures_;
  std::thread thread_;
};

TEST(RollingRestartTest, OfEveryRoleUnderLoadLosesNothingAndFailsNoCall) {
  ASSERT_NE(std::getenv("TOLLBRIDGE_PYTHON"), nullptr) << "./dev test sets it";
  TcpProxy calls;
  TcpProxy webhooks;
  Stack stack({.settings = {{"process", {{"drain_delay", "1s"}}},
                            {"webhooks",
                             {{"public_url", "http://" + webhooks.address()},
                              {"max_per_second", "1000000"}}}}});
  const std::string webhook_path = stack.webhook_url().substr(stack.ingress_origin().size());
  // The one that the stack starts has all roles; here each has processes of its own.
  stack.gateway().Signal(SIGTERM);
  ASSERT_TRUE(stack.gateway().WaitForExit().has_value());
  Deployment ingress(stack, "webhooks", &webhooks);
  Deployment events(stack, "events", nullptr);
  Deployment reconcile(stack, "reconcile", nullptr);
  Deployment rpc(stack, "rpc", &calls);

  Process load({std::getenv("TOLLBRIDGE_PYTHON"), kSource + "/tests/e2e/rolling/load.py",
                "--examples", kSource + "/examples/python", "--gateway", calls.address(),
                "--webhook", "http://" + webhooks.address() + webhook_path, "--body",
                WebhookBody("ORDER_ID")});
  GoShop go_shop(calls.address());
  ASSERT_TRUE(load.WaitForLine("running")) << load.standard_error();
  for (Deployment* role : {&ingress, &events, &reconcile, &rpc}) {
    ASSERT_NO_FATAL_FAILURE(role->Restart());
  }
  load.Signal(SIGTERM);
  const auto line = load.WaitForLine("\"answers\"", kLimit);
  ASSERT_TRUE(line.has_value()) << load.standard_error();
  go_shop.Stop();
  const boost::json::object told = boost::json::parse(*line).as_object();
  const auto list = [&](std::string_view name) { return told.at(name).as_array(); };
  std::cout << "answers: " << boost::json::serialize(told.at("answers")) << " in "
            << told.at("seconds").to_number<double>() << " s, " << list("orders").size()
            << " orders, " << list("payouts").size() << " of them payouts, "
            << list("webhooks_acknowledged").size() << " webhooks of ours, "
            << list("webhooks_not_taken").size() << " not taken, " << go_shop.runs()
            << " runs of the Go example\n";

  EXPECT_THAT(list("failed"), IsEmpty());
  EXPECT_FALSE(told.at("answers").as_object().contains("CANCELLED bare"));
  EXPECT_THAT(go_shop.failures(), IsEmpty());
  EXPECT_GE(list("payouts").size(), 50U);

  // Each order that the caller has is there once, and no other.
  std::map<std::string, int> effects;
  for (const auto& order : stack.SandboxOrders()) {
    ++effects[std::string(order.at("merchant_order_id").as_string())];
  }
  for (const auto& order : list("orders")) {
    EXPECT_EQ(effects[std::string(order.as_string())], 1) << order;
  }

  // Each webhook that was acknowledged has left its hint.
  std::set<std::string> hinted;
  const auto hints = stack.OpenTopic("hints");
  for (const TopicRecord& hint : hints->ReadAll()) hinted.insert(hint.key);
  for (const auto& order : list("webhooks_acknowledged")) {
    EXPECT_TRUE(hinted.contains("demo:" + std::string(order.as_string()))) << order;
  }
  // And each payout has its event: one, though a reader that ends may leave it to the next one to
  // publish it again, as it was.
  const auto topic = stack.OpenTopic("events");
  for (const auto& order : list("payouts")) {
    const std::string id(order.as_string());
    ASSERT_TRUE(AwaitEvent(*topic, id, "tollbridge.payout.completed.v1")) << id;
  }
  for (const auto& order : list("payouts")) {
    std::set<std::pair<std::string, std::string>> distinct;
    for (const TopicRecord& event : EventsOf(topic->records(), std::string(order.as_string()),
                                             "tollbridge.payout.completed.v1")) {
      distinct.emplace(event.header("ce_id"), event.value);
    }
    EXPECT_THAT(distinct, SizeIs(1)) << order;
  }
}

/// One call in ten makes an order, named `name` and its number; the others read `order`.
std::function<SteadyCall(std::size_t)> ReadsAndOrders(const std::string& order,
                                                      const std::string& name) {
  return [read = ReadsOf(order), name](std::size_t number) {
    if (number % 10 != 9) return read(number);
    const std::string own = name + std::to_string(number);
    payments::v1::CreateOrderRequest request = OrderRequest(own);
    request.set_merchant_order_id(own);
    return SteadyCall{.method = kCreateOrder, .request = request.SerializeAsString()};
  };
}

void Print(std::string_view who, const SteadyCalls& calls) {
  std::cout << who << ": " << calls.calls << " calls, " << calls.failures.size()
            << " not answered OK, p50 " << calls.p50_ms << " ms, p99 " << calls.p99_ms
            << " ms, longest " << calls.longest_ms << " ms\n";
}

TEST(RollingRestartTest, OfTheFrontDoorUnderFiveHundredCallsASecondFailsNone) {
  TcpProxy proxy;
  // However busy the machine is, calls wait for the sandbox and do not fail.
  Stack stack(
      {.settings = {{"process", {{"drain_delay", "1s"}}},
                    {"webhooks", {{"public_url", "https://gateway.example"}}},
                    {"payment_service", {{"max_pool_wait", "1m"}, {"max_in_flight", "10000"}}}}});
  const std::string order = OrderOf(CreateOrder(stack, OrderRequest("read"))).id();
  stack.gateway().Signal(SIGTERM);
  ASSERT_TRUE(stack.gateway().WaitForExit().has_value());
  Deployment rpc(stack, "rpc", &proxy);

  SteadyLoad repeating(proxy.address(), {.per_second = 500,
                                         .connections = 12,
                                         .repeats = true,
                                         .call = ReadsAndOrders(order, "repeating-")});
  SteadyLoad plain(proxy.address(), {.per_second = 100, .call = ReadsAndOrders(order, "plain-")});
  ASSERT_NO_FATAL_FAILURE(rpc.Restart());
  const SteadyCalls repeated = repeating.Stop();
  const SteadyCalls once = plain.Stop();
  Print("repeats UNAVAILABLE", repeated);
  Print("repeats nothing", once);

  EXPECT_THAT(repeated.failures, IsEmpty());
  EXPECT_THAT(once.failures, Each(Not(StartsWith("CANCELLED bare"))));
  // Each was made once, however often its call was sent; of those that do not repeat some may not
  // have come.
  std::map<std::string, int> made;
  for (const auto& each : stack.SandboxOrders()) {
    const std::string name(each.at("merchant_order_id").as_string());
    EXPECT_EQ(++made[name], 1) << name;
  }
  EXPECT_EQ(std::ranges::count_if(
                made, [](const auto& each) { return each.first.starts_with("repeating-"); }),
            repeated.calls / 10);
}

}  // namespace
}  // namespace tollbridge::test
