#include "adapters/telemetry/metrics_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/boot_clock.h"
#include "base/core/shard.h"
#include "base/http/server.h"
#include "base/telemetry/metric_definitions.h"
#include "tests/support/http_call.h"

namespace tollbridge::telemetry_exporters {
namespace {

namespace asio = boost::asio;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

TEST(MetricsPageTest, RendersWhatWasCountedAndWhatCollectorsSet) {
  telemetry::Metrics metrics;
  metrics.Get(telemetry::kHints, {"webhook"}).Increment(3);
  metrics.OnCollect([](telemetry::Metrics& m) { m.Get(telemetry::kOldestDueOrder).Set(12); });
  const std::string page = RenderMetrics(metrics);
  EXPECT_THAT(page, HasSubstr("# TYPE tollbridge_hints_total counter\n"));
  EXPECT_THAT(page, HasSubstr("tollbridge_hints_total{source=\"webhook\"} 3\n"));
  EXPECT_THAT(page, HasSubstr("tollbridge_due_orders_oldest_seconds 12\n"));
}

TEST(MetricsPageTest, IsServedAtItsPathOnly) {
  telemetry::Metrics metrics;
  Shard shard(0);
  shard.Start();
  auto server = http::Server::Start({shard.executor()}, {}, MetricsHandler(metrics));
  ASSERT_TRUE(server.ok()) << server.status();
  const auto fetch = [&](const char* method, const char* target) {
    return test::HttpCall(method, "http://127.0.0.1:" + std::to_string((*server)->port()) + target);
  };
  const http::Response page = fetch("GET", "/metrics?x=1");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.Find("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(page.body, HasSubstr("tollbridge_log_lines_total"));
  EXPECT_EQ(fetch("HEAD", "/metrics").status, 200);
  EXPECT_EQ(fetch("POST", "/metrics").status, 405);
  EXPECT_EQ(fetch("GET", "/").status, 404);
  shard.Stop();
}

TEST(MetricsPageTest, ManyShareFewPagesWithRestsInBetween) {
  constexpr int kMany = 100;
  constexpr std::chrono::milliseconds kTime{2};
  telemetry::Metrics metrics;
  int rendered = 0;
  metrics.OnCollect([&](telemetry::Metrics& m) {
    m.Get(telemetry::kOldestDueOrder).Set(++rendered);
    for (const BootTime end = BootClock::now() + kTime; BootClock::now() < end;) {
    }
  });
  asio::io_context context{1};
  const http::Handler handler = MetricsHandler(metrics);
  const http::Request request{.method = "GET", .target = "/metrics"};
  int answered = 0;
  const auto ask = [&](std::string source) -> asio::awaitable<void> {
    const int before = rendered;
    const http::ConnectionInfo connection{.source = std::move(source)};
    const http::Response page = co_await handler(request, connection);
    EXPECT_THAT(page.body, HasSubstr("tollbridge_due_orders_oldest_seconds"));
    EXPECT_GT(rendered, before);
    ++answered;
  };
  const BootTime begin = BootClock::now();
  for (int i = 0; i < kMany; ++i) {
    asio::co_spawn(context, ask(std::to_string(i)), asio::detached);
  }
  context.run();
  EXPECT_EQ(answered, kMany);
  // Sixteen at a time, but for those who come in between.
  EXPECT_GE(rendered, kMany / 16);
  EXPECT_LT(rendered, kMany / 4);
  EXPECT_GE(BootClock::now() - begin, 9 * (rendered - 1) * kTime);
}

/// Behind a page that took so long that there is a long rest. The time of the pages stands still
/// but for what they take, ahead of that of the timers, which therefore never go off.
class WaitingForPagesTest : public testing::Test {
 protected:
  WaitingForPagesTest() {
    metrics_.OnCollect([this](telemetry::Metrics&) { now_ += std::chrono::milliseconds(100); });
    Ask("first");
    Settle();
    EXPECT_THAT(std::exchange(statuses_, {}), ElementsAre("first 200"));
  }
  /// All that can be done without waiting.
  void Settle() {
    context_.restart();
    context_.poll();
  }
  /// Lets another one ask when the rest is over, and so those who wait have their page.
  void AskAfterRest() {
    now_ += std::chrono::seconds(1);
    Ask("last");
    Settle();
  }
  /// `give_up` is what the connection is told to call.
  void Ask(const std::string& source, std::function<void()>* give_up = nullptr) {
    asio::co_spawn(context_, Exchange(source, give_up), asio::detached);
  }
  asio::awaitable<void> Exchange(std::string source, std::function<void()>* give_up) {
    const http::Request request{.method = "HEAD", .target = "/metrics"};
    http::ConnectionInfo connection{.source = source};
    if (give_up != nullptr) {
      connection.waits = [give_up](std::function<void()> call) { *give_up = std::move(call); };
    }
    const http::Response response = co_await handler_(request, connection);
    statuses_.push_back(source + " " + std::to_string(response.status));
    last_ = response;
  }

  telemetry::Metrics metrics_;
  asio::io_context context_{1};
  BootTime now_ = BootClock::now() + std::chrono::hours(1);
  http::Handler handler_ = MetricsHandler(metrics_, [this] { return now_; });
  std::vector<std::string> statuses_;
  http::Response last_;
};

TEST_F(WaitingForPagesTest, AtMostFourOfAnAddress) {
  for (int i = 0; i < 5; ++i) Ask("a");
  Ask("b");
  Settle();
  EXPECT_THAT(statuses_, ElementsAre("a 503"));
  EXPECT_EQ(last_.headers.Find("Connection"), "close");
  EXPECT_THAT(last_.body, HasSubstr("too many scrapes from this address"));
  statuses_.clear();
  AskAfterRest();
  EXPECT_THAT(statuses_,
              UnorderedElementsAre("last 200", "a 200", "a 200", "a 200", "a 200", "b 200"));
  for (int i = 0; i < 4; ++i) Ask("a");
  statuses_.clear();
  Settle();
  EXPECT_THAT(statuses_, ElementsAre());
  AskAfterRest();
  EXPECT_THAT(statuses_, ElementsAre("last 200", "a 200", "a 200", "a 200", "a 200"));
}

TEST_F(WaitingForPagesTest, WhoseConnectionGoesWaitsNoLonger) {
  std::vector<std::function<void()>> give_up(4);
  for (auto& call : give_up) Ask("a", &call);
  Settle();
  ASSERT_TRUE(give_up[1]);
  give_up[1]();
  Settle();
  EXPECT_THAT(statuses_, ElementsAre("a 503"));
  EXPECT_FALSE(give_up[1]) << "it waits no more";
  Ask("a");
  Settle();
  EXPECT_THAT(statuses_, ElementsAre("a 503")) << "its place is another's";
  AskAfterRest();
  EXPECT_THAT(statuses_, ElementsAre("a 503", "last 200", "a 200", "a 200", "a 200", "a 200"));
}

TEST_F(WaitingForPagesTest, WhoseConnectionGoesAsItsPageComesGetsIt) {
  std::vector<std::function<void()>> give_up(3);
  for (auto& call : give_up) Ask("a", &call);
  Settle();
  int told = 0;
  metrics_.OnCollect([&](telemetry::Metrics&) {
    // Before any of those is told whose page this is.
    for (auto& call : give_up) {
      asio::post(context_, [&told, &call] {
        if (!call) return;
        ++told;
        call();
      });
    }
  });
  AskAfterRest();
  EXPECT_EQ(told, 3);
  EXPECT_THAT(statuses_, ElementsAre("last 200", "a 200", "a 200", "a 200"));
}

}  // namespace
}  // namespace tollbridge::telemetry_exporters
