#ifndef TOLLBRIDGE_TESTS_ARCHITECTURE_INCLUDE_CHECK_H_
#define TOLLBRIDGE_TESTS_ARCHITECTURE_INCLUDE_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/violation.h"

namespace tollbridge::architecture {

/// The room of a path: "services/rpc" for "services/rpc/call.h", "sandbox" for "sandbox/app.cc";
/// the path's first folder for what is not ours.
std::string FolderOf(std::string_view path);

/// The dependency rule over the include lines of all .cc and .h files that are ours. Other files
/// are passed over.
Violations CheckIncludes(const std::vector<SourceFile>& files);

}  // namespace tollbridge::architecture

#endif  // TOLLBRIDGE_TESTS_ARCHITECTURE_INCLUDE_CHECK_H_
