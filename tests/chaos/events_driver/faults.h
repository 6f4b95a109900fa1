#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_FAULTS_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_FAULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/chaos/events_driver/options.h"

namespace tollbridge::pipeline {

/// Orders whose reads go wrong for as long as they are named.
struct FaultedOrders {
  /// Reads of it are never answered in time; empty: of none.
  std::string hangs;
  /// Half of the reads of these cannot be understood. They are roots: what was made of an order and
  /// cannot be read holds up nobody else, so that it may be published after what came later.
  std::vector<std::string> garbled;
};

/// A fault plan for the sandbox, as JSON: what happens to webhooks and, in a disturbed run, to
/// reads: slow ones, during which a status may change, replicas that lag, errors, answers that are
/// none.
std::string FaultPlan(const Options& options, const Intervals& intervals, std::int64_t seed,
                      const FaultedOrders& orders);

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_FAULTS_H_
