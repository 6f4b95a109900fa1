#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_FAULTS_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_FAULTS_H_

#include <cstdint>
#include <string>

#include "tests/chaos/events_driver/options.h"

namespace tollbridge::pipeline {

/// A fault plan for the sandbox, as JSON: what happens to webhooks and, in a disturbed run, to
/// reads: slow ones, during which a status may change, replicas that lag, errors, answers that are
/// none. Reads of the order `hangs` are never answered in time; empty: of none.
std::string FaultPlan(const Options& options, const Intervals& intervals, std::int64_t seed,
                      const std::string& hangs);

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_FAULTS_H_
