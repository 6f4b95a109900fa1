#ifndef TOLLBRIDGE_BASE_VERSION_VERSION_H_
#define TOLLBRIDGE_BASE_VERSION_VERSION_H_

#include <string>
#include <string_view>

namespace tollbridge {

/// The version of the product, as CMakeLists.txt has it: "1.2.3".
std::string_view Version();

/// The commit that was built: its first 12 digits, and "-dirty" where files were changed; "unknown"
/// where the build knew none.
std::string_view Revision();

/// What --version prints: "tollbridge 1.2.3 (commit 0123456789ab)".
std::string VersionLine(std::string_view program);

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_VERSION_VERSION_H_
