#ifndef TOLLBRIDGE_TESTS_UNIT_COVERAGE_PAGE_H_
#define TOLLBRIDGE_TESTS_UNIT_COVERAGE_PAGE_H_

#include <string>
#include <vector>

#include "tests/unit/coverage/table.h"

namespace tollbridge::coverage {

/// docs/coverage.md.
std::string WritePage(const std::vector<Chapter>& chapters);

}  // namespace tollbridge::coverage

#endif  // TOLLBRIDGE_TESTS_UNIT_COVERAGE_PAGE_H_
