#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_PLANTED_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_PLANTED_H_

#include <span>

#include "tests/chaos/driver/planted.h"

namespace tollbridge::pipeline {

/// Mistakes in the scripts between webhook and event, for runs that have to find them.
/// planted_test.cc compares them with the scripts that there are.
std::span<const chaos::PlantedBug> PlantedBugs();

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_PLANTED_H_
