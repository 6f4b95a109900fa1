#ifndef TOLLBRIDGE_TESTS_DURABILITY_MODEL_RUN_H_
#define TOLLBRIDGE_TESTS_DURABILITY_MODEL_RUN_H_

#include <cstdint>

#include "services/operations/settings.h"
#include "tests/support/mini_redis/mini_redis.h"
#include "tests/support/simulation/seeds.h"

namespace tollbridge::model {

/// The defaults, with fewer looks before the quarantine ends: runs are quicker.
operations::Settings ModelSettings();

/// What the runs of a test have in common.
struct Model {
  operations::Settings settings = ModelSettings();

  // Planted mistakes, of what is no script.
  /// Who reads the service cannot tell "there is none" from "it cannot be read".
  bool hides_not_found = false;
  /// A result that nothing else shows is told whether or not the store has taken it.
  bool tells_before_it_keeps = false;
};

/// One random run: callers, processes that die, a Redis and a payment service that fail. All of it
/// follows from the seed. `redis` keeps its scripts and their patches, and nothing else.
RunResult RunOnce(std::uint64_t seed, test::MiniRedis& redis, const Model& model,
                  bool keep_history);

}  // namespace tollbridge::model

#endif  // TOLLBRIDGE_TESTS_DURABILITY_MODEL_RUN_H_
