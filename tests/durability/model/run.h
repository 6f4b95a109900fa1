#ifndef TOLLBRIDGE_TESTS_DURABILITY_MODEL_RUN_H_
#define TOLLBRIDGE_TESTS_DURABILITY_MODEL_RUN_H_

#include <cstdint>
#include <string>

#include "services/operations/settings.h"
#include "tests/support/mini_redis/mini_redis.h"

namespace tollbridge::model {

/// The defaults, with fewer looks before the quarantine ends: runs are quicker.
operations::Settings ModelSettings();

struct RunResult {
  /// Empty when all held.
  std::string failure;
  /// One line an event; empty unless it was asked for.
  std::string history;
};

/// One random run: callers, processes that die, a Redis and a payment service that fail. All of it
/// follows from the seed. `redis` keeps its scripts and their patches, and nothing else.
RunResult RunOnce(std::uint64_t seed, test::MiniRedis& redis, const operations::Settings& settings,
                  bool keep_history);

}  // namespace tollbridge::model

#endif  // TOLLBRIDGE_TESTS_DURABILITY_MODEL_RUN_H_
