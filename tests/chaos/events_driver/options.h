#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_OPTIONS_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/chaos/events_auditor/audit.h"
#include "tests/support/stack.h"

namespace tollbridge::pipeline {

using Millis = std::chrono::milliseconds;

/// What happens to webhooks at the payment service.
enum class Webhooks {
  kOnce,      ///< each is sent once
  kRepeated,  ///< each 20 times, in any order
  kHalf,      ///< every second one is lost
  kNone,      ///< all are lost: poller and sweep only
  kMixed,     ///< some are lost, repeated, late or out of order
};

/// A run of that many orders is long enough for Kafka to be down for longer than all attempts at a
/// webhook take, and for readers to be away for longer than the baseline.
inline constexpr std::size_t kLongRun = 2'000;
/// In a run of more orders each is looked at more rarely where nothing hints at it: else readers
/// have more to read than they manage among the faults, which only makes more of it.
inline constexpr std::size_t kManyOrders = 5'000;

struct Options {
  /// Orders that are created by the driver; captures, refunds and the like come on top.
  std::size_t orders = 500;
  std::uint64_t seed = 1;
  /// Processes with the role events.
  std::size_t readers = 3;
  Webhooks webhooks = Webhooks::kMixed;
  /// Processes are killed, stores fail, reads lag, webhooks are forged.
  bool disturbed = true;
  /// Three brokers in place of one.
  bool cluster = false;
  /// All readers are away once for longer than the baseline, which is short from then on.
  bool readers_away = false;
  /// The example consumers keep their ledgers behind the run.
  bool ledgers = false;
  /// The `tollbridge` of another commit, which the last reader runs; empty: all run that of this
  /// build.
  std::string other_program;
  /// Of a bug that the gateways have (planted.h), in builds with test hooks; empty: none.
  std::string planted;
  /// Where the run's files go, kept in any case; empty: a new one, kept when something was found.
  std::string folder;

  bool is_long() const { return orders >= kLongRun; }
};

/// `--orders N --seed S --topology single|cluster --readers-away --planted NAME
/// --other-program PATH --folder PATH`. Throws std::runtime_error naming what is wrong.
Options ReadOptions(const std::vector<std::string>& arguments);

/// The intervals of a run, short, so that what takes minutes in production takes seconds.
struct Intervals {
  /// How long the sandbox holds a paid own-checkout order as processing.
  std::chrono::seconds own_checkout_hold{8};
  /// Between the attempts at a webhook.
  Millis webhook_pause{2'000};
  /// How old what search shows is.
  std::chrono::seconds index_lag{1};
  /// How old what lagging reads show is: less than the reader waits for a newer one.
  std::chrono::seconds read_lag{2};
  /// Kafka down for long: longer than all attempts at a webhook take, as 25 min are longer than the
  /// ten attempts of production.
  Millis long_outage{25'000};
  /// What is older when an order is first noticed is not told, once readers have been away. Longer
  /// than it ever takes here until an order is noticed.
  std::chrono::seconds baseline{90};
  Millis readers_away{110'000};
  /// Redis' memory is left alone for that long after it was lost, at least.
  Millis between_flushes{30'000};
  /// Of the reader and the sweep: how soon what can be read is read.
  PollIntervals polls;
  /// Until the poller takes an order again that nobody has read.
  Millis take_again{5'000};
  /// Of orders of which nothing is known, as after memory is lost; forged webhooks take of it too.
  int unknown_reads_per_second = 100;
  /// What may pass from the end of all changes until all is published.
  std::chrono::seconds settle{150};
};

Intervals IntervalsFor(const Options& options);

/// The gateways' settings for these intervals.
test::StackSettings SettingsFor(const Intervals& intervals);

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_OPTIONS_H_
