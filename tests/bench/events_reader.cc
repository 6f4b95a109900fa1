#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/bench/child_process.h"
#include "tests/bench/events_sections.h"
#include "tests/bench/load.h"
#include "tests/support/http_call.h"
#include "tests/support/topic.h"

namespace tollbridge::bench {
namespace {

using Steady = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int kConnections = 32;
/// Orders before those that are measured, and how many of them a second.
constexpr int kFirst = 64;
constexpr double kFirstRate = 200;
constexpr std::string_view kCompleted = "tollbridge.payment.completed.v1";

/// Made at a time, until there are enough that are paid.
constexpr std::size_t kSeeded = 1000;

bool IsPaidAlone(const boost::json::object& order) {
  if (order.at("status").as_string() != "completed") return false;
  const auto empty = [&order](std::string_view list) {
    const boost::json::value* value = order.if_contains(list);
    return value == nullptr || value->as_array().empty();
  };
  return !order.contains("refund_of_order_id") && empty("refund_orders") && empty("related_orders");
}

/// Orders that were paid a moment ago and are of no family, which the gateway knows nothing of:
/// each gives two events, created and completed.
std::vector<std::string> PaidOrders(const test::Stack& stack, std::size_t count) {
  std::vector<std::string> orders;
  // The first is dated before the gateway began, so that it is no news.
  const std::size_t old = stack.SandboxOrders().size();
  const std::string seed = R"({"orders":)" + std::to_string(kSeeded) + "}";
  while (orders.size() < count) {
    if (stack.Http("POST", stack.sandbox_url() + "/_sandbox/seed", seed).status != 200) {
      throw std::runtime_error("the sandbox makes no orders");
    }
    const std::size_t before = orders.size();
    orders.clear();  // all are listed, those of before too
    const boost::json::array all = stack.SandboxOrders();
    for (std::size_t i = old; i < all.size(); ++i) {
      const auto& fields = all[i].as_object();
      if (orders.size() < count && IsPaidAlone(fields)) {
        orders.emplace_back(fields.at("id").as_string());
      }
    }
    if (orders.size() == before) throw std::runtime_error("the sandbox makes no paid orders");
  }
  return orders;
}

/// Reads the events topic on a thread of its own, and keeps when each order was told of.
class Listener {
 public:
  Listener(const test::Stack& stack, std::size_t orders)
      : topic_(stack.OpenTopic("events")), thread_([this, orders] { Listen(orders); }) {}
  ~Listener() {
    if (thread_.joinable()) thread_.join();
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// By order: when its payment.completed came. Blocks until all are there.
  const std::map<std::string, Steady::time_point>& Wait() {
    thread_.join();
    if (!all_) {
      throw std::runtime_error("events of " + std::to_string(came_.size()) +
                               " orders came, and no more");
    }
    return came_;
  }
  std::size_t events() const { return events_; }

 private:
  void Listen(std::size_t orders) {
    all_ = topic_->ReadUntil(
        [&](const std::vector<test::TopicRecord>& records) {
          const Steady::time_point now = Steady::now();
          for (; events_ < records.size(); ++events_) {
            const test::TopicRecord& record = records[events_];
            if (record.header("ce_type") == kCompleted) came_.emplace(record.key, now);
          }
          return came_.size() >= orders;
        },
        std::chrono::minutes(3));
  }

  std::unique_ptr<test::Topic> topic_;
  std::map<std::string, Steady::time_point> came_;
  std::size_t events_ = 0;
  bool all_ = false;
  std::thread thread_;
};

/// A webhook for each order, each of which counts from when it was due.
struct Pass {
  /// To the answer, and to the event.
  std::vector<double> answers_ms;
  std::vector<double> waits_ms;
  /// From the first webhook to the last event.
  double seconds = 0;
  double cpu_us = 0;
  std::size_t events = 0;
  double read_ms = 0;
};

/// Whether there is one more order, whose read is not answered as long as the pass goes on.
enum class Beside { kNothing, kAReadThatHangs };

/// Lets the reads of `order` hang, and the reader begin one.
void LetReadHang(const test::Stack& stack, const std::string& order) {
  stack.SandboxFaults(R"({"rules":[{"on":{"operation":"get_order","order":")" + order +
                      R"("},"fault":{"kind":"latency","milliseconds":600000}}]})");
  Run({.port = IngressPort(stack),
       .requests = {WebhookRequest(WebhookPath(stack), order)},
       .connections = 1,
       .rate = 1e9});
}

Pass RunPass(const EventsBench& bench, std::size_t count, double rate,
             Beside beside = Beside::kNothing) {
  test::Stack stack({.settings = GatewaySettings(bench, "[webhooks, events]"),
                     // The first order of all makes the sandbox date later ones now.
                     .sandbox_arguments = {"--orders", "1"},
                     .redis_arguments = {"--appendonly", "yes", "--appendfsync", "everysec"},
                     .kafka = bench.kafka,
                     .ends_in_order = true});
  std::vector<std::string> orders = PaidOrders(stack, 1 + kFirst + count);
  const std::string one_more = orders.back();
  orders.pop_back();
  const auto load_of = [&stack](const std::vector<std::string>& of, double at) {
    Load load{.port = IngressPort(stack), .connections = kConnections, .rate = at};
    for (const std::string& order : of) {
      load.requests.push_back(WebhookRequest(WebhookPath(stack), order));
    }
    return load;
  };
  // What is learned at first is not measured: joining the group, who leads the partitions.
  Listener first(stack, kFirst);
  Run(load_of({orders.end() - kFirst, orders.end()}, kFirstRate));
  first.Wait();
  orders.resize(count);
  if (beside == Beside::kAReadThatHangs) LetReadHang(stack, one_more);
  const Load load = load_of(orders, rate);
  Listener listener(stack, kFirst + count);
  const double before = ProcessorTime(stack.gateway().pid());
  const LoadResult sent = Run(load);
  const auto& came = listener.Wait();
  if (came.contains(one_more)) throw std::runtime_error("the read did not hang");
  Pass pass;
  pass.cpu_us = ProcessorTime(stack.gateway().pid()) - before;
  pass.events = listener.events() - first.events();
  pass.answers_ms = sent.waits_ms;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const Steady::time_point event = came.at(orders[i]);
    pass.waits_ms.push_back(Milliseconds(event - load.Due(sent.begin, i)).count());
    pass.seconds = std::max(pass.seconds, Milliseconds(event - sent.begin).count() / 1000);
  }
  const std::string read = R"({operation="get_order"})";
  const double reads = stack.Metric("tollbridge_outbound_seconds_count" + read);
  if (reads > 0)
    pass.read_ms = stack.Metric("tollbridge_outbound_seconds_sum" + read) * 1e3 / reads;
  return pass;
}

/// The one whose 99th percentile lies in the middle of all.
Pass Middle(std::vector<Pass> passes) {
  std::ranges::sort(passes, {}, [](const Pass& pass) { return Percentile(pass.waits_ms, 0.99); });
  return std::move(passes[passes.size() / 2]);
}

struct AtARate {
  Pass usual;
  Pass beside_a_hanging_read;
};

/// Both in turn, three times.
AtARate RunAtARate(const EventsBench& bench, std::size_t count, double rate) {
  std::vector<Pass> usual;
  std::vector<Pass> beside_a_hanging_read;
  for (int i = 0; i < (bench.is_short ? 1 : 3); ++i) {
    usual.push_back(RunPass(bench, count, rate));
    beside_a_hanging_read.push_back(RunPass(bench, count, rate, Beside::kAReadThatHangs));
  }
  return {.usual = Middle(std::move(usual)),
          .beside_a_hanging_read = Middle(std::move(beside_a_hanging_read))};
}

}  // namespace

Measures MeasureReader(const EventsBench& bench) {
  const std::size_t count = bench.is_short ? 50 : 6000;
  // The broker's virtual machine compiles what it runs often: not while it is measured.
  if (!bench.is_short) RunPass(bench, count, 1e9);
  // All at once: as fast as the reader goes.
  const Pass fastest = RunPass(bench, count, 1e9);
  const double most = static_cast<double>(count) / fastest.seconds;
  const auto [half, beside_a_hanging_read] = RunAtARate(bench, count, most / 2);
  const auto events = static_cast<double>(fastest.events);
  return {
      {.name = "orders read and told of, per second", .value = most, .unit = "/s"},
      {.name = "events, per second", .value = events / fastest.seconds, .unit = "/s"},
      {.name = "events, per second and core (their webhooks included)",
       .value = events * 1e6 / fastest.cpu_us,
       .unit = "/s"},
      {.name = "read of an order at half that rate, mean", .value = half.read_ms, .unit = "ms"},
      {.name = "ingest at half that rate, p99",
       .value = Percentile(half.answers_ms, 0.99),
       .unit = "ms",
       .at_most = 250},
      {.name = "webhook to event less the read, p50",
       .value = Percentile(half.waits_ms, 0.5) - half.read_ms,
       .unit = "ms"},
      {.name = "webhook to event less the read, p99",
       .value = Percentile(half.waits_ms, 0.99) - half.read_ms,
       .unit = "ms",
       .at_most = 100},
      {.name = "the same while the read of one more order hangs : without, p99",
       .value = Percentile(beside_a_hanging_read.waits_ms, 0.99) / Percentile(half.waits_ms, 0.99),
       .at_most = 2}};
}

}  // namespace tollbridge::bench
