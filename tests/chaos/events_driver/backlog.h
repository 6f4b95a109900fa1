#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_BACKLOG_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_BACKLOG_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tests/support/stack.h"
#include "tests/support/topic.h"

namespace tollbridge::pipeline {

/// What readers have still to do. Heartbeats do not tell: where readers die every second, none
/// knows for long enough. One thread.
class Backlog {
 public:
  explicit Backlog(const test::Stack& stack) : lag_(stack.OpenLag()) {}

  /// Asks the brokers, if it has not within the last second. For a second at most while they do not
  /// answer.
  void Look();
  /// Hints of a partition that are not finished, by the last look: of the one in the middle, since
  /// one order whose reads hang holds up the offset of its partition, and nothing else. nullopt:
  /// Kafka did not say.
  std::optional<std::int64_t> of_most() const;
  /// More than a few seconds' work; also where Kafka did not say.
  bool is_long() const;
  /// All but nothing is left on any partition.
  bool is_done() const;

 private:
  using Clock = std::chrono::steady_clock;

  std::unique_ptr<test::GroupLag> lag_;
  std::optional<std::vector<std::int64_t>> hints_;  ///< by partition, fewest first
  Clock::time_point next_look_;
};

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_BACKLOG_H_
