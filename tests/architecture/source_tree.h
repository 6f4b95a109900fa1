#ifndef TOLLBRIDGE_TESTS_ARCHITECTURE_SOURCE_TREE_H_
#define TOLLBRIDGE_TESTS_ARCHITECTURE_SOURCE_TREE_H_

#include <string>
#include <vector>

#include "tests/architecture/violation.h"

namespace tollbridge::architecture {

/// Every file of the repository at `root`: what git tracks or would track; without git, what is
/// there but for build folders. One that holds a NUL byte is as if it were empty.
std::vector<SourceFile> ReadSourceTree(const std::string& root);

/// The rooms that hold a file, sorted.
std::vector<std::string> RoomFolders(const std::vector<SourceFile>& files);

}  // namespace tollbridge::architecture

#endif  // TOLLBRIDGE_TESTS_ARCHITECTURE_SOURCE_TREE_H_
