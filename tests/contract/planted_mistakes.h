#ifndef TOLLBRIDGE_TESTS_CONTRACT_PLANTED_MISTAKES_H_
#define TOLLBRIDGE_TESTS_CONTRACT_PLANTED_MISTAKES_H_

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/mini_redis/mini_redis.h"

namespace tollbridge::test {

/// One place of a script changed.
struct PlantedPatch {
  std::string_view piece;  ///< of adapters/redis/scripts.h
  std::string_view old;
  std::string replacement;
};

/// A mistake in the scripts, and the tests that find it: those of tenancy, where projects would
/// share what is each one's own.
struct PlantedMistake {
  std::string name;
  std::vector<PlantedPatch> patches;
  std::string found_by = "Stores/Tenancy.*/Fake";
};

const std::vector<PlantedMistake>& PlantedMistakes();

/// No mistake: ends attempts as a version does that knows nothing of a second person.
const PlantedMistake& VersionBeforeApprovals();

/// In the environment of a test: the name of the mistake that the Redis in memory is to have.
inline constexpr const char* kPlantedMistake = "TOLLBRIDGE_PLANTED_MISTAKE";

/// Makes the mistake that the environment names, if it names one.
void PlantMistake(MiniRedis& server);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_CONTRACT_PLANTED_MISTAKES_H_
