#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_PLANTED_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_PLANTED_H_

#include <functional>
#include <ostream>

#include "tests/chaos/events_auditor/audit.h"
#include "tests/chaos/events_world.h"

namespace tollbridge::pipeline {

/// A contradiction in a history that is right without it, and what a finding of it says.
struct Planted {
  const char* rule;
  const char* subject;
  std::function<void(EventsWorld&)> plant;
};

void PrintTo(const Planted& planted, std::ostream* out);

/// Expects that the auditor finds it by its rule and names it. Gives what it found in all.
Report ExpectFound(const Planted& planted);

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_PLANTED_H_
