#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_FIXTURE_H_

#include <gtest/gtest.h>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/telemetry/metrics.h"
#include "services/domain/project.h"
#include "services/domain/timestamps.h"
#include "services/events/reader.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_operation_registry.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/unit/services/events/fakes.h"
#include "tests/unit/services/events/observed_store.h"

namespace tollbridge::events {

inline constexpr char kOrderId[] = "7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10";
inline constexpr char kOtherOrderId[] = "11111111-93b1-4f7a-8a53-1d0f6a4c2b10";
inline constexpr char kTraceparent[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// A shard whose time the test moves, with all that the pipeline needs around it.
class EventsFixture : public ::testing::Test {
 protected:
  /// Runs all that can run now.
  void Settle() {
    context_.poll();
    context_.restart();
  }

  /// Moves time in small steps, so that sleepers wake in their order.
  void Pass(ports::Millis duration) {
    for (ports::Millis step(100); duration > ports::Millis(0); duration -= step) {
      clock_.Advance(std::min(step, duration));
      Settle();
    }
  }

  /// The value of a coroutine; time passes while it sleeps, a minute at most.
  template <typename T>
  T Await(boost::asio::awaitable<T> work) {
    std::optional<T> value;
    boost::asio::co_spawn(context_, std::move(work), [&](std::exception_ptr error, T result) {
      ASSERT_FALSE(error);
      value = std::move(result);
    });
    Settle();
    for (int i = 0; i < 600 && !value; ++i) Pass(ports::Millis(100));
    EXPECT_TRUE(value.has_value()) << "the coroutine did not end";
    return std::move(value).value();
  }

  static ports::FamilyKey Key(const std::string& order_id = kOrderId) {
    return {.project = "shop", .root = *Uuid::Parse(order_id)};
  }

  /// An order that was created a minute ago.
  common::v1::Order MakeOrder(common::v1::OrderStatus status,
                              const std::string& order_id = kOrderId) const {
    common::v1::Order order;
    order.set_id(order_id);
    order.set_status(status);
    order.set_currency("EUR");
    order.set_amount(1250);
    *order.mutable_created() = domain::ToTimestamp(clock_.WallNow() - std::chrono::minutes(1));
    return order;
  }

  /// A reader with no memory, as after a restart.
  Reader NewReader() {
    return Reader({.payment_service = reads_,
                   .snapshots = store_,
                   .registry = registry_,
                   .event_log = events_,
                   .hint_log = hints_,
                   .clock = clock_,
                   .rng = rng_,
                   .metrics = metrics_},
                  settings_);
  }

  ReadResult ReadOnce(const std::string& order_id = kOrderId, const ReadRequest& request = {}) {
    Reader reader = NewReader();
    const ports::FamilyKey key = Key(order_id);
    return Await(reader.Read(projects_.all().front(), key, request));
  }

  /// All that is kept of the family now.
  ports::FamilyState Kept(const std::string& order_id = kOrderId) {
    const ports::FamilyKey key = Key(order_id);
    return *Await(store_.Load(key, {.deadline = clock_.BootNow(), .trace = {}}));
  }
  std::optional<WallTime> DueTime(const std::string& order_id = kOrderId) {
    return Kept(order_id).due;
  }
  /// As the poller does: takes it out, to come again with the next hint.
  void TakeOut(const std::string& order_id = kOrderId) {
    const std::optional<WallTime> due = DueTime(order_id);
    if (!due) return;
    const ports::FamilyKey key = Key(order_id);
    const ports::Context context{.deadline = clock_.BootNow(), .trace = {}};
    ASSERT_TRUE(Await(store_.RemoveIf(key, *due, context)).ok());
  }
  /// As the poller leaves it when it has written a hint: due again in a minute.
  void PollerMoved(const std::string& order_id = kOrderId) {
    TakeOut(order_id);
    Enter(clock_.WallNow() + std::chrono::minutes(1), order_id);
  }
  /// As an operation does when it has changed the order: due now.
  void Enter(WallTime due, const std::string& order_id = kOrderId) {
    const ports::FamilyKey key = Key(order_id);
    const ports::Context context{.deadline = clock_.BootNow(), .trace = {}};
    ASSERT_TRUE(Await(store_.Enter(key, due, context)).ok());
  }
  void EnterOperation(ports::OrderEntry entry) {
    entry.key = Key();
    store_.entries[Key()] = entry;
  }

  static std::string HeaderOf(const storage::v1::OutboxEntry& entry, const std::string& name) {
    for (const auto& header : entry.headers()) {
      if (header.name() == name) return header.value();
    }
    return "(none)";
  }

  /// Of a counter with one label.
  double Metric(const telemetry::MetricDef& def, std::string_view label) const {
    for (const prometheus::MetricFamily& family : metrics_.collectable().Collect()) {
      if (family.name != def.name) continue;
      for (const prometheus::ClientMetric& metric : family.metric) {
        for (const auto& each : metric.label) {
          if (each.value == label) return metric.counter.value;
        }
      }
    }
    return 0;
  }

  /// The types of what was published so far.
  std::vector<std::string> Types() const {
    std::vector<std::string> types;
    for (const auto& entry : events_.events) types.push_back(HeaderOf(entry, "ce_type"));
    return types;
  }

  boost::asio::io_context context_;
  test::FakeClock clock_;
  telemetry::Metrics metrics_;
  test::FakeRng rng_;
  ScriptedReads reads_;
  ObservedStore store_{[this] { return clock_.WallNow(); }};
  test::FakeOperationRegistry registry_;
  RecordedEvents events_;
  RecordedHints hints_;
  Settings settings_;
  domain::Projects projects_{{{.name = "shop",
                               .id = *Uuid::Parse("0b3c8a52-4a6b-4f7e-9f0d-1a2b3c4d5e6f"),
                               .test = true,
                               .webhook_url = "",
                               .allow_caller_webhook_url = false}}};
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_FIXTURE_H_
