// The ingress at its limits: tokens that rotate, stores that are away, senders without good will,
// and that every webhook answered 200 is covered by a hint.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/http/url.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/http_call.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/slow_connections.h"
#include "tests/support/stack.h"
#include "tests/support/webhook.h"

namespace tollbridge::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::IsSubsetOf;
using testing::SizeIs;

/// What slow connections may add to it. A busy machine may add more, but not each time.
constexpr milliseconds kHonestP99{250};

std::string OrderId(int number) {
  std::string digits = std::to_string(number);
  digits.insert(0, 12 - digits.size(), '0');
  return "99999999-9999-4999-8999-" + digits;
}

std::uint16_t IngressPort(const Stack& stack) {
  return http::ParseUrl(stack.ingress_origin()).value().port;
}

std::set<std::string> HintedOrders(const Stack& stack) {
  std::set<std::string> orders;
  const auto hints = stack.OpenTopic("hints");
  for (const TopicRecord& record : hints->ReadAll()) {
    orders.insert(record.key.substr(record.key.find(':') + 1));
  }
  return orders;
}

class IngressE2eTest : public testing::Test {
 protected:
  /// Honest senders, each with a connection of its own: the 99th percentile of what they wait.
  static milliseconds HonestP99(const Stack& stack, int count) {
    std::vector<milliseconds> waits;
    for (int i = 0; i < count; ++i) {
      const auto begin = steady_clock::now();
      EXPECT_EQ(PostWebhook(stack.webhook_url(), OrderId(i)), 200) << i;
      waits.push_back(std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin));
    }
    std::ranges::sort(waits);
    return waits.at(waits.size() * 99 / 100);
  }
};

TEST_F(IngressE2eTest, WithoutRedisWebhooksAreTakenAndKnownAndUnknownOrdersLookTheSame) {
  Stack stack;
  const auto order = OrderOf(CreateOrder(stack, OrderRequest("known")));
  stack.redis().Stop();
  const http::Response known = HttpCall("POST", stack.webhook_url(), WebhookBody(order.id()));
  const http::Response unknown = HttpCall("POST", stack.webhook_url(), WebhookBody(OrderId(1)));
  EXPECT_EQ(known.status, 200);
  EXPECT_EQ(unknown.status, 200);
  EXPECT_EQ(known.body, unknown.body);
  EXPECT_EQ(known.headers.size(), unknown.headers.size());
  const std::set<std::string> hinted = HintedOrders(stack);
  EXPECT_TRUE(hinted.contains(order.id()));
  EXPECT_TRUE(hinted.contains(OrderId(1)));
}

TEST_F(IngressE2eTest, BeyondTheWebhooksThatMayWaitForASlowBrokerTheAnswerIs503AtOnce) {
  KafkaBroker kafka;
  Stack stack({.settings = {{"webhooks", {{"max_waiting", "4"}, {"max_per_second", "1000000"}}}},
               .kafka = &kafka});
  ASSERT_EQ(PostWebhook(stack.webhook_url(), OrderId(0)), 200);
  kafka.Pause();
  std::atomic<bool> done{false};
  std::vector<std::thread> senders;
  for (int i = 1; i <= 8; ++i) {
    senders.emplace_back([&stack, &done, i] {
      while (!done) EXPECT_NE(PostWebhook(stack.webhook_url(), OrderId(i)), kNoAnswer);
    });
  }
  // Four of them wait for 2.3 s; there is no place for this one.
  const bool refused_at_once = Eventually([&] {
    const auto begin = steady_clock::now();
    EXPECT_EQ(PostWebhook(stack.webhook_url(), OrderId(5)), 503);
    return steady_clock::now() - begin < milliseconds(500);
  });
  const double overloaded =
      stack.Metric("tollbridge_webhooks_total{project=\"demo\",result=\"overloaded\"}");
  kafka.Resume();
  done = true;
  for (std::thread& sender : senders) sender.join();
  EXPECT_TRUE(refused_at_once);
  EXPECT_GT(overloaded, 0);
  EXPECT_TRUE(Eventually([&] { return PostWebhook(stack.webhook_url(), OrderId(6)) == 200; }));
}

TEST_F(IngressE2eTest, SlowConnectionsDoNotDelayHonestWebhooks) {
  Stack stack;
  EXPECT_TRUE(Eventually([&] {
    const milliseconds alone = HonestP99(stack, 100);
    const SlowConnections slow(IngressPort(stack), 500);
    EXPECT_TRUE(Eventually([&] { return slow.all_sent(); }));
    return HonestP99(stack, 300) < kHonestP99 + 2 * alone;
  }));
}

TEST_F(IngressE2eTest, MoreSlowConnectionsThanThereIsRoomForKeepNoHonestSenderOut) {
  Stack stack({.settings = {{"webhooks", {{"max_connections", "64"}}}}});
  EXPECT_TRUE(Eventually([&] {
    const milliseconds alone = HonestP99(stack, 100);
    const SlowConnections slow(IngressPort(stack), 500);
    EXPECT_TRUE(Eventually([&] { return slow.all_sent() && slow.closed() > 0; }));
    return HonestP99(stack, 300) < kHonestP99 + 2 * alone;
  }));
  EXPECT_GT(stack.Metric("tollbridge_webhook_connections_shed_total"), 0);
}

TEST_F(IngressE2eTest, AProcessThatDiesBetweenTheAcknowledgementAndTheAnswerLeavesTheHint) {
  Stack stack;
  stack.StartGateway({{"TOLLBRIDGE_CRASH_AT", "ingress.acknowledged"}});
  EXPECT_EQ(PostWebhook(stack.webhook_url(), OrderId(7)), kNoAnswer);
  const auto exit = stack.gateway().WaitForExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->signal, SIGKILL);
  EXPECT_TRUE(HintedOrders(stack).contains(OrderId(7)));
}

/// Eight senders at work while the process ends by this signal.
class IngressEndTest : public testing::TestWithParam<int> {};

TEST_P(IngressEndTest, EveryWebhookThatWasAnswered200IsCoveredByAHint) {
  Stack stack;
  const std::string url = stack.webhook_url();
  std::mutex mutex;
  std::set<std::string> taken;
  std::atomic<int> next{0};
  std::vector<std::thread> senders;
  for (int i = 0; i < 8; ++i) {
    senders.emplace_back([&] {
      for (;;) {
        const std::string order = OrderId(next++);
        const int status = PostWebhook(url, order);
        if (status == kNoAnswer) return;
        const std::lock_guard lock(mutex);
        if (status == 200) taken.insert(order);
      }
    });
  }
  EXPECT_TRUE(Eventually([&] {
    const std::lock_guard lock(mutex);
    return taken.size() >= 200;
  }));
  stack.gateway().Signal(GetParam());
  const auto exit = stack.gateway().WaitForExit(std::chrono::seconds(30));
  for (std::thread& sender : senders) sender.join();
  EXPECT_TRUE(exit.has_value());
  EXPECT_THAT(taken, IsSubsetOf(HintedOrders(stack)));
}

INSTANTIATE_TEST_SUITE_P(, IngressEndTest, testing::Values(SIGKILL, SIGTERM),
                         [](const auto& instance) {
                           return instance.param == SIGKILL ? "Killed" : "ToldToEnd";
                         });

/// One sender who never stops, and always uses a token that is live.
class RotationTest : public testing::Test {
 protected:
  static std::string Url(const Stack& stack, const std::string& token) {
    return stack.ingress_origin() + "/webhooks/" + token;
  }
  static void WriteTokens(const Stack& stack, const std::string& lines) {
    const auto folder = std::filesystem::path(stack.config_path()).parent_path();
    const auto next = folder / "webhook-tokens.next";
    std::ofstream(next) << lines;
    std::filesystem::rename(next, folder / "webhook-tokens");
  }
};

TEST_F(RotationTest, TokensRotateInARunningGatewayWithoutALostWebhook) {
  Stack stack;
  const std::string old_token = stack.webhook_url().substr(stack.webhook_url().rfind('/') + 1);
  const std::string new_token = "rotated-0123456789abcdef0123456789ab";
  std::mutex mutex;
  std::string token = old_token;
  std::atomic<bool> done{false};
  std::atomic<int> sent{0};
  std::atomic<int> lost{0};
  std::thread sender([&] {
    for (; !done; ++sent) {
      std::string with;
      {
        const std::lock_guard lock(mutex);
        with = token;
      }
      if (PostWebhook(Url(stack, with), OrderId(sent)) != 200) ++lost;
    }
  });
  EXPECT_EQ(PostWebhook(Url(stack, new_token), OrderId(1)), 404);
  // The new one is live everywhere before any order carries it.
  WriteTokens(stack, old_token + "\n" + new_token + "\n");
  EXPECT_TRUE(Eventually([&] { return PostWebhook(Url(stack, new_token), OrderId(1)) == 200; }));
  EXPECT_EQ(PostWebhook(Url(stack, old_token), OrderId(1)), 200);
  {
    const std::lock_guard lock(mutex);
    token = new_token;
  }
  const int before = sent;
  EXPECT_TRUE(Eventually([&] { return sent > before + 1; }));
  WriteTokens(stack, new_token + "\n");
  EXPECT_TRUE(Eventually([&] { return PostWebhook(Url(stack, old_token), OrderId(1)) == 404; }));
  EXPECT_EQ(PostWebhook(Url(stack, new_token), OrderId(1)), 200);
  done = true;
  sender.join();
  EXPECT_EQ(lost, 0);
  EXPECT_GT(sent, 2);
}

}  // namespace
}  // namespace tollbridge::test
