#ifndef TOLLBRIDGE_TESTS_ARCHITECTURE_REFERENCE_CHECK_H_
#define TOLLBRIDGE_TESTS_ARCHITECTURE_REFERENCE_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/violation.h"

namespace tollbridge::architecture {

/// The anchors of a Markdown page's headings as GitHub makes them, in the order of the page.
std::vector<std::string> AnchorsOf(std::string_view page);

/// What refers to a document leads somewhere. In any file: the path of a page below docs/ names one
/// that is there, and an anchor behind it a heading of that page; so does each further anchor that
/// follows a comma or an "and". In a page: each link leads to a file, a folder or a heading, seen
/// from the page's own folder. `files` are all of the repository.
Violations CheckReferences(const std::vector<SourceFile>& files);

/// Nothing is cited by the names that the documents had before they were in the repository: a bare
/// file name, the interface by its old name; in a comment a rule by its number alone, or a section
/// by its title alone.
Violations CheckOldCitations(const std::vector<SourceFile>& files);

}  // namespace tollbridge::architecture

#endif  // TOLLBRIDGE_TESTS_ARCHITECTURE_REFERENCE_CHECK_H_
