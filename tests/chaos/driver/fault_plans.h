#ifndef TOLLBRIDGE_TESTS_CHAOS_DRIVER_FAULT_PLANS_H_
#define TOLLBRIDGE_TESTS_CHAOS_DRIVER_FAULT_PLANS_H_

#include <random>
#include <string>

#include "tests/chaos/driver/options.h"

namespace tollbridge::chaos {

/// A fault plan for the sandbox, as JSON: a few kinds of faults drawn at random from all that there
/// are for calls, each for a few calls in a hundred. With `reads_fail` most reads fail besides.
std::string DrawFaultPlan(std::mt19937_64& random, const Intervals& intervals, bool reads_fail);

/// A plan in which nothing happens but that effects come late.
std::string LateFaultPlan(const Intervals& intervals);

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_DRIVER_FAULT_PLANS_H_
