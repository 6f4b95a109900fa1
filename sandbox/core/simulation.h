#ifndef TOLLBRIDGE_SANDBOX_CORE_SIMULATION_H_
#define TOLLBRIDGE_SANDBOX_CORE_SIMULATION_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "sandbox/core/clock.h"
#include "sandbox/core/ledger.h"
#include "sandbox/core/random.h"
#include "sandbox/core/settings.h"
#include "sandbox/core/timeline.h"

namespace tollbridge::sandbox {

/// What all state is kept in: settings, time, chance and the ledger.
struct Simulation {
  /// `start`: a clock that stands there and moves only when it is moved.
  Simulation(Settings settings_in, std::uint64_t seed_in, std::optional<Time> start)
      : settings(std::move(settings_in)),
        seed(seed_in),
        clock(start ? Clock(*start) : Clock()),
        timeline(&clock),
        ids(seed) {}
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// nullptr when no project has that id.
  const Project* FindProject(const Uuid& id) const {
    const auto found = std::ranges::find(settings.projects, id, &Project::id);
    return found == settings.projects.end() ? nullptr : &*found;
  }

  Settings settings;
  const std::uint64_t seed;
  Clock clock;
  Timeline timeline;
  Random ids;
  Ledger ledger;
  /// The cause recorded with the effects of the request that is served now.
  Cause cause;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_SIMULATION_H_
