#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/url.h"
#include "tests/bench/child_process.h"
#include "tests/bench/events_sections.h"
#include "tests/bench/load.h"
#include "tests/support/process.h"
#include "tests/support/slow_connections.h"

namespace tollbridge::bench {
namespace {

using std::chrono::milliseconds;

constexpr int kConnections = 64;
constexpr std::size_t kOrders = 4096;
constexpr int kRounds = 5;
/// librdkafka's own default, which is what costs a core least.
constexpr const char* kFloorLingerMs = "5";

constexpr std::size_t kSlowConnections = 5000;
constexpr double kHonestRate = 100;

std::vector<std::string> WebhookRequests(std::string_view path, std::size_t count) {
  std::vector<std::string> requests;
  for (std::size_t i = 0; i < count; ++i) requests.push_back(WebhookRequest(path, MadeUpOrder(i)));
  return requests;
}

/// A server under the load, and what came of it round by round.
struct Server {
  pid_t pid = -1;
  Load load;
  std::vector<double> cpu_us;
  std::vector<double> rates;
  std::vector<double> waits_ms;

  void Round() {
    const double before = ProcessorTime(pid);
    const LoadResult result = Run(load);
    cpu_us.push_back((ProcessorTime(pid) - before) / static_cast<double>(result.answers));
    rates.push_back(result.rate());
    waits_ms.insert(waits_ms.end(), result.waits_ms.begin(), result.waits_ms.end());
  }
  double PerCore() const { return 1e6 / Median(cpu_us); }
};

Measures Of(const std::string& name, const Server& server) {
  return {{.name = name + ", processor time", .value = Median(server.cpu_us), .unit = "us"},
          {.name = name + ", per second and core", .value = server.PerCore(), .unit = "/s"},
          {.name = name + ", per second", .value = Median(server.rates), .unit = "/s"},
          {.name = name + ", p50", .value = Percentile(server.waits_ms, 0.5), .unit = "ms"}};
}

}  // namespace

test::StackSettings GatewaySettings(const EventsBench& bench, std::string_view roles) {
  test::StackSettings settings{
      {"process", {{"roles", std::string(roles)}, {"shards", "1"}, {"log_level", "info"}}},
      {"webhooks", {{"max_per_second", "1000000"}}},
      // The budget is not what is measured.
      {"events", {{"max_reads_per_second", "100000"}, {"max_unknown_reads_per_second", "100000"}}},
      {"kafka", {{"partitions", "12"}}}};
  for (const auto& [section, values] : bench.settings) {
    for (const auto& [name, value] : values) settings[section][name] = value;
  }
  return settings;
}

std::string WebhookRequest(std::string_view path, std::string_view order) {
  std::string body = R"({"event":"status_changed","order_id":")";
  body.append(order).append(R"(","project_id":"11111111-1111-4111-8111-111111111111"})");
  std::string request = "POST ";
  request.append(path).append(" HTTP/1.1\r\nHost: gateway.example\r\n");
  request.append("User-Agent: payment-service\r\nContent-Type: application/json\r\n");
  request.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  return request.append(body);
}

std::string WebhookPath(const test::Stack& stack) {
  return http::ParseUrl(stack.webhook_url()).value().path;
}

std::uint16_t IngressPort(const test::Stack& stack) {
  return http::ParseUrl(stack.ingress_origin()).value().port;
}

std::string MadeUpOrder(std::uint64_t number) {
  std::string digits = std::to_string(number);
  digits.insert(0, 12 - digits.size(), '0');
  return "99999999-9999-4999-8999-" + digits;
}

Measures MeasureIngest(const EventsBench& bench) {
  test::Stack stack({.settings = GatewaySettings(bench, "[webhooks]"),
                     .kafka = bench.kafka,
                     .ends_in_order = true});
  PinProcess(stack.gateway().pid(), bench.server_cpu);
  const ChildProcess floor_process({test::ProgramBeside("webhook_floor"), stack.brokers(),
                                    stack.TopicName("operations"), kFloorLingerMs},
                                   bench.server_cpu);
  const milliseconds round(bench.is_short ? 200 : 1500);
  const auto requests = WebhookRequests(WebhookPath(stack), kOrders);
  const Load load{.requests = requests, .connections = kConnections, .duration = round};
  Server floor{.pid = floor_process.pid(), .load = load};
  floor.load.port = floor_process.port();
  Server ingress{.pid = stack.gateway().pid(), .load = load};
  ingress.load.port = IngressPort(stack);
  // What is learned at first, such as who leads the partitions, is not measured.
  for (Server* server : {&floor, &ingress}) {
    Load first = server->load;
    first.duration = milliseconds(bench.is_short ? 200 : 500);
    Run(first);
  }
  for (int i = 0; i < (bench.is_short ? 1 : kRounds); ++i) {
    floor.Round();
    ingress.Round();
  }
  Measures measures = Of("floor", floor);
  for (Measure& measure : Of("ingest", ingress)) measures.push_back(std::move(measure));
  measures.push_back({.name = "ingest, p99",
                      .value = Percentile(ingress.waits_ms, 0.99),
                      .unit = "ms",
                      .at_most = 250});
  measures.push_back({.name = "ingest : floor, per second and core",
                      .value = ingress.PerCore() / floor.PerCore(),
                      .at_least = 0.6});
  return measures;
}

Measures MeasureSlowConnections(const EventsBench& bench) {
  test::Stack stack({.settings = GatewaySettings(bench, "[webhooks]"), .kafka = bench.kafka});
  PinProcess(stack.gateway().pid(), bench.server_cpu);
  const std::size_t count = bench.is_short ? 100 : kSlowConnections;
  const auto honest = WebhookRequests(WebhookPath(stack), bench.is_short ? 50 : 3000);
  const Load load{
      .port = IngressPort(stack), .requests = honest, .connections = 16, .rate = kHonestRate};
  // What is learned at first, such as who leads the partitions, is not measured.
  Run({.port = load.port,
       .requests = WebhookRequests(WebhookPath(stack), 32),
       .connections = 4,
       .rate = kHonestRate});
  const LoadResult alone = Run(load);
  const test::SlowConnections slow(IngressPort(stack), count);
  if (!test::Eventually([&] { return slow.all_sent(); })) {
    throw std::runtime_error("the slow connections do not get in");
  }
  const LoadResult among = Run(load);
  return {{.name = "slow connections", .value = static_cast<double>(count)},
          {.name = "honest webhooks without them, p99",
           .value = Percentile(alone.waits_ms, 0.99),
           .unit = "ms"},
          {.name = "honest webhooks among them, p50",
           .value = Percentile(among.waits_ms, 0.5),
           .unit = "ms"},
          {.name = "honest webhooks among them, p99",
           .value = Percentile(among.waits_ms, 0.99),
           .unit = "ms",
           .at_most = 250},
          {.name = "slow connections closed meanwhile",
           .value = static_cast<double>(slow.closed()),
           .at_least = bench.is_short ? 0.0 : 1.0}};
}

}  // namespace tollbridge::bench
