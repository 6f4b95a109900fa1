#include "sandbox/webhooks/webhook_sender.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <span>
#include <string_view>

#include "tests/support/async_test.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

/// What needs no socket; the rest is in tests/integration/sandbox/webhooks_test.cc.
class WebhookSenderTest : public testing::Test {
 protected:
  void Plan(std::string_view text) {
    ASSERT_TRUE(
        faults_.SetPlan(json::parse(text).as_object(), std::span<const std::string_view>{}).ok());
  }

  Order OrderWith(std::string_view url) {
    Order order;
    order.id = *Uuid::Parse("aaaaaaaa-1111-4111-8111-111111111111");
    order.project_id = simulation_.settings.projects.front().id;
    if (!url.empty()) order.webhook_url = url;
    return order;
  }

  boost::asio::io_context context_{1};
  Simulation simulation_{Settings{}, 7, ParseTime("2026-11-21T08:00:00Z")};
  FaultInjector faults_{&simulation_, context_.get_executor()};
  WebhookSender sender_{context_.get_executor(), &simulation_, &faults_};
};

TEST_F(WebhookSenderTest, WithoutAnyUrlNothingIsSent) {
  sender_.Notify(OrderWith(""));
  EXPECT_EQ(sender_.pending(), 0u);
  EXPECT_EQ(simulation_.timeline.size(), 0u);
  EXPECT_TRUE(sender_.Log().empty());
}

TEST_F(WebhookSenderTest, NotificationIsOnTheTimelineForNow) {
  sender_.Notify(OrderWith("http://shop.test/hook"));
  EXPECT_EQ(sender_.pending(), 1u);
  EXPECT_EQ(simulation_.timeline.NextDue(), simulation_.clock.Now());
  EXPECT_TRUE(sender_.Log().empty()) << "begins when it is due";
}

TEST_F(WebhookSenderTest, BrokenUrlIsLoggedAndNotTried) {
  sender_.Notify(OrderWith("shop.test/hook?token=secret"));
  const json::array log = sender_.Log();
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].at("outcome"), "failed");
  EXPECT_EQ(log[0].at("result"), "the webhook_url is not a URL");
  EXPECT_EQ(log[0].at("final"), true);
  EXPECT_EQ(sender_.pending(), 0u);
}

TEST_F(WebhookSenderTest, LostOneIsLoggedAndNotSent) {
  Plan(R"({"rules": [{"fault": {"kind": "lose"}}]})");
  sender_.Notify(OrderWith("http://shop.test/hook"));
  EXPECT_EQ(simulation_.timeline.size(), 0u);
  const json::array log = sender_.Log();
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].at("result"), "lost");
  EXPECT_EQ(log[0].at("outcome"), "lost");
  EXPECT_EQ(log[0].at("url_origin"), "http://shop.test:80");
  EXPECT_EQ(log[0].at("final"), true);
}

TEST_F(WebhookSenderTest, HundredThousandWaitAndTheNextIsDropped) {
  const Order order = OrderWith("http://shop.test/hook");
  for (int i = 0; i < 100'000; ++i) sender_.Notify(order);
  EXPECT_EQ(sender_.pending(), 100'000u);
  EXPECT_TRUE(sender_.Log().empty());
  sender_.Notify(order);
  EXPECT_EQ(sender_.pending(), 100'000u);
  const json::array log = sender_.Log();
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].at("result"), "dropped");

  simulation_.timeline.Clear();
  EXPECT_EQ(sender_.pending(), 0u) << "counted by those that are there";
}

TEST_F(WebhookSenderTest, ClearedOnesAreNotBegun) {
  sender_.Notify(OrderWith("http://shop.test/hook"));
  sender_.Clear();
  EXPECT_EQ(sender_.pending(), 0u);
  simulation_.timeline.RunDue();
  EXPECT_TRUE(sender_.Log().empty());
  test::Await(context_, sender_.Idle());
}

TEST_F(WebhookSenderTest, TimelineOutlivesTheSender) {
  {
    WebhookSender other(context_.get_executor(), &simulation_, &faults_);
    other.Notify(OrderWith("http://shop.test/hook"));
  }
  simulation_.timeline.RunDue();
  EXPECT_EQ(simulation_.timeline.size(), 0u);
}

}  // namespace
}  // namespace tollbridge::sandbox
