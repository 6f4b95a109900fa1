#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/events_sections.h"
#include "tests/bench/family_store.h"

namespace tollbridge::bench {

Measures MeasureSnapshots(const EventsBench& bench) {
  const std::vector<std::uint64_t> counts =
      bench.is_short ? std::vector<std::uint64_t>{200, 400}
                     : std::vector<std::uint64_t>{1'000, 100'000, 1'000'000};
  FamilyStore store;
  // What Redis uses once, for scripts and connections, is not of the snapshots.
  store.SaveUpTo(1);
  const std::int64_t before = store.UsedBytes();
  Measures measures;
  std::vector<double> takes;
  for (const std::uint64_t count : counts) {
    store.SaveUpTo(count);
    takes.push_back(store.TakeMs());
    measures.push_back({.name = "a hundred due orders of " + std::to_string(count),
                        .value = takes.back(),
                        .unit = "ms"});
  }
  const auto bytes = static_cast<double>(store.UsedBytes() - before);
  measures.push_back({.name = "a hundred due orders, of most : of fewest",
                      .value = takes.back() / takes.front(),
                      .at_most = 2});
  measures.push_back({.name = "memory of a snapshot with its due entry",
                      .value = bytes / static_cast<double>(counts.back() - 1),
                      .unit = "B",
                      .at_most = 400});
  return measures;
}

}  // namespace tollbridge::bench
