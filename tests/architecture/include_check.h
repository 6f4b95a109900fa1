#ifndef TOLLBRIDGE_TESTS_ARCHITECTURE_INCLUDE_CHECK_H_
#define TOLLBRIDGE_TESTS_ARCHITECTURE_INCLUDE_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/violation.h"

namespace tollbridge::architecture {

/// "services/rpc" for "services/rpc/call.h"; the path's first folder for anything else.
std::string FolderOf(std::string_view path);

/// The dependency rule over the include lines of all .cc and .h files below services/ and
/// adapters/. Other files are passed over.
Violations CheckIncludes(const std::vector<SourceFile>& files);

}  // namespace tollbridge::architecture

#endif  // TOLLBRIDGE_TESTS_ARCHITECTURE_INCLUDE_CHECK_H_
