#ifndef TOLLBRIDGE_TESTS_BENCH_EVENTS_SECTIONS_H_
#define TOLLBRIDGE_TESTS_BENCH_EVENTS_SECTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/bench/measures.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/stack.h"

/// The sections of ./dev bench events. Each starts what it measures, of real processes, and throws
/// std::runtime_error when a part does not start or does not answer as it must.
namespace tollbridge::bench {

/// How the sections are run.
struct EventsBench {
  /// Where the gateway or floor runs, and where all else does; -1: nowhere in particular.
  int server_cpu = -1;
  int other_cpu = -1;
  /// Small numbers: that it still runs, not how fast.
  bool is_short = false;
  /// Put over the gateway's settings.
  test::StackSettings settings;
  /// The broker of all sections, run as in production; outlives them.
  test::KafkaBroker* kafka = nullptr;
};

/// Webhooks per second and core beside the floor (webhook_floor_main.cc), and how long one takes.
Measures MeasureIngest(const EventsBench& bench);
/// From a webhook to its event, and how many a core makes.
Measures MeasureReader(const EventsBench& bench);
/// Memory of a snapshot with its due entry, and what polling costs among many.
Measures MeasureSnapshots(const EventsBench& bench);
/// What honest webhooks wait among slow connections.
Measures MeasureSlowConnections(const EventsBench& bench);

/// The settings of a gateway with these roles, e.g. "[webhooks]", that takes webhooks as fast as
/// they come, with those of `bench` over them.
test::StackSettings GatewaySettings(const EventsBench& bench, std::string_view roles);
/// A webhook's request as the payment service sends it.
std::string WebhookRequest(std::string_view path, std::string_view order);
/// The path of the ingress for the stack's project.
std::string WebhookPath(const test::Stack& stack);
std::uint16_t IngressPort(const test::Stack& stack);
/// A number as the id of an order that nobody knows.
std::string MadeUpOrder(std::uint64_t number);

}  // namespace tollbridge::bench

#endif  // TOLLBRIDGE_TESTS_BENCH_EVENTS_SECTIONS_H_
