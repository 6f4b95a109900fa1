#ifndef TOLLBRIDGE_TESTS_ARCHITECTURE_TEST_NAMES_CHECK_H_
#define TOLLBRIDGE_TESTS_ARCHITECTURE_TEST_NAMES_CHECK_H_

#include <vector>

#include "tests/architecture/violation.h"

namespace tollbridge::architecture {

/// A page's table whose last column is headed `tests` names tests that exist, parted by a
/// semicolon: `Suite.Name`, behind a slash a parameter that stands in the test's file as a literal,
/// or `sandbox-walk: ` and the title of a flow of examples/sandbox-walk.sh. `files` are all of the
/// repository.
Violations CheckTestNames(const std::vector<SourceFile>& files);

}  // namespace tollbridge::architecture

#endif  // TOLLBRIDGE_TESTS_ARCHITECTURE_TEST_NAMES_CHECK_H_
