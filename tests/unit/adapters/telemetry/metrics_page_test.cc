#include "adapters/telemetry/metrics_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <string>

#include "base/core/boot_clock.h"
#include "base/core/shard.h"
#include "base/http/server.h"
#include "base/telemetry/metric_definitions.h"
#include "tests/support/http_call.h"

namespace tollbridge::telemetry_exporters {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;

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
  const http::ConnectionInfo connection;
  int answered = 0;
  const auto ask = [&]() -> asio::awaitable<void> {
    const int before = rendered;
    const http::Response page = co_await handler(request, connection);
    EXPECT_THAT(page.body, HasSubstr("tollbridge_due_orders_oldest_seconds"));
    EXPECT_GT(rendered, before);
    ++answered;
  };
  const BootTime begin = BootClock::now();
  for (int i = 0; i < kMany; ++i) asio::co_spawn(context, ask(), asio::detached);
  context.run();
  EXPECT_EQ(answered, kMany);
  // Sixteen at a time, but for those who come in between.
  EXPECT_GE(rendered, kMany / 16);
  EXPECT_LT(rendered, kMany / 4);
  EXPECT_GE(BootClock::now() - begin, 9 * (rendered - 1) * kTime);
}

}  // namespace
}  // namespace tollbridge::telemetry_exporters
