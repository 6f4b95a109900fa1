#ifndef TOLLBRIDGE_TESTS_ARCHITECTURE_VIOLATION_H_
#define TOLLBRIDGE_TESTS_ARCHITECTURE_VIOLATION_H_

#include <ostream>
#include <string>
#include <vector>

namespace tollbridge::architecture {

/// A file of the repository; the path is from its root.
struct SourceFile {
  std::string path;
  std::string content;
};

/// One breach of a rule.
struct Violation {
  std::string path;
  int line = 0;
  /// What stands there: the included path, the target that is linked, ...
  std::string subject;
  std::string rule;

  bool operator==(const Violation&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Violation& violation) {
  return out << "\n  " << violation.path << ":" << violation.line << ": " << violation.subject
             << ": " << violation.rule;
}

using Violations = std::vector<Violation>;

}  // namespace tollbridge::architecture

#endif  // TOLLBRIDGE_TESTS_ARCHITECTURE_VIOLATION_H_
