#ifndef TOLLBRIDGE_TESTS_SUPPORT_SIMULATION_SEEDS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_SIMULATION_SEEDS_H_

#include <cstdint>
#include <functional>
#include <string>

namespace tollbridge::model {

/// What became of one run.
struct RunResult {
  /// Empty when all held.
  std::string failure;
  /// One line an event; empty unless it was asked for.
  std::string history;
};

using OneRun = std::function<RunResult(std::uint64_t seed, bool keep_history)>;

/// Which seeds a test runs: TOLLBRIDGE_MODEL_SEED is the first, TOLLBRIDGE_MODEL_RUNS how many, and
/// TOLLBRIDGE_MODEL_FAILURES after how many failures it stops.
struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 0;
  std::uint64_t most_failures = 1;
};
Seeds SeedsFromEnvironment(std::uint64_t count);

/// Runs them one after the other; each that fails is run again for its history and fails the test.
void RunSeeds(const Seeds& seeds, const OneRun& run);

/// For planted bugs: the first seed from `seed` on whose failure has `says`, among as many as
/// TOLLBRIDGE_MODEL_SEARCH says; it is printed with its history. Without the variable `seed`.
std::uint64_t SearchSeed(std::uint64_t seed, const std::string& says, const OneRun& run);

}  // namespace tollbridge::model

#endif  // TOLLBRIDGE_TESTS_SUPPORT_SIMULATION_SEEDS_H_
