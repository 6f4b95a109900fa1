#include "tests/support/simulation/seeds.h"

#include <absl/strings/numbers.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <iostream>

namespace tollbridge::model {
namespace {

/// A number from the environment.
std::uint64_t Number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  std::uint64_t number = otherwise;
  if (text != nullptr && !absl::SimpleAtoi(text, &number)) {
    ADD_FAILURE() << name << " is not a number: " << text;
  }
  return number;
}

}  // namespace

Seeds SeedsFromEnvironment(std::uint64_t count) {
  return {.first = Number("TOLLBRIDGE_MODEL_SEED", 1),
          .count = Number("TOLLBRIDGE_MODEL_RUNS", count),
          .most_failures = Number("TOLLBRIDGE_MODEL_FAILURES", 1)};
}

void RunSeeds(const Seeds& seeds, const OneRun& run) {
  std::uint64_t most = seeds.most_failures;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    try {
      if (run(seed, false).failure.empty()) continue;
      const RunResult again = run(seed, true);
      ADD_FAILURE() << "seed " << seed << ": " << again.failure << "\n" << again.history;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "seed " << seed << ": " << error.what();
    }
    if (--most == 0) return;
  }
}

std::uint64_t SearchSeed(std::uint64_t seed, const std::string& says, const OneRun& run) {
  std::uint64_t runs = Number("TOLLBRIDGE_MODEL_SEARCH", 0);
  if (runs == 0) return seed;
  while (runs-- > 0 && run(seed, false).failure.find(says) == std::string::npos) ++seed;
  const RunResult found = run(seed, true);
  std::cout << "seed " << seed << ": " << found.failure << "\n" << found.history;
  return seed;
}

}  // namespace tollbridge::model
