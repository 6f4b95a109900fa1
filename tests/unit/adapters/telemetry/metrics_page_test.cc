#include "adapters/telemetry/metrics_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/core/shard.h"
#include "base/http/server.h"
#include "base/telemetry/metric_definitions.h"
#include "tests/support/http_call.h"

namespace tollbridge::telemetry_exporters {
namespace {

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

}  // namespace
}  // namespace tollbridge::telemetry_exporters
