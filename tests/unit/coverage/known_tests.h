#ifndef TOLLBRIDGE_TESTS_UNIT_COVERAGE_KNOWN_TESTS_H_
#define TOLLBRIDGE_TESTS_UNIT_COVERAGE_KNOWN_TESTS_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tollbridge::coverage {

/// The tests that the sources below a folder define with TEST, TEST_F and TEST_P.
class KnownTests {
 public:
  explicit KnownTests(const std::filesystem::path& folder);

  /// What is wrong with "Suite.Name" or "Suite.Name/parameter"; empty when there is such a test,
  /// once. A parameter is known when its file has it as a literal.
  std::string Check(const std::string& test) const;

  std::size_t size() const { return files_.size(); }

 private:
  /// Of each Suite.Name the texts of the files that define it.
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace tollbridge::coverage

#endif  // TOLLBRIDGE_TESTS_UNIT_COVERAGE_KNOWN_TESTS_H_
