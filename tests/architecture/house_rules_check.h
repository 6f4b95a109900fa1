#ifndef TOLLBRIDGE_TESTS_ARCHITECTURE_HOUSE_RULES_CHECK_H_
#define TOLLBRIDGE_TESTS_ARCHITECTURE_HOUSE_RULES_CHECK_H_

#include <vector>

#include "tests/architecture/violation.h"

namespace tollbridge::architecture {

/// Lines that a .cc, .h or .lua may have, of what ships and of tests.
inline constexpr int kMaxLines = 500;
inline constexpr int kMaxTestLines = 600;

/// No long source file, no note of unfinished work, no path of the machine it was written on, no
/// sleep in a test.
Violations CheckHouseRules(const std::vector<SourceFile>& files);

/// Every .proto below proto/tollbridge is in the package tollbridge.<folder>.v<number> that its
/// path says, and none lies elsewhere but the two of google.rpc.
Violations CheckProtoPackages(const std::vector<SourceFile>& files);

}  // namespace tollbridge::architecture

#endif  // TOLLBRIDGE_TESTS_ARCHITECTURE_HOUSE_RULES_CHECK_H_
