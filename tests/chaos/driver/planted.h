#ifndef TOLLBRIDGE_TESTS_CHAOS_DRIVER_PLANTED_H_
#define TOLLBRIDGE_TESTS_CHAOS_DRIVER_PLANTED_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tollbridge::chaos {

/// What a bug needs so that it shows.
struct Showing {
  /// Many callers come back after a definite answer.
  bool many_come_back = false;
  /// Most callers wait until the store is doubted no longer, also towards the end of the run.
  bool most_wait = false;
  /// The store is doubted as often as can be, and the payment service hardly read then.
  bool reads_fail_in_doubt = false;
};

/// A mistake in one of the product's scripts, for a run that has to find it.
struct PlantedBug {
  struct Replacement {
    std::string_view was;
    std::string_view is;
  };

  std::string_view name;
  /// What the product does wrong with it.
  std::string_view about;
  std::vector<Replacement> replacements;
  Showing showing = {};
};

/// All of them. planted_test.cc compares them with the scripts that there are.
std::span<const PlantedBug> PlantedBugs();
/// The one of that name among `bugs`. Throws std::runtime_error naming those that there are.
const PlantedBug& BugOf(std::span<const PlantedBug> bugs, std::string_view name);
inline const PlantedBug& PlantedBugOf(std::string_view name) { return BugOf(PlantedBugs(), name); }
/// As TB_TEST_PATCH reads it.
std::string FileOf(const PlantedBug& bug);

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_DRIVER_PLANTED_H_
