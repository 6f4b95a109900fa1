#ifndef TOLLBRIDGE_TESTS_EVENTS_MODEL_TRAITS_H_
#define TOLLBRIDGE_TESTS_EVENTS_MODEL_TRAITS_H_

#include <cstddef>

#include "services/domain/project.h"
#include "tests/support/simulation/redis_link.h"
#include "tests/support/simulation/world.h"

namespace tollbridge::events_model {

using model::Dice;
using model::Gate;
using model::kHour;
using model::kMinute;
using model::kSecond;
using model::ProcessClock;
using model::RedisLink;
using model::RedisState;
using model::Time;
using model::World;

inline constexpr Time kDay = 24 * kHour;
inline constexpr std::size_t kProjects = 2;

/// What a run has beside its faults.
struct Traits {
  std::size_t projects = 1;
  /// Only the second project's payment service fails, and nothing else; else anything may.
  bool neighbour_alone = false;
  /// A family has up to 200 members.
  bool large_family = false;
  /// The payment service writes `modified` in whole seconds.
  bool whole_seconds = false;
  /// Reads that a process makes at a time.
  std::size_t max_reads = 64;
};

/// The projects that are configured when all are.
const domain::Projects& AllProjects();
/// Of those of a run, the ones that `has` names by their bits.
domain::Projects ProjectsOf(unsigned has, std::size_t count);

}  // namespace tollbridge::events_model

#endif  // TOLLBRIDGE_TESTS_EVENTS_MODEL_TRAITS_H_
