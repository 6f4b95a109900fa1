#ifndef TOLLBRIDGE_TESTS_ARCHITECTURE_PATH_CHECK_H_
#define TOLLBRIDGE_TESTS_ARCHITECTURE_PATH_CHECK_H_

#include <vector>

#include "tests/architecture/violation.h"

namespace tollbridge::architecture {

/// Each path that a page has in backticks is one of a file or folder: one that begins with a folder
/// at the top is meant from the root, another path of a source file, or its name, from anywhere.
/// `*`, `NAME`, `NNNN` and `<room>` stand for any name, and `{a,b}` for each. Not followed are
/// decisions and the changelog, which tell what was. `files` are all of the repository.
Violations CheckPaths(const std::vector<SourceFile>& files);

/// A row of a table that begins with a link to a source file leads a reader to it: each name in
/// backticks in the row stands in that file.
Violations CheckNamesInLinkedFiles(const std::vector<SourceFile>& files);

}  // namespace tollbridge::architecture

#endif  // TOLLBRIDGE_TESTS_ARCHITECTURE_PATH_CHECK_H_
