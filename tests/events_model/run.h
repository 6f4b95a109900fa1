#ifndef TOLLBRIDGE_TESTS_EVENTS_MODEL_RUN_H_
#define TOLLBRIDGE_TESTS_EVENTS_MODEL_RUN_H_

#include <cstdint>

#include "tests/events_model/planted.h"
#include "tests/support/mini_redis/mini_redis.h"
#include "tests/support/simulation/seeds.h"

namespace tollbridge::events_model {

/// One random run: orders that change, processes that die or stand still, a Redis, a Kafka and a
/// payment service that fail. All of it follows from the seed. `redis` keeps its scripts and their
/// patches, and nothing else.
model::RunResult RunOnce(std::uint64_t seed, test::MiniRedis& redis, const Planted& planted,
                         bool keep_history);

}  // namespace tollbridge::events_model

#endif  // TOLLBRIDGE_TESTS_EVENTS_MODEL_RUN_H_
